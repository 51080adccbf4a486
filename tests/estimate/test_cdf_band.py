"""Bands for a distribution function: simultaneous coverage, for the records and for the population."""

import numpy as np
import pytest

from discreet import Bounded, GaussianDP, Schema
from discreet.errors import InvalidInput
from discreet.estimate import CdfBand, cdf_band
from discreet.mechanisms.densities.square_root import SquareRoot
from discreet.mechanisms.densities.vector import additive
from discreet.release import CdfRelease

CELLS, N, MU = 64, 400, 0.3
ROOT = SquareRoot(CELLS)
SCALE = additive(GaussianDP(MU), ROOT.sensitivity).scale


def release_of(x, rng):
    counts = np.bincount(np.minimum((x * CELLS).astype(int), CELLS - 1), minlength=CELLS)
    drawn = np.array(ROOT.sums(counts)) + np.rint(rng.normal(0, SCALE, CELLS - 1)).astype(np.int64)
    release = CdfRelease(
        schema=Schema({"x": Bounded(0, 1)}),
        column_name="x",
        drawn=drawn.tolist(),
        exponent=0,
        mechanism="Gaussian",
        scale=SCALE,
        n=len(x),
    )
    return release, np.concatenate([[0], np.cumsum(counts) / len(x)])


def test_bands_cover_the_whole_function_at_their_level():
    """600 releases. Coverage 0.9 has a standard error of 0.0122; that of the population is known to be conservative."""
    rng, edges = np.random.default_rng(1), np.arange(CELLS + 1) / CELLS
    of_records = of_population = pointwise = 0
    for _ in range(600):
        release, true = release_of(rng.random(N), rng)
        band = cdf_band(release, 0.9, simulations=199, rng=rng)
        of_records += ((band.lower <= true + 1e-12) & (true <= band.upper + 1e-12)).all()
        band = cdf_band(release, 0.9, population=True, simulations=199, rng=rng)
        of_population += ((band.lower <= edges + 1e-12) & (edges <= band.upper + 1e-12)).all()
        low, high = release.interval(0.9)
        pointwise += ((low <= N * true[1:-1]) & (N * true[1:-1] <= high)).all()
    assert abs(of_records / 600 - 0.9) < 4 * 0.0122
    assert of_population / 600 > 0.9 - 4 * 0.0122
    assert pointwise / 600 < 0.6  # the intervals of single edges do not hold at once


def test_a_band_between_its_edges():
    release, _ = release_of(np.random.default_rng(2).random(N), np.random.default_rng(3))
    band = cdf_band(release, rng=1)
    assert (np.diff(band.lower) >= 0).all()
    assert (np.diff(band.upper) >= 0).all()
    assert (band.lower <= band.estimate).all()
    assert (band.estimate <= band.upper).all()
    assert band.at(band.edges)[0].tolist() == band.lower.tolist()
    assert band.at(band.edges)[1].tolist() == band.upper.tolist()
    low, high = band.at([0.5 / CELLS, 10.5 / CELLS, -1.0, 2.0])
    assert low.tolist() == [band.lower[0], band.lower[10], 0, 1]
    assert high.tolist() == [band.upper[1], band.upper[11], 0, 1]
    assert cdf_band(release, population=True, rng=1).half_width > band.half_width
    assert "at all 63 edges at once" in repr(band)


def test_the_half_width_is_an_order_statistic_of_simulated_noise():
    release, _ = release_of(np.random.default_rng(2).random(N), np.random.default_rng(3))
    draws = np.sort(np.abs(release.noise.sample(99, np.random.default_rng(5))).max(1)) / N
    assert cdf_band(release, 0.95, simulations=99, rng=5).half_width == pytest.approx(draws[94])


def test_what_is_refused():
    release, _ = release_of(np.random.default_rng(2).random(N), np.random.default_rng(3))
    with pytest.raises(InvalidInput, match="99 can"):
        cdf_band(release, 0.99, simulations=98)
    with pytest.raises(InvalidInput, match="level"):
        cdf_band(release, 1.0)
    with pytest.raises(InvalidInput, match="distribution function"):
        cdf_band([0.1, 0.2])


def test_quantiles_of_a_band_hold_where_the_band_does():
    """Records on the grid: for each probability the true quantile lies between the bounds, in every band that holds."""
    rng, u, held = np.random.default_rng(4), np.array([0.0, 0.05, 0.3, 0.5, 0.77, 1.0]), 0
    for _ in range(200):
        x = np.round(rng.beta(2, 5, N) * 4 * CELLS) / (4 * CELLS)  # four grid points a cell
        release, true = release_of(x, rng)
        band = cdf_band(release, 0.9, simulations=99, rng=rng)
        low, high = band.quantile(u)
        assert (low <= high).all()
        if ((band.lower <= true + 1e-12) & (true <= band.upper + 1e-12)).all():
            held += 1
            quantiles = np.quantile(x, u, method="inverted_cdf")
            assert (low[1:] <= quantiles[1:]).all()
            assert (quantiles[1:] <= high[1:]).all()  # the quantile at 0 is the lower bound
    assert held > 150


def test_quantiles_of_a_band_by_hand():
    lower, upper = np.array([0, 0.1, 0.4, 0.6, 1]), np.array([0, 0.3, 0.5, 0.9, 1])
    band = CdfBand(np.arange(5.0), lower, upper, np.arange(5) / 4, 0.1, 0.9, False, "x")
    low, high = band.quantile([0.0, 0.3, 0.35, 0.4, 0.95, 1.0])
    assert low.tolist() == [0, 0, 1, 1, 3, 3]
    assert high.tolist() == [0, 2, 2, 2, 4, 4]
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        band.quantile([-0.1])
