"""A released selection: the name of one candidate of a public list, chosen by its score with the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from discreet.errors import InvalidInput
from discreet.release.choices.chosen import ChosenRelease
from discreet.release.validation import whole_number

if TYPE_CHECKING:
    from discreet.release.frames import Backend


@dataclass(frozen=True, repr=False, kw_only=True)
class SelectionRelease(ChosenRelease):
    """The candidate that was chosen; its score is not released.

    Parameters
    ----------
    column_names : sequence of str
        The columns whose table was scored.
    candidates : sequence of str
        The public list.
    chosen : int
        The place of the chosen one.
    spread : int
        The most by which one record moves the difference of two candidates' scores.
    schema, guarantee, cost, n, versions
        See `discreet.release.choices.chosen.ChosenRelease`.

    Examples
    --------
    >>> from discreet import PureDP, Schema
    >>> from discreet.release import SelectionRelease
    >>> SelectionRelease(schema=Schema({"party": ["red", "green"]}), column_names=["party"], candidates=["red", "green"],
    ...     chosen=1, spread=2, n=90, guarantee=PureDP(1)).candidate
    'green'
    """

    what: ClassVar[str] = "selection"

    column_names: tuple[str, ...]
    candidates: tuple[str, ...]
    chosen: int
    spread: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("column_names", "candidates"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in self.column_names:
            self.schema.categorical(name)
        if not self.column_names or len(set(self.candidates)) < len(self.candidates):
            raise InvalidInput("a selection has columns, and candidates that are all different")
        if not 0 <= whole_number("chosen", self.chosen) < len(self.candidates):
            raise InvalidInput(f"chosen must be a place among {len(self.candidates)} candidates, not {self.chosen!r}")
        if whole_number("spread", self.spread) < 1:
            raise InvalidInput(f"spread must be at least 1, not {self.spread!r}")

    @property
    def candidate(self) -> str:
        """The name of the chosen candidate."""
        return self.candidates[self.chosen]

    def to_frame(self, backend: Backend = "polars") -> Any:
        """A data frame with one row a candidate: its name, and whether it was chosen."""
        from discreet.release.frames import to_frame

        chosen = [i == self.chosen for i in range(len(self.candidates))]
        return to_frame({"candidate": list(self.candidates), "chosen": chosen}, backend)

    def __repr__(self) -> str:
        from discreet.release.choices.sample_text import selection_text

        return selection_text(self)
