"""From what a user passes to a comparison of means: which groups are compared, on which columns, with which given mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.inference.cells import to_floats
from discreet.inference.mean_comparison import MeanComparison
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]


class Moments(Protocol):
    """A release of means and covariances (`MomentsRelease`): one part, or one for each label of a fixed column."""

    @property
    def parts(self) -> tuple[MomentsPart, ...]: ...


Given = ArrayLike | Mapping[str, float]


def comparison_of(
    x: Moments | MomentsPart,
    y: Moments | MomentsPart | None = None,
    mean: Given | None = None,
    groups: Sequence[Any] | str | None = None,
) -> MeanComparison:
    """The comparison that `hotelling(x, y, mean=, groups=)` stands for; `InvalidInput` where it stands for none."""
    if y is not None:
        if mean is not None:
            raise InvalidInput("give a second release or a mean to compare with, not both")
        if groups is not None:
            raise InvalidInput(
                "groups= chooses among the groups of one release; leave it out where there are two releases"
            )
        parts = (_only_part(x, "x"), _only_part(y, "y"))
        _check_same_columns(*parts)
        return MeanComparison(parts)
    found = parts_of(x, "x")
    if mean is not None:
        (part,) = chosen(found, groups, 1)
        return MeanComparison((part,), _rescaled(mean, part))
    if len(found) == 1:
        raise InvalidInput(
            "one release without groups: give a second release, or mean= to compare with; a release has groups where its "
            "schema has fixed="
        )
    return MeanComparison(chosen(found, groups, 2))


def parts_of(x: Any, name: str = "release") -> tuple[MomentsPart, ...]:
    """The parts of a release of moments; a single part stands for itself."""
    if isinstance(x, MomentsPart):
        return (x,)
    parts = getattr(x, "parts", None)
    if not isinstance(parts, tuple) or not parts or not all(isinstance(part, MomentsPart) for part in parts):
        raise InvalidInput(
            f"{name} must be a release of means and covariances (a MomentsRelease, from Curator.moments), "
            f"not {_kind(x)}"
        )
    return parts


def chosen(parts: tuple[MomentsPart, ...], groups: Sequence[Any] | str | None, number: int) -> tuple[MomentsPart, ...]:
    """The `number` parts that `groups` names; all of them where that is as many as there are."""
    labels = [str(part.label) for part in parts]
    if groups is None:
        if len(parts) == number:
            return parts
        raise InvalidInput(
            f"the release has {len(parts)} groups: {_listed(labels)}; say with groups= which {number} "
            f"{'is' if number == 1 else 'are'} meant"
        )
    found = chosen_any(parts, groups)
    if len(found) != number:
        raise InvalidInput(f"groups must name {number} of {_listed(labels)}, not {groups!r}")
    return found


def chosen_any(parts: tuple[MomentsPart, ...], groups: Sequence[Any] | str | None) -> tuple[MomentsPart, ...]:
    """The parts that `groups` names, in that order; all of them where it is None."""
    if groups is None:
        return parts
    if len(parts) == 1 and parts[0].label is None:
        raise InvalidInput("the release has no groups, so groups= has no meaning: its schema has no fixed=")
    labels = [str(part.label) for part in parts]
    names = [str(g) for g in ([groups] if isinstance(groups, str) or not isinstance(groups, Sequence) else groups)]
    if not names or len(set(names)) != len(names):
        raise InvalidInput(f"groups must name different groups of {_listed(labels)}, not {groups!r}")
    for name in names:
        if name not in labels:
            near = get_close_matches(name, labels, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InvalidInput(f"the release has no group {name!r}, only {_listed(labels)}{hint}")
    return tuple(parts[labels.index(name)] for name in names)


def _only_part(x: Any, name: str) -> MomentsPart:
    parts = parts_of(x, name)
    if len(parts) > 1:
        labels = _listed([str(part.label) for part in parts])
        raise InvalidInput(
            f"{name} has {len(parts)} groups ({labels}): pass one group of it, {name}.part(label), or compare two of its "
            "groups by hotelling(release, groups=(a, b))"
        )
    return parts[0]


def _check_same_columns(x: MomentsPart, y: MomentsPart) -> None:
    if x.columns != y.columns:
        raise InvalidInput(f"the releases have different columns: {_listed(x.columns)} and {_listed(y.columns)}")
    for i, column in enumerate(x.columns):
        ends = [(part.centres[i] - part.half_widths[i], part.centres[i] + part.half_widths[i]) for part in (x, y)]
        if not np.allclose(ends[0], ends[1], rtol=1e-12, atol=1e-12 * float(x.half_widths[i])):
            (a, b), (c, d) = ends
            raise InvalidInput(
                f"column {column!r} has different bounds in the two releases, [{a:g}, {b:g}] and [{c:g}, {d:g}]: release "
                "both with the same declared bounds"
            )


def _rescaled(mean: Given, part: MomentsPart) -> Floats:
    """A given mean, in the columns' own units, on [-1, 1]^d."""
    if isinstance(mean, Mapping):
        if set(mean) != set(part.columns):
            raise InvalidInput(f"mean must name each of the columns {_listed(part.columns)}, not {_listed(list(mean))}")
        mean = [mean[name] for name in part.columns]
    try:
        values = np.atleast_1d(to_floats(mean))
    except InvalidInput:
        raise InvalidInput(f"mean must be {part.mean.size} numbers, not {mean!r}") from None
    if values.shape != part.mean.shape:
        raise InvalidInput(
            f"mean must be {part.mean.size} number{'s' * (part.mean.size > 1)}, one for each of the columns "
            f"{_listed(part.columns)}; this has the shape {values.shape}"
        )
    for name, value, centre, half in zip(part.columns, values, part.centres, part.half_widths, strict=True):
        if not abs(value - centre) <= half * (1 + 1e-12):
            raise InvalidInput(
                f"the given mean of {name!r} is {value:g}, outside of its declared bounds "
                f"[{centre - half:g}, {centre + half:g}]"
            )
    return np.asarray((values - part.centres) / part.half_widths)


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(map(repr, names[:most])) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def _kind(x: Any) -> str:
    name = type(x).__name__
    return "None" if x is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
