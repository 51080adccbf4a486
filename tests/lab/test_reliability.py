"""Reliability: our p-values uniform and the naive ones not, by methods, designs and noises; the same numbers on any workers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from discreet import GaussianDP, PureDP, independence, lab
from discreet.errors import InvalidInput, NotApplicable
from discreet.inference import Conditional
from discreet.lab.binomial import clopper_pearson, uniform_distance
from discreet.lab.methods.table_tests import table_pvalues
from discreet.noise import Gaussian, Laplace

THIRD = [1 / 3] * 3
DESIGNS = {
    "independence 2 x 2": lab.independence_design([0.5, 0.5], [0.4, 0.6], 4000),
    "independence 3 x 3": lab.independence_design(THIRD, THIRD, 8000),
    "goodness of fit": lab.fit_design([0.1, 0.2, 0.3, 0.4], 1000),
    "homogeneity": lab.homogeneity_design([0.25, 0.25, 0.5], [1600, 2800]),
}
ALPHA = 1e-6  # of each Kolmogorov-Smirnov test below: all of them together raise a false alarm with probability < 1e-4


@pytest.mark.parametrize("guarantee", [PureDP(0.1), GaussianDP(0.05)], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("name", DESIGNS)
def test_ours_is_uniform_and_the_naive_method_is_not(name, guarantee):
    study = lab.reliability(DESIGNS[name], guarantee, methods=("discreet", "naive", "output"), repetitions=1500, seed=5)
    found = {test.method: test.pvalue for test in study.uniformity()}
    assert found["discreet"] > ALPHA
    assert found["output"] > ALPHA
    assert found["naive"] < ALPHA
    naive = next(row for row in study.levels(0.05, confidence=1 - ALPHA) if row.method == "naive")
    assert naive.low > 0.05  # far too many rejections, beyond chance


@pytest.mark.parametrize(
    ("statistic", "methods"),
    [("lr", ("discreet", "monte-carlo", "output")), ("projected", ("discreet",)), ("minp", ("discreet",))],
)
@pytest.mark.parametrize("name", ["independence 2 x 2", "goodness of fit", "homogeneity"])
def test_other_statistics_are_uniform(name, statistic, methods):
    repetitions = 150 if statistic == "minp" else 600
    study = lab.reliability(
        DESIGNS[name], PureDP(0.1), methods=methods, statistic=statistic, repetitions=repetitions, seed=6
    )
    assert all(test.pvalue > ALPHA for test in study.uniformity())


@pytest.mark.parametrize("level", [0.05, None])
@pytest.mark.parametrize("name", DESIGNS)
def test_the_p_values_are_those_of_the_test_itself(name, level):
    """Table by table: closed forms to rounding, averages to three standard errors of 3 %; for power, the verdict at a level."""
    design, law, rng = DESIGNS[name], Laplace(20.0), np.random.default_rng(4)
    noises = design.noises(law)
    tables = design.draw(rng, 200) + design.noise(rng, noises, 200)
    ours = table_pvalues(design, tables, noises, "chi2", "auto", rng, level=level)
    for k in range(0, 200, 10):
        single = design.test(tables[k], noises, statistic="chi2", null=Conditional(points=32_768), rng=k)
        if level is None:
            assert ours[k] == pytest.approx(single.pvalue, rel=0.1)
        elif abs(single.pvalue - level) > 0.05 * level:
            assert (ours[k] <= level) == (single.pvalue <= level)
        if name == "independence 2 x 2":
            assert ours[k] == pytest.approx(design.test(tables[k], noises, statistic="chi2", null="auto", rng=k).pvalue)


@pytest.mark.parametrize("name", DESIGNS)
def test_far_tails_are_kept(name):
    design, law, rng = DESIGNS[name], Laplace(20.0), np.random.default_rng(4)
    noises = design.noises(law)
    far = design.with_effect(0.5 if name == "goodness of fit" else 0.12)
    tables = far.draw(rng, 300) + design.noise(rng, noises, 300)
    ours = table_pvalues(design, tables, noises, "chi2", "auto", rng, level=None)
    kept = [k for k in range(300) if 1e-12 < ours[k] < 1e-4][:8]
    assert len(kept) == 8
    for k in kept:
        single = design.test(tables[k], noises, statistic="chi2", null=Conditional(points=32_768), rng=k)
        assert ours[k] == pytest.approx(single.pvalue, rel=0.15)


def test_a_wrong_scale_is_found():
    """The bench can fail: a test that is told 30 % too little noise is found out."""

    def told_too_little(cells, noise, n, rng):
        return independence(cells, noise=Laplace(14.0), n=n).pvalue

    study = lab.reliability(
        lab.independence_design([0.5, 0.5], [0.5, 0.5], 400),
        Laplace(20.0),
        methods=(told_too_little,),
        repetitions=3000,
    )
    assert study.uniformity()[0].pvalue < ALPHA


def test_the_interval_and_the_distance():
    for k, n in ((0, 10), (3, 10), (10, 10), (517, 10_000)):
        expected = stats.binomtest(k, n).proportion_ci(0.99, "exact")
        assert clopper_pearson(k, n, 0.99) == pytest.approx((expected.low, expected.high))
    u = np.random.default_rng(2).random(500) ** 1.1
    ours, scipy = uniform_distance(u), stats.kstest(u, "uniform")
    assert ours[0] == pytest.approx(scipy.statistic)
    assert ours[1] == pytest.approx(scipy.pvalue, rel=0.05)


def options(**more):
    return {"methods": ("discreet", "naive", "monte-carlo"), "repetitions": 1200, "seed": 3} | more


def test_the_same_numbers_on_any_workers_and_after_a_stop(tmp_path):
    design, noise = lab.independence_design(THIRD, [0.4, 0.6], 500), Laplace(10.0)
    alone = lab.reliability(design, noise, **options())
    told = []
    again = lab.reliability(
        design, noise, **options(n_jobs=2, store=tmp_path, progress=lambda *done: told.append(done))
    )
    files = list(Path(tmp_path).rglob("chunk-*.parquet"))
    resumed = lab.reliability(design, noise, **options(store=tmp_path))
    for study in (again, resumed):
        assert all(np.array_equal(alone.pvalues[name], study.pvalues[name]) for name in alone.pvalues)
    assert told[-1] == (1200, 1200)
    assert len(files) == 3
    fewer = lab.reliability(design, noise, **options(methods=("discreet", "naive")))
    other = lab.reliability(design, noise, **options(seed=4))
    assert not np.array_equal(alone.pvalues["naive"], other.pvalues["naive"])
    assert set(fewer.pvalues) == {"discreet", "naive"}


ON_DASK = """
import distributed, joblib, numpy as np
from discreet import lab
from discreet.noise import Laplace

if __name__ == "__main__":
    design, noise = lab.independence_design([1 / 3] * 3, [0.4, 0.6], 500), Laplace(10.0)
    alone = lab.reliability(design, noise, repetitions=1200, seed=3)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster), joblib.parallel_config(backend="dask"):
            spread = lab.reliability(design, noise, repetitions=1200, seed=3, n_jobs=None)
    print(all(np.array_equal(alone.pvalues[name], spread.pvalues[name]) for name in alone.pvalues))
"""


@pytest.mark.slow
def test_a_dask_cluster_by_joblibs_backend(tmp_path):
    """A local cluster of two worker processes: the same numbers, through nothing but joblib's own switch.

    In a process of its own: Dask's threads would turn a warning into an error that nobody sees, and wait for ever.
    """
    script = tmp_path / "on_dask.py"
    script.write_text(ON_DASK, "utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout.strip() == "True", done.stderr


def nothing(cells, noise, n, rng):
    return float("nan")


def broken(cells, noise, n, rng):
    raise ZeroDivisionError("division by zero")


def refuses(cells, noise, n, rng):
    raise NotApplicable("never")


def picky(cells, noise, n, rng):
    if cells[0, 0] > 130:
        raise NotApplicable("too many")
    return rng.random()


def test_a_function_of_ones_own():
    design, noise = lab.independence_design([0.5, 0.5], [0.5, 0.5], 500), Laplace(4.0)

    def all_at_once(tables):
        return np.full(len(tables), 0.5)

    study = lab.reliability(design, noise, methods=(picky, all_at_once, lab.Discreet("lr")), repetitions=400)
    assert list(study.pvalues) == ["picky", "all_at_once", "discreet, lr"]
    assert 0 < study.refused["picky"] < 400
    assert study.levels(0.9)[0].rejected <= 400 - study.refused["picky"]
    seen = {}

    def look(cells, noise, n, rng):
        seen.update(cells=cells.shape, noise=noise, n=n)
        return 0.5

    lab.reliability(lab.homogeneity_design([0.5, 0.5], [30, 50]), noise, methods=(look,), repetitions=2)
    assert seen["cells"] == (2, 2)
    assert seen["n"] == (30, 50)
    assert len(seen["noise"]) == 2


SQUARE = lab.independence_design([0.5, 0.5], [0.5, 0.5], 500)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": (nothing,)}, "the study of test = independence.*method 'nothing' returned nan as the p-value"),
        ({"methods": (broken,)}, "the study of test = independence.*failed: ZeroDivisionError"),
        ({"methods": (lambda tables: np.zeros(3),)}, r"returned an array of shape \(3,\)"),
        ({"methods": (lambda a, b: 1,)}, "has 2 parameters"),
        ({"methods": ()}, "one or more methods"),
        ({"methods": ("naive", "naive")}, "different names"),
        ({"methods": ("magic",)}, "a method is one of 'discreet', 'naive'"),
        ({"methods": (3,)}, "an object or a function, not 3"),
        ({"statistic": "best"}, "statistic must be"),
        ({"repetitions": 0}, "repetitions must be a whole number of at least 1, not 0"),
        ({"seed": -1}, "seed"),
        ({"noise": 3.0}, "needs a guarantee, e.g. PureDP"),
        ({"noise": Gaussian}, "needs a guarantee, e.g. PureDP"),
        ({"design": SQUARE.with_effect(0.1)}, "the design has Cramer's V 0.1"),
        ({"design": "independence"}, "needs a design"),
        (
            {"methods": (refuses,)},
            "method 'refuses' applies to none of the simulated tables of independence 2 x 2, n = 500",
        ),
    ],
)
def test_bad_input(change, message):
    given = {"design": SQUARE, "noise": Laplace(4.0), "repetitions": 10} | change
    with pytest.raises(InvalidInput, match=message):
        lab.reliability(given.pop("design"), given.pop("noise"), **given)
