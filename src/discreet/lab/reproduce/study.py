"""What the reproduction of a figure returns: its numbers, its settings in words, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.release.frames import to_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Study:
    """The numbers behind one figure; prints as a table.

    Attributes
    ----------
    name : str
        Of the figure, as in `FIGURES`.
    title : str
    settings : str
        What was simulated, in words; it stands in the picture.
    frame : mapping from column to values
        All columns of equal length.
    """

    name: str
    title: str
    settings: str
    frame: Mapping[str, Sequence[Any]]
    picture: Callable[[Study], Figure] = field(repr=False)

    def to_frame(self, backend: str = "polars") -> Any:
        """The numbers as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        return to_frame(self.frame, backend)

    def plot(self) -> Figure:
        """The figure (needs `discreet[plot]`)."""
        return self.picture(self)

    def rows(self) -> list[dict[str, Any]]:
        """The numbers row by row."""
        return [dict(zip(self.frame, values, strict=True)) for values in zip(*self.frame.values(), strict=True)]

    def __repr__(self) -> str:
        lines = [list(self.frame), *([_short(x) for x in row.values()] for row in self.rows())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        body = ("  ".join(text.rjust(w) for text, w in zip(line, widths, strict=True)) for line in lines)
        return "\n".join([self.title, self.settings, *body])


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
