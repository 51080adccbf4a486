"""The picture of a power study: rejection rates with their binomial intervals, and the ceiling without privacy."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import InvalidInput
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, common_key, new_panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

AXES = ("n", "effect", "amount")
MOST_PANELS = 4
_CEILING, _FORMULA = "no privacy", "projected, by formula"


class Power(Protocol):
    """What is drawn: rows with n, effect, amount, method, power, low, high, repetitions."""

    @property
    def title(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def rows(self) -> Sequence[Any]: ...
    @property
    def methods(self) -> tuple[str, ...]: ...
    @property
    def level(self) -> float: ...
    @property
    def amount_name(self) -> str: ...
    @property
    def effect_name(self) -> str: ...


def power_plot(study: Power, x: str | None = None, panel: str | None = None) -> Figure:
    """Draw power over one of n, effect and the guarantee's parameter, a panel for each value of another.

    Raises
    ------
    InvalidInput
        Where more varies than one axis and four panels can show.
    MissingExtra
        If matplotlib is not installed.
    """
    values = {name: sorted({getattr(row, name) for row in study.rows}) for name in AXES}
    x, panel = _axes_of(values, x, panel)
    names = {"n": "n, records", "effect": study.effect_name, "amount": study.amount_name}
    panels = [None] if panel is None else values[panel]
    fixed = ", ".join(
        f"{names[name].split(',')[0]} = {found[0]:,g}" for name, found in values.items() if name not in (x, panel)
    )
    methods = [name for name in study.methods if name not in (_CEILING, _FORMULA)]
    drawn = [*methods, *(name for name in (_FORMULA, _CEILING) if name in study.methods)]
    width = max(6.4, 1.6 + 2.2 * len(panels))
    lines = f"{fixed}; {study.settings}" if fixed else study.settings
    figure, found = new_panels(
        study.title, _wrapped(lines, width), len(panels), width=width, height=4.4, key_rows=-(-len(drawn) // 4)
    )
    colours = dict(zip(methods, (PALETTE[0], EMPHASIS, *PALETTE[1:]) * 3, strict=False))
    for axes, value in zip(found, panels, strict=True):
        axes.axhline(study.level, color=INK, linewidth=0.8)
        for name in drawn:
            some = [row for row in study.rows if row.method == name and (panel is None or getattr(row, panel) == value)]
            some.sort(key=lambda row: getattr(row, x))
            at, power = [getattr(row, x) for row in some], [row.power for row in some]
            if name == _FORMULA:
                axes.plot(
                    at,
                    power,
                    color=colours.get("discreet, projected", PALETTE[2]),
                    linewidth=1.2,
                    dashes=(4, 2),
                    label=name,
                )
                continue
            bars = [[row.power - row.low for row in some], [row.high - row.power for row in some]]
            ceiling = name == _CEILING
            axes.errorbar(
                at,
                power,
                yerr=bars,
                color=FAINT if ceiling else colours[name],
                linewidth=1.2 if ceiling else 1.6,
                linestyle=":" if ceiling else "-",
                marker="o",
                markersize=2.5 if ceiling else 3.5,
                elinewidth=0.9,
                label=name,
            )
        axes.set_ylim(0, 1.03)
        if x != "effect" and min(values[x]) > 0 and max(values[x]) >= 8 * min(values[x]):
            axes.set_xscale("log")
            ticks = _thinned(values[x])
            axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
            axes.minorticks_off()
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        if panel is not None:
            axes.set_title(f"{names[panel].split(',')[0]} = {value:,g}", fontsize=SMALL, color=INK, loc="left")
        axes.set_xlabel(names[x], fontsize=TEXT, color=FAINT)
        axes.tick_params(labelsize=SMALL)
    found[0].set_ylabel("power", fontsize=TEXT, color=FAINT)
    common_key(figure, found[0], columns=4)
    return figure


def _axes_of(values: dict[str, list[float]], x: str | None, panel: str | None) -> tuple[str, str | None]:
    """Which column is on the axis and which in panels."""
    for name in (x, panel):
        if name is not None and name not in AXES:
            raise InvalidInput(f"x and panel are among {', '.join(map(repr, AXES))}, not {name!r}")
    x = x or max((name for name in AXES if name != panel), key=lambda name: len(values[name]))
    rest = [name for name in AXES if name != x and len(values[name]) > 1]
    if panel is None and rest:
        panel = rest[0]
    left = [name for name in rest if name != panel]
    if left or (panel is not None and len(values[panel]) > MOST_PANELS):
        many = left[0] if left else panel
        raise InvalidInput(
            f"the study has {len(values[str(many)])} values of {many} besides; draw a part of it, such as "
            f"study.select({many}={values[str(many)][0]:g}).plot()"
        )
    return x, panel


def _thinned(values: list[float]) -> list[float]:
    """At most seven of the values for ticks on a logarithmic axis."""
    return values if len(values) <= 7 else values[:: -(-len(values) // 6)]


def _wrapped(text: str, width: float) -> str:
    return "\n".join(part for line in text.split("\n") for part in textwrap.wrap(line, int(width * 17)))
