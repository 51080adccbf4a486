"""What releases that were chosen by weights share: no noise was added, the whole outcome was drawn from a private law."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from discreet import display
from discreet.errors import InvalidInput
from discreet.release.io import Document
from discreet.release.neighbours import check_n, neighbours
from discreet.release.parts import cost_document, cost_part, guarantee_part, schema_part, typed, versions_part
from discreet.release.validation import whole_number
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.privacy.cost import Cost
    from discreet.privacy.guarantee import Guarantee


@dataclass(frozen=True, kw_only=True)
class ChosenRelease:
    """The common part of such a release.

    Parameters
    ----------
    schema : Schema
        The public part of the records concerned.
    guarantee, cost : Guarantee, Cost, optional
        What was promised and what it took from the budget.
    n : int, optional
        The number of records where it is public.
    versions : mapping of str to str
        The programs that made the release.
    """

    what: ClassVar[str] = "release"

    schema: Schema
    guarantee: Guarantee | None = None
    cost: Cost | None = None
    n: int | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {"discreet": version("discreet")}, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "versions", MappingProxyType(dict(self.versions)))
        if self.n is not None:
            object.__setattr__(self, "n", whole_number("n", self.n))
            check_n(self.schema, self.n)
            if not 0 <= self.n < 2**63:
                raise InvalidInput("n, the number of records, must lie in 0 ... 2^63 - 1")

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only views of mappings cannot be pickled.
        kept: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        plain: dict[str, Any] = {
            name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in kept.items()
        }
        return partial(type(self), **plain), ()

    @property
    def adjacency(self) -> str:
        """Which sets of records count as neighbours, e.g. "replace-one"."""
        return self.schema.adjacency

    @property
    def facts(self) -> str:
        """n and the guarantee in words."""
        size = "n not public" if self.n is None else f"n = {self.n}"
        return f"{size}; {self.guarantee or 'no guarantee recorded'}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the release to a JSON file, exactly and all at once; `discreet.load` reads it back."""
        from discreet.release.io import save

        save(self, path)

    def _repr_html_(self) -> str:
        return str(display.draw("html", self))


def statement(release: ChosenRelease) -> str:
    """One sentence: what is guaranteed, and with respect to whom."""
    if release.guarantee is None:
        return f"No privacy guarantee is recorded for this {release.what}."
    who = neighbours(release.schema)
    return f"The whole {release.what} satisfies {release.guarantee} with respect to neighbours in which {who}."


SHARED = ("schema", "guarantee", "cost", "n", "versions")


def shared_document(release: ChosenRelease) -> Document:
    """The common parts as plain data."""
    return {
        "schema": release.schema.to_dict(),
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "cost": cost_document(release.cost),
        "n": release.n,
        "versions": dict(release.versions),
    }


def shared_parts(document: Document) -> dict[str, Any]:
    """The common arguments that a document holds, each checked."""
    return {
        "schema": schema_part(document["schema"]),
        "guarantee": guarantee_part(document["guarantee"]),
        "cost": cost_part(document["cost"]),
        "n": None if document["n"] is None else typed("n", document["n"], int),
        "versions": versions_part(document["versions"]),
    }
