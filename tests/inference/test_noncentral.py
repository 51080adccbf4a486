import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy import special, stats

from discreet.errors import InvalidInput
from discreet.inference.tails import poisson_sums
from discreet.inference.tails.noncentral import noncentral_chi2_pdf, noncentral_chi2_sf

# (x, df, noncentrality, P(X > x)) by the Poisson mixture in 50 digits, its gamma tails by continued fraction and series.
FIFTY_DIGITS = [
    (50.0, 2, 100.0, 0.9985970637197818),
    (50.0, 4, 0.5, 2.95508588720445e-9),
    (1300.0, 2, 0.25, 2.921344732942755e-276),
    (1420.0, 2, 0.4, 6.86010037093349e-300),
    (600.0, 100, 0.001, 2.42491194292026e-72),
    (30.0, 16, 64.0, 0.9998714174026916),
    (31000.0, 3, 20000.0, 3.106171557911002e-263),
    (10000.0, 9801, 700.0, 0.9996594754408456),
    (1e7, 1, 1e7, 0.5),
    (1e7, 2, 9.99e6, 0.05689602765021839),
    (1e7, 3, 1e7, 0.500126156626101),
    (1e7, 5, 9.78e6, 2.4415703488663e-268),
    (1e7, 100_000, 9.7e6, 4.28024840191414e-223),
    (9.97e6, 288, 1e7, 0.9999991759782664),
    (23418.36633251726, 17041, 0.04351374318591219, 3.9015448745966684e-211),
    (0.001, 2, 30.0, 0.999999999846513),
    (1e-6, 3, 5.0, 0.9999999999781685),
]


@pytest.mark.parametrize(("x", "df", "noncentrality", "expected"), FIFTY_DIGITS)
def test_tail_has_the_digits_of_a_fifty_digit_evaluation(x, df, noncentrality, expected):
    assert noncentral_chi2_sf(x, df, noncentrality) == pytest.approx(expected, rel=2e-12, abs=0)


def mixture(x, df, noncentrality):
    """P(X > x) term by term in 40 digits, from Q(1/2) or Q(1) upwards."""
    with mp.workdps(40):
        y, mu = mp.mpf(x) / 2, mp.mpf(noncentrality) / 2
        c = mp.mpf(1) if df % 2 == 0 else mp.mpf(1) / 2
        q = mp.exp(-y) if df % 2 == 0 else mp.erfc(mp.sqrt(y))
        g = mp.exp(-y) * y**c / mp.gamma(c + 1)
        p, total, j = mp.exp(-mu), mp.mpf(0), 0
        while True:
            if 2 * c >= df:
                total += p * q
                j += 1
                p *= mu / j
                if j > mu and j > mp.sqrt(mu * y) and p * 2 < total * mp.mpf(10) ** -20:
                    return float(total)
            q += g
            c += 1
            g *= y / c


@pytest.mark.parametrize("df", [1, 2, 3, 4, 9, 16, 25, 120])
def test_tail_agrees_with_mpmath_down_to_1e_280(df):
    noncentrality = np.array([1e-8, 0.3, 4.0, 60.0, 350.0])
    for x in (0.01, 1.0, 7.0, 40.0, 300.0, 1250.0):
        expected = np.array([mixture(x, df, v) for v in noncentrality])
        if x == 1250.0 and df < 10:
            assert 0 < expected.min() < 1e-260
        np.testing.assert_allclose(noncentral_chi2_sf(x, df, noncentrality), expected, rtol=2e-12)
        np.testing.assert_allclose(noncentral_chi2_sf(np.full(5, x), df, noncentrality), expected, rtol=2e-12)


@pytest.mark.parametrize("df", [1, 2, 5, 24, 300])
def test_tail_agrees_with_scipy(df):
    rng = np.random.default_rng(7)
    noncentrality = rng.exponential(40.0, 500)
    x = (df + noncentrality) * rng.uniform(0.3, 2.5, 500)
    np.testing.assert_allclose(
        noncentral_chi2_sf(x, df, noncentrality), stats.ncx2.sf(x, df, noncentrality), rtol=1e-11
    )
    np.testing.assert_allclose(
        noncentral_chi2_pdf(x, df, noncentrality), stats.ncx2.pdf(x, df, noncentrality), rtol=1e-9
    )


@pytest.mark.parametrize("df", [2, 3, 40, 401])
@pytest.mark.parametrize("x", [3.0, 60.0, 500.0])
def test_the_three_ways_to_add_agree(df, x):
    noncentrality = np.linspace(0.01, 600.0, 301)
    a, y, mu = 0.5 * df, np.full(301, 0.5 * x), 0.5 * noncentrality
    w = (a + np.sqrt(a * a + 4 * y * mu)) / (2 * y)
    arguments = (a, y, mu, mu / np.minimum(w, 1.0))
    by_stride = poisson_sums.tail_by_stride(*arguments)
    np.testing.assert_allclose(poisson_sums.tail_by_horner(*arguments), by_stride, rtol=1e-12)
    np.testing.assert_allclose(poisson_sums.tail_at_one_x(*arguments), by_stride, rtol=1e-12)
    arguments = (a, y, mu, mu / w)
    np.testing.assert_allclose(
        poisson_sums.density_by_horner(*arguments), poisson_sums.density_by_stride(*arguments), rtol=1e-12
    )


@pytest.mark.parametrize(("x", "noncentrality"), [(3.0, 5.0), (80.0, 30.0), (2000.0, 900.0), (5e5, 4.9e5)])
def test_two_more_degrees_of_freedom_add_twice_the_density(x, noncentrality):
    for df in (1, 2, 3, 10):
        rise = noncentral_chi2_sf(x, df, noncentrality) + 2.0 * noncentral_chi2_pdf(x, df + 2, noncentrality)
        assert noncentral_chi2_sf(x, df + 2, noncentrality) == pytest.approx(rise, rel=1e-11, abs=0)


def test_central_law_is_the_incomplete_gamma_function():
    x = np.linspace(0.1, 200.0, 50)
    for df in (2, 3, 17):
        np.testing.assert_array_equal(noncentral_chi2_sf(x, df, 0.0), special.gammaincc(0.5 * df, 0.5 * x))
    np.testing.assert_allclose(noncentral_chi2_sf(x, 1, 0.0), special.erfc(np.sqrt(0.5 * x)), rtol=1e-13)


def test_incomplete_gamma_where_scipy_loses_digits():
    c, y = np.array([5e6 + 0.5, 5e6 + 0.5, 5000.0]), np.array([4988820.0, 4.9e6, 7975.0])
    expected = [0.99999971873157988, 1.0, 5.673663603155067e-281]  # by series and continued fraction in 50 digits
    np.testing.assert_allclose(poisson_sums.upper_gamma(c, y), expected, rtol=1e-12)


def test_tail_saturates_to_the_last_bit():
    root = np.linspace(0.0, 100.0, 41)
    for df in (1, 2, 8, 500):
        np.testing.assert_array_equal(noncentral_chi2_sf(root**2, df, (root + 9.0) ** 2), 1.0)
        np.testing.assert_array_equal(noncentral_chi2_sf([-np.inf, -3.0, 0.0, 1e-300], df, [[0.0], [5.0], [1e6]]), 1.0)
        np.testing.assert_array_equal(noncentral_chi2_sf([1e5, np.inf], df, [[0.0], [5.0]]), 0.0)


def test_shapes_broadcast():
    assert noncentral_chi2_sf(3.0, 2, 1.0).shape == ()
    assert noncentral_chi2_sf(np.ones((3, 1)), 2, np.ones(4)).shape == (3, 4)
    assert noncentral_chi2_sf(np.ones((0, 4)), 2, 1.0).shape == (0, 4)
    assert noncentral_chi2_pdf(np.ones((3, 1)), 2, np.ones(4)).shape == (3, 4)
    many = noncentral_chi2_sf(np.linspace(0, 50, 20_001), 4, 3.0)  # more points than one chunk
    np.testing.assert_allclose(many[::1000], noncentral_chi2_sf(np.linspace(0, 50, 21), 4, 3.0), rtol=1e-13)


@pytest.mark.parametrize(
    ("x", "df", "noncentrality", "expected"),
    [  # 1/2 e^-(x + nc)/2 (x/nc)^(df/4 - 1/2) I_{df/2-1}(sqrt(nc x)) in 50 digits
        (0.5, 1, 0.0, 0.4393912894677224),
        (3.0, 1, 2.0, 0.1103083586910185),
        (30.0, 4, 60.0, 0.001636683834251203),
        (900.0, 7, 300.0, 4.219628077211843e-37),
        (1e6, 9, 1e6, 0.0001994699433768672),
        (1e-8, 3, 4.0, 5.3990966603173e-6),
        (1200.0, 2, 3.0, 1.742829686102213e-237),
        (0.0, 1, 3.0, np.inf),
        (0.0, 2, 3.0, 0.5 * np.exp(-1.5)),
        (0.0, 3, 3.0, 0.0),
        (0.0, 3, 3e4, 0.0),
        (-1.0, 2, 3.0, 0.0),
        (np.inf, 2, 3.0, 0.0),
    ],
)
def test_density(x, df, noncentrality, expected):
    assert noncentral_chi2_pdf(x, df, noncentrality) == pytest.approx(expected, rel=1e-12, abs=0)


arguments = st.floats(-10.0, 2000.0)
noncentralities = st.floats(0.0, 2000.0)
degrees = st.integers(1, 200)
slack = 1.0 + 1e-11


@settings(deadline=None)
@given(arguments, degrees, noncentralities, st.floats(0.0, 100.0))
def test_tail_is_a_monotone_probability(x, df, noncentrality, more):
    value = noncentral_chi2_sf(x, df, noncentrality)
    assert 0.0 <= value <= 1.0
    assert noncentral_chi2_sf(x + more, df, noncentrality) <= value * slack
    assert noncentral_chi2_sf(x, df, noncentrality + more) * slack >= value
    assert noncentral_chi2_sf([x, x + more], df, noncentrality)[0] == pytest.approx(value, rel=2e-12, abs=1e-300)


@settings(deadline=None, max_examples=300)
@given(st.floats(allow_nan=False), st.integers(1, 100_000), st.floats(0.0, 1e30))
def test_no_argument_gives_nan(x, df, noncentrality):
    assert 0.0 <= noncentral_chi2_sf(x, df, noncentrality) <= 1.0
    assert noncentral_chi2_pdf(x, df, noncentrality) >= 0.0
    assert 0.0 <= noncentral_chi2_sf(noncentrality, df, noncentrality) <= 1.0
    assert noncentral_chi2_pdf(noncentrality, df, noncentrality) >= 0.0


@pytest.mark.parametrize("df", [0, -1, 1.5, True, "2", None])
def test_degrees_of_freedom_are_checked(df):
    with pytest.raises(InvalidInput, match="degrees of freedom"):
        noncentral_chi2_sf(1.0, df, 1.0)


@pytest.mark.parametrize(
    ("x", "noncentrality"), [(np.nan, 1.0), (1.0, np.nan), (1.0, -1e-9), (1.0, np.inf), (1.0, 1e31)]
)
def test_arguments_are_checked(x, noncentrality):
    for function in (noncentral_chi2_sf, noncentral_chi2_pdf):
        with pytest.raises(InvalidInput):
            function([2.0, x], 2, noncentrality)
