"""Tables drawn by OpenDP itself, as its users publish them: the level holds where the ordinary test's does not.

OpenDP's noise has no seed. The bounds below are six standard errors of a binomial share and .006 for the limit law, so
that each test fails by chance with a probability below 1e-8.
"""

import numpy as np
import pytest
from opendp import domains, measurements, metrics, mod
from scipy import stats

from discreet.inference import goodness_of_fit, independence, independence_many
from discreet.noise import DiscreteGaussian, DiscreteLaplace
from discreet.release import TableRelease

mod.enable_features("contrib")
VECTORS = domains.vector_domain(domains.atom_domain(T="i64"))
M = 3000


def laplace(counts: np.ndarray, scale: float) -> np.ndarray:
    """Add-remove neighbours, L1 sensitivity 1: epsilon = 1/scale."""
    add = measurements.make_laplace(VECTORS, metrics.l1_distance(T="i64"), scale=scale)
    return np.reshape(add(counts.ravel().tolist()), counts.shape)


def gaussian(counts: np.ndarray, scale: float) -> np.ndarray:
    add = measurements.make_gaussian(VECTORS, metrics.l2_distance(T=float), scale=scale)
    return np.reshape(add(counts.ravel().tolist()), counts.shape)


@pytest.mark.parametrize(
    ("draw", "law", "n"),
    [
        (laplace, DiscreteLaplace(10.0), 1000),
        (laplace, DiscreteLaplace(0.7), 400),
        (gaussian, DiscreteGaussian(14.0), 1000),
        (gaussian, DiscreteGaussian(0.8), 400),
    ],
    ids=["laplace 10", "laplace 0.7", "gaussian 14", "gaussian 0.8"],
)
def test_the_level_of_a_two_by_two_table(draw, law, n):
    rng = np.random.default_rng(1)
    counts = rng.multinomial(n, np.outer([0.4, 0.6], [0.5, 0.5]).ravel(), M).reshape(M, 2, 2)
    published = draw(counts, law.scale)
    pvalues = independence_many(published, law)
    share = (pvalues < 0.05).mean()
    assert abs(share - 0.05) < 0.006 + 6 * np.sqrt(0.05 * 0.95 / M)
    if law.scale >= 10:
        naive = np.mean([stats.chi2_contingency(t, correction=False).pvalue < 0.05 for t in np.maximum(published, 1)])
        assert naive > 0.05 + 6 * np.sqrt(0.05 * 0.95 / M)


def test_one_table_in_the_ways_a_user_has():
    """The bare array, the release of the published numbers, and the batch give one p-value."""
    published = laplace(np.array([[516, 443], [524, 358]]), 10.0)
    law = DiscreteLaplace(10.0)
    bare = independence(published, noise=law)
    release = TableRelease.from_counts(published, {"a": ["x", "y"], "b": ["u", "v"]}, noise=law)
    assert independence(release).pvalue == pytest.approx(bare.pvalue, rel=1e-9)
    assert independence_many(published[None], law) == pytest.approx([bare.pvalue], rel=1e-9)
    assert not bare.n_is_public
    assert not any("whole numbers" in warning for warning in bare.warnings)
    assert 0 <= goodness_of_fit(published.ravel(), np.full(4, 0.25), noise=law).pvalue <= 1


def test_counts_cut_off_at_zero_are_noticed_in_what_opendp_clamps():
    """40 empty cells under a scale of 10: 21 of them are at or below 0 on average, hence zeros when cut off."""
    law = DiscreteLaplace(10.0)
    counts = np.repeat([60, 0], [8, 40]).reshape(6, 8)
    signed = laplace(counts, 10.0)
    cut = np.maximum(signed, 0)
    assert any(
        "exactly 0 and none is negative" in w for w in independence(cut + np.eye(6, 8, dtype=int), noise=law).warnings
    )
    assert not any("exactly 0" in w for w in goodness_of_fit(signed.ravel(), np.full(48, 1 / 48), noise=law).warnings)
