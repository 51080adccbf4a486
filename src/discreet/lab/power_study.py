"""What a power study returns: rows of powers with exact binomial intervals; prints as a table, draws as curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.errors import InvalidInput
from discreet.release.frames import to_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CEILING = "no privacy"
FORMULA = "projected, by formula"


@dataclass(frozen=True)
class PowerRow:
    """The power of one method at one setting.

    `power` is the share of `repetitions` tables that were rejected at the study's level, `low` ... `high` its exact 95 %
    binomial interval, `error` its standard error. Power by formula has no repetitions and no error. `refused` is the share
    of tables to which the method does not apply; they are not rejected.
    """

    n: int
    effect: float
    noise: str
    amount: float
    method: str
    power: float
    low: float
    high: float
    error: float
    repetitions: int
    refused: float


@dataclass(frozen=True)
class PowerStudy:
    """Powers over settings; prints as a table of them.

    Attributes
    ----------
    title, settings : str
        What was simulated, in words.
    rows : tuple of PowerRow
    level : float
        The nominal level of all tests.
    amount_name, effect_name : str
        What `amount` ("epsilon", "mu", ...) and `effect` ("Cramer's V", "Cohen's w") of a row are.
    """

    title: str
    settings: str
    rows: tuple[PowerRow, ...]
    level: float
    amount_name: str
    effect_name: str

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in order, the ceiling last."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    def select(self, **fixed: Any) -> PowerStudy:
        """The rows where the columns named have these values, e.g. `select(n=1000)`."""
        unknown = [name for name in fixed if name not in PowerRow.__dataclass_fields__]
        if unknown:
            raise InvalidInput(
                f"a power study has no column {unknown[0]!r}, only {', '.join(PowerRow.__dataclass_fields__)}"
            )
        kept = tuple(row for row in self.rows if all(getattr(row, name) == value for name, value in fixed.items()))
        if not kept:
            raise InvalidInput(f"the study has no row with {', '.join(f'{k} = {v!r}' for k, v in fixed.items())}")
        return replace(self, rows=kept)

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a method and setting, as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        names = PowerRow.__dataclass_fields__
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend)

    def plot(self, x: str | None = None, panel: str | None = None) -> Figure:
        """Power curves with their binomial intervals (needs `discreet[plot]`).

        `x` and `panel` are "n", "effect" or "amount"; unless given, x is what has most values, and what else varies has panels.
        """
        from discreet.view.power_plot import power_plot

        return power_plot(self, x, panel)

    def __repr__(self) -> str:
        methods = self.methods
        widths = [max(len(name), 15) for name in methods]
        head = f"{'n':>10} {self.effect_name:>11} {self.amount_name:>9}  " + "  ".join(
            f"{name:>{width}}" for name, width in zip(methods, widths, strict=True)
        )
        lines = [f"{self.title} (level {self.level:g})", self.settings, head]
        settings: dict[tuple[int, float, float], dict[str, PowerRow]] = {}
        for row in self.rows:
            settings.setdefault((row.n, row.effect, row.amount), {})[row.method] = row
        for (n, effect, amount), found in settings.items():
            cells = [_in_words(found.get(name)) for name in methods]
            lines.append(
                f"{n:>10,} {effect:>11.4g} {amount:>9.4g}  "
                + "  ".join(f"{text:>{width}}" for text, width in zip(cells, widths, strict=True))
            )
        return "\n".join(lines)


def _in_words(row: PowerRow | None) -> str:
    if row is None:
        return "-"
    return f"{row.power:.4f}" if not row.repetitions else f"{row.power:.4f} ± {row.error:.4f}"
