"""How often a test detects a difference, over the number of records, the size of the effect, and the guarantee.

By simulation, with exact binomial intervals; beside it the classical test of the true tables, which is the ceiling, and for
the projected statistic under Gaussian noise its noncentral formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.errors import InvalidInput, NotAvailable
from discreet.lab.binomial import binomial_error, clopper_pearson
from discreet.lab.chunks import Progress
from discreet.lab.designs.designs import Design
from discreet.lab.designs.draws import Method
from discreet.lab.designs.protection import Protection, protect
from discreet.lab.methods.methods import NonPrivate, find_methods
from discreet.lab.power_formula import projected_power
from discreet.lab.power_study import CEILING, FORMULA, PowerRow, PowerStudy
from discreet.lab.table_study import Store, TableTask, pvalues_of, shared_progress
from discreet.release.validation import probability_level, whole_number


def power(
    design: Design,
    noise: Any,
    *,
    n: int | Sequence[int] | None = None,
    effects: float | Sequence[float] | None = None,
    methods: Any = ("discreet",),
    statistic: str = "chi2",
    level: float = 0.05,
    repetitions: int = 2000,
    ceiling: bool = True,
    seed: int = 1,
    store: Store = None,
    progress: Progress | None = None,
    n_jobs: int | None = 1,
) -> PowerStudy:
    """The power of tests over records, effects and guarantees.

    Parameters
    ----------
    design : Design
        Made by `independence_design`, `fit_design` or `homogeneity_design`; with its own n and effect unless these are given.
    noise : guarantee, law, or a sequence of them
        As in `reliability`; guarantees of one kind, or laws of one kind, so that there is one axis for them.
    n : int or sequence, optional
        Numbers of records (in all; samples in proportion).
    effects : float or sequence, optional
        Sizes of the effect in the design's direction: Cramer's V, or Cohen's w for goodness of fit.
    methods, statistic, seed, store, progress, n_jobs
        As in `reliability`.
    level : float
        The nominal level of all tests.
    repetitions : int
        Tables for each setting; the standard error is at most 1/(2 sqrt(repetitions)).
    ceiling : bool
        Whether the classical test of the true tables is added.

    Returns
    -------
    PowerStudy
        With `.to_frame()` and `.plot()`. Where the statistic is "projected" and the noise Gaussian, the noncentral formula
        stands beside the simulation.

    Examples
    --------
    >>> from discreet import GaussianDP, lab
    >>> design = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000, effect=0.1)
    >>> study = lab.power(design, GaussianDP(0.5), n=[500, 2000], statistic="projected", repetitions=1000)
    >>> [(row.n, row.method, round(row.power, 2)) for row in study.rows if row.method.endswith("formula")]
    [(500, 'projected, by formula', 0.58), (2000, 'projected, by formula', 0.99)]
    """
    if not isinstance(design, Design):
        raise InvalidInput(f"a study needs a design, such as lab.independence_design(...), not {design!r}")
    level, repetitions = probability_level(level), whole_number("repetitions", repetitions)
    protections = [protect(one) for one in _each(noise)]
    amount_name = _amount_name(protections)
    chosen = find_methods(methods, statistic)
    if ceiling and not any(isinstance(method, NonPrivate) for method in chosen):
        chosen = (*chosen, NonPrivate(statistic if statistic == "lr" else "chi2", label=CEILING))
    settings = [
        (sized if effect is None else sized.with_effect(effect), protection)
        for protection in protections
        for sized in ([design] if n is None else [design.with_n(k) for k in _each(n)])
        for effect in ([None] if effects is None else _each(effects))
    ]
    if not settings:
        raise InvalidInput("give at least one n, one effect and one guarantee")
    rows: list[PowerRow] = []
    for k, (one, protection) in enumerate(settings):
        told = shared_progress(progress, k * repetitions, len(settings) * repetitions)
        rows += _formula_rows(one, protection, statistic, level)
        rows += _rows(one, protection, chosen, level, repetitions, seed, store, told, n_jobs)
    order = {name: i for i, name in enumerate([*(m.name for m in chosen if m.name != CEILING), FORMULA, CEILING])}
    rows.sort(key=lambda row: order[row.method])
    laws = " and ".join(dict.fromkeys(type(protection.law).__name__ for protection in protections))
    words = (
        f"{' x '.join(map(str, design.shape))} cells; {laws} noise\n"
        f"level {level:g}; {repetitions:,} tables a point, seed {seed}; bars: 95 % binomial intervals"
    )
    return PowerStudy(f"Power of tests: {design.test_name}", words, tuple(rows), level, amount_name, design.effect_name)


def _rows(
    design: Design,
    protection: Protection,
    methods: tuple[Method, ...],
    level: float,
    repetitions: int,
    seed: int,
    store: Store,
    progress: Progress | None,
    n_jobs: int | None,
) -> list[PowerRow]:
    task = TableTask(design, protection, methods, level=level)
    found = pvalues_of(task, repetitions, seed=seed, store=store, progress=progress, n_jobs=n_jobs)
    rows = []
    for name, pvalues in found.items():
        k = int((pvalues <= level).sum())
        low, high = clopper_pearson(k, repetitions)
        rows.append(
            PowerRow(
                *_setting(design, protection),
                name,
                k / repetitions,
                low,
                high,
                binomial_error(k, repetitions),
                repetitions,
                float(np.isnan(pvalues).mean()),
            )
        )
    return rows


def _formula_rows(design: Design, protection: Protection, statistic: str, level: float) -> list[PowerRow]:
    if statistic != "projected":
        return []
    try:
        value = projected_power(design, protection, level)
    except NotAvailable:
        return []
    return [PowerRow(*_setting(design, protection), FORMULA, value, value, value, 0.0, 0, 0.0)]


def _setting(design: Design, protection: Protection) -> tuple[int, float, str, float]:
    return design.n, float(f"{design.effect:.12g}"), protection.label, protection.amount


def _amount_name(protections: list[Protection]) -> str:
    """What all the amounts are; one kind of guarantee, or one kind of law."""
    kinds = {type(p.law if p.guarantee is None else p.guarantee) for p in protections}
    if len(kinds) != 1:
        raise InvalidInput(
            "a power study compares guarantees of one kind, or laws of one kind, not "
            + ", ".join(sorted(kind.__name__ for kind in kinds))
        )
    (kind,) = kinds
    names = {"PureDP": "epsilon", "ApproxDP": "epsilon", "GaussianDP": "mu", "ZeroConcentratedDP": "rho"}
    return names.get(kind.__name__, "scale")


def _each(values: Any) -> list[Any]:
    return list(values) if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else [values]
