"""What samples are refused, and why: all of it from public numbers."""

import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms import Exponential, KolmogorovDistance, MeanDistance, SeriesDistance, SmoothedHistogram
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

ALL = [Exponential(), Exponential(MeanDistance()), Exponential(SeriesDistance(2)), SmoothedHistogram()]
NAMES = ["Kolmogorov", "mean", "series", "smoothed"]


def reached(specification, size=1, **change):
    given = {"steps": 20, "n": 50, "guarantee": PureDP(1)} | change
    return specification.for_sample(size, **given)


@pytest.mark.parametrize("specification", ALL, ids=NAMES)
def test_refusals_that_all_share(specification):
    with pytest.raises(
        NotAvailable, match="divide by n, the number of records, which is not public under adjacency='add-"
    ):
        reached(specification, n=None, adjacency="add-remove")
    for guarantee in (GaussianDP(1), ApproxDP(1, 1e-6), ZeroConcentratedDP(1)):
        with pytest.raises(NotAvailable, match="promises pure epsilon"):
            reached(specification, guarantee=guarantee)
    with pytest.raises(InvalidInput, match="a guarantee is needed"):
        reached(specification, guarantee=0.5)
    for size in (0, -1, 1.0, True, 10**6 + 1):
        with pytest.raises(
            InvalidInput, match=r"size, the number of points to release, must be .* from 1 to 1,000,000"
        ):
            reached(specification, size)
    with pytest.raises(InvalidInput, match="needs at least one record"):
        reached(specification, n=0)


@pytest.mark.parametrize("specification", ALL, ids=NAMES)
@pytest.mark.parametrize("currency", ["epsilon", "mu", "rho", "approx"])
def test_every_budget_is_charged(specification, currency):
    cost = reached(specification).cost(currency)
    expected = {"epsilon": 1.0, "approx": 1.0, "mu": 1.2320353853, "rho": 0.125}[currency]
    if currency == "rho" and isinstance(specification, SmoothedHistogram):
        expected = 0.4621171573
    assert (cost.currency, cost.delta) == (currency, 0.0)
    assert cost.amount == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("specification", "size", "change", "kind", "message"),
    [
        (Exponential(), 1001, {}, InvalidInput, "exactly, in integers, for at most 1,000 points, not 1,001"),
        (Exponential(), 5, {"steps": 2**20 + 1}, NotAvailable, "declare a coarser step"),
        (Exponential(MeanDistance()), 2, {}, InvalidInput, "a sample near the mean has size 1, not 2"),
        (Exponential(MeanDistance()), 1, {"steps": 2**17 + 1}, NotAvailable, "declare a coarser step"),
        (Exponential(SeriesDistance(2)), None, {}, InvalidInput, "needs a size"),
        (
            Exponential(SeriesDistance(2)),
            9,
            {},
            NotAvailable,
            r"9 of 21 grid points make 10,015,005.*would not be epsilon-DP",
        ),
        (Exponential(SeriesDistance(2)), 999, {}, NotAvailable, r"more than 10\^15"),
        (Exponential(SeriesDistance(0)), 2, {}, InvalidInput, "terms must be a whole number of at least 1"),
        (Exponential(SeriesDistance(21)), 2, {}, InvalidInput, "at most 20 cosines"),
        (Exponential(), 2, {"guarantee": PureDP(1e-13)}, InvalidInput, "at least 1e-12"),
    ],
)
def test_refusals_of_one(specification, size, change, kind, message):
    with pytest.raises(kind, match=message):
        reached(specification, size, **change).weights  # noqa: B018


def test_a_distance_is_an_object():
    assert Exponential() == Exponential(KolmogorovDistance())
    with pytest.raises(InvalidInput, match=r"distance must be one such as KolmogorovDistance\(\), not 'ks'"):
        Exponential("ks")
