"""The size of Laplace noise, integrated out: the tail of Q given only the direction of the noise.

Let Z be M independent Laplace draws in units of their scales, and R = |Z_1| + ... + |Z_M|. R follows the gamma law of
shape M and is independent of the direction Z/R. Along a direction w = R w_1 and the tail given the noise (`law`) is

    S(R) = P(ncx2(df, R^2 lambda) > t - R^2 kappa),      lambda = ||Pi w_1||^2,  kappa = ||K w_1||^2,

so that the tail given the direction is one integral, by parts one of positive terms, with G the gamma tail P(R > r):

    P = E S(R) = S(0) + int G(r) S'(r) dr,    S'(r) = 2 r lambda f_{df+2}(t - r^2 kappa) + 2 r kappa f_df(t - r^2 kappa),

f_k the density of ncx2(k, r^2 lambda) (its tail has the derivative f_{k+2} in the noncentrality). What two thousand
directions need is P at two numbers, and log P is smooth in both: it is tabulated and interpolated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.inference.tails.noncentral import LARGEST, noncentral_chi2_pdf

Floats = NDArray[np.float64]

TABLE_ERROR = 1e-4  # relative, of an average over the interpolated table
_TINY = 1e-300
_LENGTHS, _LOG_LENGTHS = 32, 3.5  # table: this many lengths down to e^-3.5 of the largest
_SHARES = 6  # and, where there are two parts, this many ways to share a length
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_MANY_DEGREES = 42  # from here on the Bessel function is expanded in its order
_MATTERS = 45.0  # an integrand e^-45 of its maximum adds nothing


def tail_along(t: float, df: int, draws: int, noncentrality: Floats, added: Floats | None) -> Floats:
    """P(Q >= t | direction) for directions with the given lambda and kappa (None: 0), arrays of one shape.

    Parameters
    ----------
    t, df : float, int
        Statistic, above 0, and its degrees of freedom.
    draws : int
        M, the number of independent Laplace draws.
    noncentrality, added : ndarray
        lambda and kappa at R = 1.

    Returns
    -------
    ndarray
        Of the shape of `noncentrality`, with a relative error of about 1e-4 where it is above 1e-300.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.inference.null.radial import tail_along
    >>> tail_along(9.0, 4, 12, np.array([0.0, 0.01, 1.0]), None).round(4)
    array([0.0693, 0.1655, 0.9997])
    """
    total = noncentrality if added is None else noncentrality + added
    lengths = np.log(np.maximum(total, _TINY))
    longest = float(lengths.max())
    shortest = max(float(lengths.min()), longest - 2.0 * _LOG_LENGTHS)
    length_grid = np.linspace(shortest, max(longest, shortest + 1e-6), _LENGTHS)
    shares = None if added is None else added / np.maximum(total, _TINY)
    share_grid = np.zeros(1) if shares is None else np.linspace(shares.min(), shares.max() + 1e-6, _SHARES)
    squares, share = np.exp(length_grid), np.minimum(share_grid, 1.0)[:, None]
    table = np.log(np.maximum(radial_tail(t, df, draws, squares * (1.0 - share), squares * share), _TINY))
    rows = None if shares is None else (share_grid, shares)
    return np.asarray(np.exp(_interpolate(table, (length_grid, lengths), rows)))


def radial_tail(t: float, df: int, draws: int, noncentrality: Floats, added: Floats) -> Floats:
    """The integral P for each pair of lambda and kappa, arrays of one shape; both may be 0."""
    shape = noncentrality.shape
    lam, kappa = noncentrality.reshape(-1, 1), added.reshape(-1, 1)
    wall = np.sqrt(t) / np.sqrt(np.maximum(kappa, _TINY))  # where r^2 kappa = t
    start, end = _support(t, df, draws, lam, kappa, wall)
    # r = start + (end - start) sin^2: the density of one degree of freedom is infinite at the wall.
    phase = 0.25 * np.pi * (1.0 + _NODES)
    r = start + (end - start) * np.sin(phase) ** 2
    step = (end - start) * np.sin(2.0 * phase) * (0.25 * np.pi * _WEIGHTS)
    to_wall = wall - end + (end - start) * np.cos(phase) ** 2
    x, nc = np.maximum(kappa, _TINY) * to_wall * (wall + r), np.minimum(r * r * lam, LARGEST)  # x = t - r^2 kappa
    slope = np.zeros_like(r)
    if lam.any():
        slope += 2.0 * r * lam * _density(x, df + 2, nc)
    if kappa.any():
        slope += 2.0 * r * kappa * _density(x, df, nc)
    integral = (special.gammaincc(draws, r) * slope * step).sum(-1)
    return np.asarray(np.minimum(special.chdtrc(df, t) + integral, 1.0).reshape(shape))


def _support(t: float, df: int, draws: int, lam: Floats, kappa: Floats, wall: Floats) -> tuple[Floats, Floats]:
    """Where the integrand matters, of shape (problems, 1) each, from the exponents of its two factors on a coarse grid."""
    length = np.sqrt(np.maximum(lam + kappa, _TINY))
    far = np.sqrt(t) + np.sqrt(df) + 12.0
    # Around r = sqrt(t)/length, where S rises if there is much noise, at all scales below, where it rises if not, and up
    # to the wall, where it rises if the noise is all in the fixed totals.
    zone = np.sqrt(t) + np.linspace(-1.0, 1.0, 33) * (np.sqrt(df) + 12.0)
    below = np.geomspace(1e-4, 1.0, 64)
    inside = np.sqrt(1.0 - np.minimum(np.append(0.0, np.geomspace(1e-3, 0.5 * t + 1e-2, 31)) / t, 1.0))
    last = np.minimum(far / length, 50.0 * (draws + 60.0 + t))
    grid = np.sort(np.concatenate([np.maximum(zone / length, 0.0), below * last, inside * wall], axis=-1), axis=-1)
    grid = np.minimum(grid, np.minimum(wall, last))
    y, mu, a = 0.5 * np.maximum(t - grid**2 * kappa, _TINY), 0.5 * grid**2 * lam, 0.5 * df
    w = (a + np.hypot(a, 2.0 * np.sqrt(y * mu))) / (2.0 * y)
    size = np.maximum(grid, draws)
    exponent = (w - 1.0) * y - a * np.log(w) - mu * (w - 1.0) / w + draws * np.log(size / draws) + draws - size
    matters = exponent > exponent.max(-1, keepdims=True) - _MATTERS
    first = np.maximum(np.argmax(matters, -1) - 1, 0)[:, None]
    final = np.minimum(grid.shape[-1] - np.argmax(matters[:, ::-1], -1), grid.shape[-1] - 1)[:, None]
    start = np.where(first == 0, 0.0, np.take_along_axis(grid, first, -1))
    return start, np.take_along_axis(grid, final, -1)


def _density(x: Floats, df: int, noncentrality: Floats) -> Floats:
    """The density of ncx2(df, noncentrality); by the Bessel function where the arguments are large, which is faster there.

    f(x) = 1/2 (x/nc)^(df/4 - 1/2) e^(-(sqrt x - sqrt nc)^2/2) ive(df/2 - 1, sqrt(x nc)).
    """
    u, v = np.sqrt(x), np.sqrt(noncentrality)
    if df >= _MANY_DEGREES:
        return _uniform_density(u, v, 0.5 * df - 1.0)
    large = (u * v > 30.0 + df) & (u < 20.0 * v) & (df <= 300)  # no power of u/v leaves the range of floats
    density = np.empty_like(x)
    density[~large] = noncentral_chi2_pdf(x[~large], df, noncentrality[~large])
    u, v = u[large], v[large]
    order, z = 0.5 * df - 1.0, np.minimum(u * v, 1e8)  # beyond, SciPy gives up, and ive falls like 1/sqrt
    bessel = special.ive(order, z) * np.sqrt(z / (u * v))
    density[large] = 0.5 * (u / v) ** order * np.exp(-0.5 * (u - v) ** 2) * bessel
    return density


def _uniform_density(u: Floats, v: Floats, order: float) -> Floats:
    """The density by Debye's expansion of the Bessel function of a large order (Olver 1974, section 10.7), to 1e-6.

    With r^2 = order^2 + (u v)^2 and p = order/r,

        f = 1/2 (u^2/(order + r))^order e^(order^2/(r + u v) - (u - v)^2/2) (2 pi r)^-1/2 (1 + u_1(p)/order + ...).
    """
    z = u * v
    r = np.hypot(order, z)
    p = order / r
    q = p * p
    series = 1.0 + p / order * (
        (3.0 - 5.0 * q) / 24.0
        + p / order * ((81.0 + q * (-462.0 + 385.0 * q)) / 1152.0)
        + q / order**2 * ((30375.0 + q * (-369603.0 + q * (765765.0 - 425425.0 * q))) / 414720.0)
    )
    with np.errstate(divide="ignore"):  # at u = 0 the density is 0
        exponent = order * (np.log(u * u / (order + r)) + order / (r + z)) - 0.5 * (u - v) ** 2
    return np.asarray(0.5 * np.exp(exponent) * series / np.sqrt(2.0 * np.pi * r))


def _interpolate(table: Floats, columns: tuple[Floats, Floats], rows: tuple[Floats, Floats] | None) -> Floats:
    """Cubic interpolation on even grids, constant beyond: `columns` and `rows` are pairs (grid, where)."""
    at, column_weights = _cubic(*columns)
    if rows is None:
        return np.asarray(sum(w * table[0, at + k] for k, w in enumerate(column_weights)))
    on, row_weights = _cubic(*rows)
    return np.asarray(
        sum(v * sum(w * table[on + j, at + k] for k, w in enumerate(column_weights)) for j, v in enumerate(row_weights))
    )


def _cubic(grid: Floats, where: Floats) -> tuple[NDArray[np.intp], tuple[Floats, Floats, Floats, Floats]]:
    """The first of the four grid points around each place, and Lagrange's weights of the four."""
    place = np.clip((where - grid[0]) / (grid[1] - grid[0]), 0.0, grid.size - 1.0)
    first = np.clip(np.floor(place).astype(np.intp) - 1, 0, grid.size - 4)
    s = place - first
    a, b, c, d = s, s - 1.0, s - 2.0, s - 3.0
    return first, (-b * c * d / 6.0, a * c * d / 2.0, -a * b * d / 2.0, a * b * c / 6.0)
