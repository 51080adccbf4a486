"""Released means and covariances: the same numbers in the columns' units and on [-1, 1], and always a covariance."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.noise import EigenNoise, EntrywiseNoise, Gaussian, Laplace
from discreet.privacy.guarantee import GaussianDP, PureDP
from discreet.release import MeanRelease, MomentsRelease
from discreet.release.moments.covariance_draws import EntryDraws, IdealisedDraws, triangle
from discreet.schema import Bounded, Schema

BOUNDS = {"a": Bounded(0, 10, step=0.5), "b": Bounded(-3, 3, step=0.01), "c": Bounded(1000, 1001)}
STEPS = np.array([column.steps for column in BOUNDS.values()])
HALF = np.array([5.0, 3.0, 0.5])


def records(n, seed):
    """Codes of n records, correlated."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((n, 3)) @ np.array([[0.3, 0.2, 0.0], [0.0, 0.2, 0.1], [0.0, 0.0, 0.3]]) + 0.1
    return np.rint((np.clip(normal, -1, 1) + 1) / 2 * STEPS).astype(int)


def entries(codes):
    """The upper triangle of C = (n Q - s s')/(n - 1), rounded: Python integers throughout."""
    n, q, s = len(codes), (codes.astype(object).T @ codes.astype(object)), codes.astype(object).sum(0)
    return [round((n * q[i, j] - s[i] * s[j]) / (n - 1)) for i, j in triangle(3)]


def release(*groups, exponent=0, undeclared=0, covariance=None, mechanism="Laplace"):
    """Moments of these groups of codes without any noise, as if the gate had drawn 0."""
    fixed = len(groups) > 1 or undeclared
    columns = BOUNDS | ({"g": [f"g{i}" for i in range(len(groups))]} if fixed else {})
    sizes = [len(codes) for codes in groups] + ([undeclared] if fixed else [])
    sums = [int(x) << exponent for codes in groups for x in codes.sum(0)] + [7] * (3 if fixed else 0)
    drawn = [x << exponent for codes in groups for x in entries(codes)] + [7] * (6 if fixed else 0)
    mean = MeanRelease(
        Schema(columns, fixed="g" if fixed else None),
        tuple(BOUNDS),
        tuple(sums),
        (exponent,) * 3,
        mechanism,
        tuple((3.0 * STEPS).tolist()),
        sum(sizes),
        guarantee=PureDP(1) if mechanism == "Laplace" else GaussianDP(1),
        group_sizes=tuple(sizes) if fixed else None,
    )
    scales = tuple(float(STEPS[i] * STEPS[j] + 1) for i, j in triangle(3))
    draws = EntryDraws(f"Entrywise{mechanism}", mechanism, scales, (exponent,) * 6, tuple(drawn))
    return MomentsRelease(mean, draws if covariance is None else covariance)


@pytest.mark.parametrize("exponent", [0, 11])
def test_without_noise_they_are_the_sample_moments(exponent):
    x, y = records(400, 1), records(300, 2)
    found = release(x, y, exponent=exponent, undeclared=1)
    for codes, means, covariance, correlation, part in zip(
        (x, y), found.means, found.covariances, found.correlations, found.parts, strict=True
    ):
        values = np.array([0, -3, 1000]) + codes * 2 * HALF / STEPS
        np.testing.assert_allclose(means, values.mean(0), rtol=1e-14)
        step = 2 * HALF / STEPS
        rounding = 0.5 * np.outer(step, step) / len(codes)  # C was rounded to a whole number
        assert (abs(covariance - np.cov(values.T)) <= rounding * (1 + 1e-9)).all()
        np.testing.assert_allclose(correlation, np.corrcoef(values.T), atol=1e-3)
        cube = 2 * codes / STEPS - 1
        np.testing.assert_allclose(part.mean, cube.mean(0), atol=1e-14)
        assert (abs(part.covariance - np.cov(cube.T)) <= rounding / np.outer(HALF, HALF) * (1 + 1e-9)).all()
        np.testing.assert_allclose(part.centres + part.half_widths * part.mean, means, rtol=1e-14)
        np.testing.assert_array_equal(part.half_widths, HALF)
        assert part.n == len(codes)
    assert [part.label for part in found.parts] == ["g0", "g1"]
    assert found.sizes == (400, 300)
    assert found.part("g1") is found.parts[1]
    np.testing.assert_allclose(found.standard_deviations**2, [np.diag(c) for c in found.covariances])


def test_one_group_has_no_label():
    found = release(records(50, 3))
    assert found.labels is None
    assert found.part() is found.parts[0]
    assert found.covariances.shape == found.correlations.shape == (3, 3)
    with pytest.raises(InvalidInput, match="no labels"):
        found.part("g0")
    with pytest.raises(InvalidInput, match="unknown label 'g7' of 'g'; known: 'g0', 'g1'"):
        release(records(50, 3), records(50, 4)).part("g7")


@pytest.mark.parametrize(("mechanism", "law"), [("Laplace", Laplace), ("Gaussian", Gaussian)])
def test_the_laws_on_the_cube(mechanism, law):
    """A sum's scale 3 J is 6/n on [-1, 1]; an entry's J_a J_b + 1 is 4/n (1 + 1/(J_a J_b))."""
    (part,) = release(records(200, 5), mechanism=mechanism).parts
    assert isinstance(part.mean_noise, law)
    assert part.mean_noise.scale == pytest.approx(6 / 200, rel=1e-14)
    assert isinstance(part.covariance_noise, EntrywiseNoise)
    assert part.covariance_noise.family == mechanism.lower()
    np.testing.assert_allclose(part.covariance_noise.scales, 4 / 200 * (1 + 1 / np.outer(STEPS, STEPS)), rtol=1e-14)


@settings(deadline=None, max_examples=80)
@given(drawn=st.lists(st.integers(-(2**80), 2**80), min_size=6, max_size=6), n=st.integers(2, 10**12))
def test_whatever_was_drawn_it_is_a_covariance(drawn, n):
    mean = MeanRelease(Schema(BOUNDS), tuple(BOUNDS), (5, 5, 5), (0,) * 3, "Laplace", (1.0,) * 3, n)
    found = MomentsRelease(mean, EntryDraws("EntrywiseLaplace", "Laplace", (1.0,) * 6, (0,) * 6, tuple(drawn)))
    (part,) = found.parts
    largest = abs(part.covariance).max()
    np.testing.assert_array_equal(part.covariance, part.covariance.T)
    assert np.linalg.eigvalsh(part.covariance).min() >= -1e-12 * largest
    for numbers in (found.covariances, found.standard_deviations, found.correlations):
        assert np.isfinite(numbers).all()
    assert abs(found.correlations).max() <= 1
    np.testing.assert_array_equal(np.diag(found.correlations), 1.0)


def test_a_variance_that_was_released_as_0_has_correlation_0():
    mean = MeanRelease(Schema(BOUNDS), tuple(BOUNDS), (5, 5, 5), (0,) * 3, "Laplace", (1.0,) * 3, 10)
    draws = EntryDraws("EntrywiseLaplace", "Laplace", (1.0,) * 6, (0,) * 6, (-9, 0, 0, 100, 0, 100))
    found = MomentsRelease(mean, draws)
    assert found.covariances[0].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(found.correlations, np.eye(3))


def test_an_idealised_covariance_says_so():
    matrix = (0.3, 0.1, 0.0, 0.2, 0.05, 0.4)
    found = release(records(20, 6), covariance=IdealisedDraws(8.0, 0.25, (matrix,)))
    assert found.idealised
    assert "covariances by ED (idealised)" in repr(found)
    np.testing.assert_allclose(found.parts[0].covariance[np.triu_indices(3)], matrix, atol=1e-15)
    assert found.parts[0].covariance_noise == EigenNoise(8.0 / 20, 0.25 * 20)
    assert not release(records(20, 6)).idealised


@pytest.mark.parametrize("n", [0, 1])
def test_a_group_needs_two_records(n):
    mean = {"column_names": ("x",), "drawn": (1,), "exponents": (0,), "mechanism": "Laplace", "scales": (1.0,)}
    draws = EntryDraws("EntrywiseLaplace", "Laplace", (1.0,), (0,), (1,))
    with pytest.raises(InvalidInput, match=f"{n} records; a group needs at least"):
        MomentsRelease(MeanRelease(Schema({"x": Bounded(0, 1)}), n=n, **mean), draws)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (EntryDraws("E", "Laplace", (1.0,) * 6, (0,) * 6, (1,) * 5), "5 drawn numbers"),
        (EntryDraws("E", "Laplace", (1.0,) * 3, (0,) * 3, (1,) * 3), "drawn numbers|grid exponents"),
        (IdealisedDraws(1.0, 1.0, ()), "1 groups of 3 columns need 1 covariances of 6 numbers"),
        (IdealisedDraws(1.0, 1.0, ((1.0,) * 5,)), "1 groups of 3 columns"),
        (IdealisedDraws(1.0, 1.0, ((float("nan"),) * 6,)), "are finite"),
        (IdealisedDraws(1.0, 1.0, ((1e300,) * 6,)), "are finite"),
    ],
)
def test_parts_that_do_not_fit_are_refused(covariance, message):
    with pytest.raises(InvalidInput, match=message):
        release(records(20, 6), covariance=covariance)


def test_unknown_noise_of_a_covariance_is_refused():
    with pytest.raises(InvalidInput, match="unknown law 'ED'"):
        EntryDraws("ED", "ED", (1.0,), (0,), (1,))
    with pytest.raises(InvalidInput, match="above 0"):
        IdealisedDraws(0.0, 1.0, ((1.0,),))


def test_a_release_is_a_value():
    one, other = release(records(20, 6)), release(records(20, 6))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_frames_have_a_row_for_each_mean_and_each_pair():
    found = release(records(40, 1), records(30, 2))
    frame = found.to_frame("polars")
    assert frame["standard_deviation"].to_list() == found.standard_deviations.ravel().tolist()
    pairs = found.covariance_frame("polars")
    assert pairs.columns == ["group", "first", "second", "covariance", "correlation"]
    assert len(pairs) == 12
    for row in pairs.iter_rows(named=True):
        group, (i, j) = int(row["group"][1]), (list(BOUNDS).index(row[side]) for side in ("first", "second"))
        assert row["covariance"] == found.covariances[group, i, j]
        assert row["correlation"] == found.correlations[group, i, j]
    assert "group" not in release(records(40, 1)).covariance_frame("polars").columns
