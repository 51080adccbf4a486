"""The smallest effects of a dry run: the simulated power there, the noncentral formula, the classical test, and dashes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from discreet import GaussianDP, Ledger, PureDP, Schema, lab
from discreet.lab.designs.protection import protect
from discreet.lab.power_formula import projected_power
from discreet.noise import Laplace
from discreet.runs import RunPlan, price_plan, read_plan, run_plan

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORDS = 1841

Write = Callable[..., RunPlan]

FIT = """
[[test]]
name = "fit"
test = "goodness-of-fit"
release = "smoking"
theta = [[0.5, 0.3], [0.15, 0.05]]
"""
TEST = """
[[test]]
name = "pressure"
test = "independence"
release = "smoking"
statistic = "{}"
"""
PENGUINS = """
name = "penguins"
[source]
path = "penguins.csv"
schema = "penguins.toml"
[budget]
ledger = "czech.ledger"
[[release]]
name = "islands"
verb = "table"
columns = ["island", "species"]
epsilon = 1
[[test]]
name = "islands"
test = "homogeneity"
release = "islands"
"""


def _effect(plan: RunPlan, name: str = "pressure") -> float:
    effect = price_plan(plan).smallest_effects[name]
    assert effect.value is not None
    assert effect.why_not == ""
    return effect.value


def _is_four_fifths(study: lab.PowerStudy) -> bool:
    """Within 4.9 binomial deviations of 4,000 tables (1e-6), plus .01: the effect is a limit, rounded by simulation."""
    (power,) = [row.power for row in study.rows if row.repetitions]
    return abs(power - 0.8) < 4.9 * np.sqrt(0.8 * 0.2 / 4000) + 0.01


def test_the_simulated_power_is_what_was_said(plan: Write) -> None:
    """Laplace noise of scale 2/epsilon, the release's."""
    design = lab.independence_design([0.5, 0.5], [0.5, 0.5], RECORDS, effect=_effect(plan("SMOKING", "TEST")))
    assert _is_four_fifths(lab.power(design, Laplace(4.0), repetitions=4000, ceiling=False))


@pytest.mark.parametrize("statistic", ["chi2", "projected"])
def test_strong_noise_on_uneven_cells(plan: Write, statistic: str) -> None:
    """Where the two statistics differ, and the noise is no longer normal in effect."""
    read = plan(_smoking(0.1), FIT + f'statistic = "{statistic}"\n')
    design = lab.fit_design([0.5, 0.3, 0.15, 0.05], RECORDS, effect=_effect(read, "fit"))
    assert _is_four_fifths(lab.power(design, Laplace(20.0), statistic=statistic, repetitions=4000, ceiling=False))


def _smoking(epsilon: float) -> str:
    return f'[[release]]\nname = "smoking"\nverb = "table"\ncolumns = ["smoking", "systolic"]\nepsilon = {epsilon}\n'


def test_groups_of_public_size_are_taken_as_they_are(study: Path) -> None:
    for name in ("penguins.csv", "penguins.toml"):
        shutil.copy(EXAMPLES / name, study)
    (study / "penguins.plan.toml").write_text(PENGUINS)
    plan = read_plan(study / "penguins.plan.toml")
    priced = price_plan(plan)
    effect = priced.smallest_effects["islands"]
    released = run_plan(plan).releases["islands"]
    assert released.group_sizes is not None
    design = lab.homogeneity_design([1 / 3] * 3, released.group_sizes, effect=effect.value)
    assert _is_four_fifths(lab.power(design, Laplace(released.scale), repetitions=4000, ceiling=False))
    assert price_plan(plan).smallest_effects == {}  # what is released can be tested


def test_under_gaussian_noise_it_is_the_noncentral_formula(plan: Write, study: Path) -> None:
    (study / "czech.ledger").unlink()
    Ledger.create(study / "czech.ledger", GaussianDP(1))
    release = '[[release]]\nname = "smoking"\nverb = "table"\ncolumns = ["smoking", "systolic"]\nmu = 0.2\n'
    read = plan(f"{release}mechanism = 'gaussian'\n", TEST.format("projected"))
    design = lab.independence_design([0.5, 0.5], [0.5, 0.5], RECORDS, effect=_effect(read))
    assert projected_power(design, protect(GaussianDP(0.2)), 0.05) == pytest.approx(0.8, abs=0.006)


def test_without_noise_it_is_that_of_the_classical_test(plan: Write, study: Path) -> None:
    """n V^2 is the noncentrality at which a chi-squared variable is above its 95 % quantile in 4 cases of 5."""
    (study / "czech.ledger").unlink()
    Ledger.create(study / "czech.ledger", PureDP(500))
    effects = [_effect(plan(_smoking(400), TEST.format(name))) for name in ("chi2", "lr", "projected")]
    critical = stats.chi2.isf(0.05, 1)
    noncentrality = optimize.brentq(lambda x: stats.ncx2.sf(critical, 1, x) - 0.8, 1, 20)
    assert effects == pytest.approx([np.sqrt(noncentrality / RECORDS)] * 3, rel=0.01)


def test_it_knows_no_record(plan: Write, study: Path) -> None:
    """Other records of the same number: the same effects to the last digit."""
    read = plan("SMOKING", "TEST", FIT)
    before = price_plan(read).smallest_effects
    lines = (study / "czech.csv").read_text().splitlines()
    (study / "czech.csv").write_text("\n".join([lines[0], *[lines[1]] * (len(lines) - 1)]) + "\n")
    assert price_plan(read).smallest_effects == before


def test_where_there_is_none(plan: Write, study: Path) -> None:
    minp = price_plan(plan("SMOKING", TEST.format("minp"))).smallest_effects["pressure"]
    assert (minp.value, minp.why_not) == (None, "there is no formula for the statistic 'minp'")
    weak = price_plan(plan(_smoking(0.002), "TEST")).smallest_effects["pressure"]
    assert (weak.value, weak.why_not) == (None, "not even the largest possible effect is found")
    declared = Schema.from_toml(study / "czech.toml").to_dict()
    (study / "czech.toml").unlink()
    Schema.from_dict({**declared, "adjacency": "add-remove"}).to_toml(study / "czech.toml")
    hidden = price_plan(plan("SMOKING", "TEST")).smallest_effects["pressure"]
    assert (hidden.value, hidden.why_not) == (None, "the number of records is not public")
