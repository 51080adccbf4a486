"""Means and moments from records: which are refused and why, what the gate is asked for, and what comes out."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from discreet import Bounded, Curator, GaussianDP, PureDP, Schema, ZeroConcentratedDP
from discreet.curator import gate
from discreet.curator.releasing.idealised import draw_covariance
from discreet.curator.releasing.moments import centred_products, plan_mean, plan_moments
from discreet.curator.releasing.plan import PublicSize
from discreet.curator.source.moments import Moments
from discreet.errors import DiscreetError, InvalidInput, NoCost, NotAvailable, ReleaseFailed
from discreet.mechanisms import ED, EntrywiseGaussian, Gaussian, Laplace
from discreet.release import MeanRelease, MomentsRelease

X, Y = Bounded(0, 10, step=0.5), Bounded(-1, 1, step=0.01)
SCHEMA = Schema({"x": X, "y": Y, "c": ["u", "v"]})
GROUPED = Schema({"g": ["a", "b"], "x": X, "y": Y}, fixed="g")


def frame(n, seed=1, groups="ab"):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"g": [groups[i % len(groups)] for i in range(n)], "x": rng.uniform(0, 10, n), "y": rng.uniform(-1, 1, n)}
    )


def curator(records, schema=GROUPED, budget=None):
    return Curator(records, schema, budget=budget or PureDP(100))


class FakeRecords:
    """Records that are nothing but their exact sums."""

    def __init__(self, *groups):
        self.groups = [
            np.array(codes, dtype=object).reshape(len(codes), len(codes[0]) if codes else 1) for codes in groups
        ]

    def sums(self, columns, *, products):
        found = []
        for codes in self.groups:
            sums = tuple(int(s) for s in codes.sum(0)) if len(codes) else (0,) * len(columns)
            square = codes.T @ codes if len(codes) else np.zeros((len(columns),) * 2, int)
            q = tuple(tuple(int(x) for x in row) for row in square) if products else ()
            found.append(Moments(len(codes), sums, q))
        return found


def test_means_and_moments_are_near_the_truth_under_little_noise():
    records = frame(1000)
    with curator(records, budget=PureDP(500)) as c:
        mean, moments = c.mean(["y", "x"], PureDP(100)), c.moments(["x", "y"], PureDP(400))
    assert isinstance(mean, MeanRelease)
    assert isinstance(moments, MomentsRelease)
    by = records.groupby("g")[["y", "x"]]
    step = np.array([0.01, 0.5])
    off = abs(mean.values - by.mean().to_numpy())
    assert (off <= step / 2 + 40 * mean.sd).all()  # |noise| > 40 sd has probability e^-56
    assert mean.labels == ("a", "b")
    assert mean.undeclared is None
    for part, (_, group) in zip(moments.parts, records.groupby("g")[["x", "y"]], strict=True):
        true = np.cov(((group - [5, 0]) / [5, 1]).to_numpy().T)
        scale = np.array(part.covariance_noise.scales)
        assert (abs(part.covariance - true) <= 60 * scale.sum() + 0.02).all()


def test_the_laws_that_are_stated_are_those_of_the_mechanisms():
    with curator(frame(60)) as c:
        mean = c.mean(["x", "y"], PureDP(2))
        moments = c.moments(["x", "y"], PureDP(2))
    np.testing.assert_allclose(mean.noise.scale, [[10 / 30, 2 / 30]] * 2, rtol=1e-12)  # range d/(n epsilon)
    mean_part = moments.parts[0].mean_noise
    assert mean_part.scale == pytest.approx(2 * 2 / (30 * 1), rel=1e-12)  # half of epsilon for the means
    entry = 4 * 3 / 30  # J J D/eps on C, 4/(J J n) on [-1, 1]
    assert moments.parts[0].covariance_noise.scales[0][0] == pytest.approx(entry, rel=1e-9)
    assert mean.n == moments.n == 60
    assert mean.group_sizes == (30, 30, 0)


@pytest.mark.parametrize(("verb", "least"), [("mean", 1), ("moments", 2)])
def test_too_few_records_are_refused_before_the_charge(verb, least):
    rest = Schema({"x": X, "y": Y})
    for n in range(4):
        records = frame(n).drop(columns="g").astype(float)
        with curator(records, rest) as c:
            if n < least:
                with pytest.raises(InvalidInput, match=f"there are {n} records; a group needs at least {least}"):
                    getattr(c, verb)(["x", "y"], PureDP(1))
                assert c.ledger.entries() == ()
            else:
                release = getattr(c, verb)(["x", "y"], PureDP(1))
                values = release.values if verb == "mean" else release.covariances
                assert np.isfinite(values).all()


def test_an_empty_group_is_refused_before_the_charge():
    with curator(frame(10, groups="a")) as c:
        for verb in ("mean", "moments"):
            with pytest.raises(InvalidInput, match=r"the group 'b' of 'g' has 0 records; a group needs at least"):
                getattr(c, verb)("x", PureDP(1))
            with pytest.raises(InvalidInput, match="group 'b'"):
                c.price(verb, "x", PureDP(1))
        assert c.ledger.entries() == ()


@pytest.mark.parametrize("strays", [0, 1, 2, 5])
def test_records_of_undeclared_labels_get_noise_and_are_no_part_of_the_groups(strays):
    records = pd.concat([frame(20), frame(strays, 2).assign(g="z")]) if strays else frame(20)
    with curator(records) as c:
        mean, moments = c.mean("x", PureDP(1)), c.moments(["x", "y"], PureDP(1))
        idealised = c.moments(["x", "y"], PureDP(1), ED())
    assert mean.group_sizes == moments.group_sizes == (10, 10, strays)
    assert len(mean.drawn) == 3
    assert (mean.undeclared is None) == (strays == 0)
    assert len(moments.covariance.drawn) == 9
    assert [part.label for part in moments.parts] == [part.label for part in idealised.parts] == ["a", "b"]
    assert len(idealised.covariance.matrices) == 3


def test_more_columns_than_records_still_have_a_covariance():
    columns = {f"c{i}": Bounded(0, 1) for i in range(12)}
    records = pd.DataFrame(np.random.default_rng(3).uniform(size=(4, 12)), columns=list(columns))
    with curator(records, Schema(columns)) as c:
        for mechanism in (None, ED()):
            (part,) = c.moments(list(columns), PureDP(1), mechanism).parts
            assert np.isfinite(part.covariance).all()
            assert np.linalg.eigvalsh(part.covariance).min() > -1e-9 * abs(part.covariance).max()


@pytest.mark.parametrize("mechanism", [None, ED()])
def test_a_constant_column_and_values_of_any_kind_are_answered(mechanism):
    hostile = [None, float("nan"), math.inf, -math.inf, 1e300, -5.0, 3.25, 10.0]
    records = pd.DataFrame({"g": list("abababab"), "x": hostile, "y": [0.5] * 8})
    with curator(records) as c:
        assert np.isfinite(c.mean(["x", "y"], PureDP(1)).values).all()
        moments = c.moments(["x", "y"], PureDP(1), mechanism)
    assert np.isfinite(moments.covariances).all()
    assert np.isfinite(moments.correlations).all()


@pytest.mark.parametrize("verb", ["mean", "moments"])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("g", PureDP(1)), InvalidInput, "categorical; this needs a numeric column"),
        (("z", PureDP(1)), InvalidInput, "unknown column 'z'"),
        (((), PureDP(1)), InvalidInput, "at least one numeric column"),
        ((("x", "x"), PureDP(1)), InvalidInput, "named once"),
        (((["x"], "y"), PureDP(1)), InvalidInput, "unknown column"),
        (("x", PureDP(1), Gaussian()), DiscreetError, "Gaussian|mechanism must be one for moments"),
        (("x", PureDP(1), "laplace"), InvalidInput, "mechanism must be one for"),
        (("x", PureDP(1), ED), DiscreetError, "mechanism"),
        (("x", GaussianDP(1)), NoCost, "no valid cost"),
        (("x", 1.0), DiscreetError, "a guarantee is"),
        ((7, PureDP(1)), InvalidInput, "a name or a list of names"),
        (("x",), InvalidInput, "takes other arguments"),
        (("x", PureDP(101)), DiscreetError, "requested epsilon = 101"),
    ],
)
def test_what_cannot_be_released_charges_nothing(verb, arguments, error, message):
    with curator(frame(10)) as c:
        with pytest.raises(error, match=message) as refused:
            c.price(verb, *arguments) if len(arguments) < 2 else getattr(c, verb)(*arguments)
        assert "\n" not in str(refused.value)
        assert c.ledger.entries() == ()


@pytest.mark.parametrize("verb", ["mean", "moments"])
def test_add_remove_is_refused_with_the_reason(verb):
    with curator(frame(10)[["x"]], Schema({"x": X}, adjacency="add-remove")) as c:
        with pytest.raises(NotAvailable, match="divide by n, which is not public"):
            getattr(c, verb)("x", PureDP(1))
        assert c.ledger.entries() == ()


def test_sums_that_do_not_fit_are_refused_before_the_charge():
    schema = Schema({"x": Bounded(0, 2**30, step=1)})
    plan = plan_mean(schema, PublicSize(2**30), "epsilon", "x", PureDP(1))  # n J = 2^60
    assert plan.cost.amount == 1
    for planner, n in ((plan_mean, 2**34), (plan_moments, 2**20)):
        with pytest.raises(InvalidInput, match=r"'x'.*(2\^63|between 2)") as refused:
            planner(schema, PublicSize(n), "epsilon", "x", PureDP(1))
        assert "coarser step=" in str(refused.value)


def test_records_that_changed_since_they_were_counted_fail_after_the_charge_without_a_word():
    records = FakeRecords([[1], [2]])
    plan = plan_mean(Schema({"x": X}), PublicSize(3), "epsilon", "x", PureDP(1))
    with pytest.raises(DiscreetError, match="changed since"):
        plan.make(records)


def test_a_failure_after_the_charge_is_constant(monkeypatch):
    with curator(frame(10)) as c:
        monkeypatch.setattr(gate, "draw_noise", lambda *_, **__: 1 / 0)
        with pytest.raises(ReleaseFailed) as failed:
            c.mean("x", PureDP(1))
        assert failed.value.__cause__ is failed.value.__context__ is None
        assert len(c.ledger.entries()) == 1


def test_a_repeated_request_returns_the_stored_release():
    with curator(frame(40)) as c:
        for verb, mechanism in (("mean", None), ("moments", None), ("moments", ED())):
            identity = f"{verb} {mechanism}"
            first = getattr(c, verb)(["x", "y"], PureDP(1), mechanism, request_id=identity)
            spent = c.ledger.remaining
            assert getattr(c, verb)(["x", "y"], PureDP(1), mechanism, request_id=identity) == first
            assert c.ledger.remaining == spent
            with pytest.raises(DiscreetError, match="belongs to another request"):
                getattr(c, verb)(["y", "x"], PureDP(1), mechanism, request_id=identity)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 999])
def test_centred_products_are_the_rounded_scatter(n):
    """Against the definition, summed over deviations from the mean in exact fractions."""
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 2**31, (n, 3)).tolist()
    (group,) = FakeRecords(codes).sums(("a", "b", "c"), products=True)
    found = centred_products(group)
    assert all(type(x) is int for x in found)
    if n < 2:
        assert found == (0,) * 6
        return
    means = [Fraction(sum(row[i] for row in codes), n) for i in range(3)]
    places = [(a, b) for a in range(3) for b in range(a, 3)]
    for entry, (a, b) in zip(found, places, strict=True):
        scatter = sum((row[a] - means[a]) * (row[b] - means[b]) for row in codes)
        assert abs(entry - scatter * n / (n - 1)) <= Fraction(1, 2)


def test_the_public_bound_on_an_entry_holds_and_is_reached(monkeypatch):
    """|C| is largest where half of the records lie at each end of every column."""
    asked = []
    original = gate.draw_noise
    monkeypatch.setattr(
        gate, "draw_noise", lambda exact, **public: asked.append((exact, public)) or original(exact, **public)
    )
    schema = Schema({"x": Bounded(0, 1, step=0.1), "y": Bounded(0, 1, step=0.01)})
    for n in (2, 3, 10, 11):
        asked.clear()
        codes = [(0, 100), (10, 0)] * (n // 2) + [(0, 0)] * (n % 2)
        plan_moments(schema, PublicSize(n), "epsilon", ["x", "y"], PureDP(1)).make(FakeRecords(codes))
        entries = [(x, public["cap"]) for exact, public in asked if public["signed"] for x in exact]
        assert len(entries) == 3
        assert all(abs(x) <= cap for x, cap in entries)
        if n % 2 == 0:
            assert all(abs(x) >= cap - 1 for x, cap in entries)


def test_the_price_says_how_accurate_and_where_ed_would_be_better():
    columns = {f"c{i}": Bounded(0, 2) for i in range(10)}
    few, many = PublicSize(1000), PublicSize(100_000)
    plan = plan_moments(Schema(columns), few, "epsilon", list(columns), PureDP(0.5))
    assert plan.mechanism == "EntrywiseLaplace"
    assert "ED() has a smaller expected error" in plan.notes[0]
    assert plan.accuracy["noise_sd of c0"] == pytest.approx(math.sqrt(2) * 2 * 10 / (1000 * 0.25))
    # At epsilon_c = .25, d = 10, n = 1000 and correlation 1/2: 8.78 entrywise, 2.48 by ED, each in a study made elsewhere.
    assert plan.accuracy["covariance_error"] == pytest.approx(8.78, rel=0.05)
    ed = plan_moments(Schema(columns), few, "epsilon", list(columns), PureDP(0.5), ED())
    assert ed.accuracy["covariance_error"] == pytest.approx(2.48, rel=0.05)
    assert ed.notes == ()
    assert plan_moments(Schema(columns), many, "epsilon", list(columns), PureDP(0.5)).notes == ()
    assert plan_moments(Schema(columns), few, "mu", list(columns), GaussianDP(0.5)).notes == ()


def test_the_default_is_never_idealised():
    for guarantee, currency in ((PureDP(0.01), "epsilon"), (GaussianDP(0.01), "mu"), (ZeroConcentratedDP(0.01), "rho")):
        plan = plan_moments(GROUPED, PublicSize(4, (2, 2, 0)), currency, ["x", "y"], guarantee)
        assert plan.mechanism.startswith("Entrywise")


def test_an_idealised_covariance_has_the_law_of_its_mechanism_and_no_fixed_seed():
    """The exact covariance goes in; released ones average to it (5 standard errors: an error probability below 1e-6)."""
    steps, n = (20, 200), 500
    codes = np.random.default_rng(3).integers(0, [21, 201], (n, 2)).tolist()
    (group,) = FakeRecords(codes).sums(("x", "y"), products=True)
    mechanism = ED().for_moments(steps, n, PureDP(400)).covariance
    drawn = np.array([draw_covariance(group, steps, mechanism) for _ in range(300)])
    assert len(np.unique(drawn[:, 0])) == 300
    traces = drawn[:, 0] + drawn[:, 2]
    true = np.cov((2 * np.array(codes) / steps - 1).T)
    sd = 2 * mechanism.eigenvalue_scale / n  # of the sum of two eigenvalues' noise
    assert abs(traces.mean() - np.trace(true)) < 5 * sd / math.sqrt(300)
    assert abs(traces.std() / sd - 1) < 0.5


def test_every_coordinate_has_its_own_draw_of_the_declared_law():
    """Standardised noise of 11,250 entries and 2,250 sums: the mean of |z| and of z^2 is that of the law.

    5 standard errors each, and the noise is not seeded: fails by chance less often than once in 10^6 runs. A scale 10 %
    off would move the mean of |z| of the entries by 10 of its standard errors.
    """
    labels = [f"g{i}" for i in range(250)]
    columns = {f"c{i}": Bounded(0, 1, step=0.5**i) for i in range(9)}
    schema = Schema({"g": labels} | columns, fixed="g", complete=True)
    records = pd.DataFrame({"g": labels * 2} | dict.fromkeys(columns, [0.0] * 250 + [1.0] * 250))
    with curator(records, schema, budget=PureDP(1)) as c:
        release = c.moments(list(columns), PureDP(1))
    steps = [2**i for i in range(9)]
    places = [(a, b) for a in range(9) for b in range(a, 9)]
    sums = _standardised(release.mean.drawn, release.mean.exponents, release.mean.scales, steps)
    entries = release.covariance
    # Two records at both ends: C = (2 J_a J_b - J_a J_b)/1.
    exact = [steps[a] * steps[b] for a, b in places]
    for z in (sums, _standardised(entries.drawn, entries.exponents, entries.scales, exact)):
        assert abs(abs(z).mean() - 1) < 5 / math.sqrt(z.size)
        assert abs((z**2).mean() - 2) < 5 * math.sqrt(20 / z.size)
        assert abs(z.mean()) < 5 * math.sqrt(2 / z.size)
        rows = z.reshape(250, -1)
        correlations = np.corrcoef(rows.T) - np.eye(rows.shape[1])
        assert abs(correlations).max() < 8 / math.sqrt(250)


def _standardised(drawn, exponents, scales, exact):
    drawn = np.array(drawn, float).reshape(-1, len(exact))
    return (drawn / 2.0 ** np.array(exponents) - np.array(exact, float)) / np.array(scales)


def test_gaussian_moments_and_means_under_gaussian_and_concentrated_budgets():
    for guarantee in (GaussianDP(1), ZeroConcentratedDP(0.5)):
        with curator(frame(30), budget=guarantee) as c:
            moments = c.moments(["x", "y"], guarantee)
            assert c.ledger.remaining == 0
        assert moments.mechanism == "EntrywiseGaussian"
        assert moments.mean.mechanism == "Gaussian"
    with curator(frame(30), budget=GaussianDP(3)) as c:
        assert c.mean("x", GaussianDP(1), Laplace()).mechanism == "Laplace"
        assert c.moments("x", GaussianDP(1), EntrywiseGaussian(share=0.2)).guarantee == GaussianDP(1)
