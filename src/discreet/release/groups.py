"""The groups that a release by a fixed column falls into: their labels and public sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.errors import InvalidInput
from discreet.schema import Schema


@dataclass(frozen=True)
class Groups:
    """Which records are counted together, each group with noise of its own.

    Attributes
    ----------
    labels : tuple of str, or None
        The labels of the schema's fixed column; None where there is one group.
    sizes : tuple of int
        The public number of records in each: of the labels in order, then, unless the schema is complete, of the records
        with none of them.
    """

    labels: tuple[str, ...] | None
    sizes: tuple[int, ...]

    @property
    def declared(self) -> int:
        """The number of declared groups: that of the labels, or 1."""
        return 1 if self.labels is None else len(self.labels)

    @property
    def names(self) -> tuple[str | None, ...]:
        """The label of each declared group; (None,) where there is one group."""
        return (None,) if self.labels is None else self.labels

    def index(self, label: str | None, fixed: str | None) -> int:
        """Where the group with this label is; `InvalidInput` where there is none."""
        if label in self.names:
            return self.names.index(label)
        if self.labels is None:
            raise InvalidInput(f"this release has one group and no labels, so there is no {label!r}")
        raise InvalidInput(f"unknown label {label!r} of {fixed!r}; known: {', '.join(map(repr, self.labels))}")


def groups_of(schema: Schema, n: int, sizes: Sequence[int] | None, *, least: int) -> Groups:
    """The groups, checked: sizes that are there where they must be, add up to n, and hold `least` records at least.

    The number of records with an undeclared label may be anything, as nothing is concluded about them.
    """
    if schema.adjacency != "replace-one":
        raise InvalidInput("means and covariances divide by n, which is not public under adjacency='add-remove'")
    if schema.fixed is None:
        if sizes is not None:
            raise InvalidInput("group_sizes belong to a schema with a fixed column; this one has none")
        groups = Groups(None, (n,))
    else:
        labels = schema.categorical(schema.fixed).labels
        expected = len(labels) + (not schema.complete)
        if sizes is None or len(sizes) != expected:
            given = "none" if sizes is None else len(sizes)
            raise InvalidInput(f"there are {expected} groups of {schema.fixed!r} (undeclared included), not {given}")
        if min(sizes) < 0 or sum(sizes) != n:
            raise InvalidInput("group sizes are 0 or more and add up to n")
        groups = Groups(labels, tuple(sizes))
    if not 0 <= n < 2**63:
        raise InvalidInput("n, the number of records, must lie in 0 ... 2^63 - 1")
    for label, size in zip(groups.names, groups.sizes, strict=False):
        if size < least:
            where = "there are" if label is None else f"the group {label!r} of {schema.fixed!r} has"
            raise InvalidInput(f"{where} {size} records; a group needs at least {least}")
    return groups
