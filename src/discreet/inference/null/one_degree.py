"""Statistics of one degree of freedom under any noise with a known moment generating function: one contour integral.

With one degree of freedom the limit law is that of a square, Q = U^2, U = N(0, 1) + sum_j a_j Z_j, where Z_j are the
independent draws of the noise and a = L'e the contrast e of the scaled table, pulled back to the draws. So

    P(Q >= t) = 2 P(U >= x),      x = sqrt t,
    P(U >= x) = 1/(2 pi i) int exp(s^2/2 + sum_j log M_j(a_j s) - s x)/s ds      up the line Re s = c > 0,

M_j the moment generating function of Z_j and c the saddle of the integrand, which has no cancellation there: a tail of 1e-30
keeps its digits. The line stays straight, as a law on the integers has singularities beside it, too. With y = k sinh u and k
the distance to the nearer singularity (or a few widths of the saddle) the trapezoid and the midpoint rule converge
exponentially; where the two differ, nodes are doubled.

The 2 x 2 table, a difference of proportions, and two cells of a table whose total is estimated are of this kind. The
saddle-point integral is Rice's (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import NotAvailable
from discreet.noise import JointNoise
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Draws = Sequence[tuple[DrawLaw, Floats]]

_REACH = 9.0  # |s| on the line up to which e^(-y^2/2) matters: e^-40.5
_VANISHED = -746.0
_NODES = 48
_MOST_NODES = 6144
_AGREE = 1e-10  # relative difference of the two rules at which their mean is taken; its own error is smaller
_NUMBERS = 1 << 19  # complex numbers held at once: 8 MB

#: Bound of the relative error of a tail above 1e-12.
RELATIVE_ERROR = 1e-10


def one_degree_tail(t: ArrayLike, noise: JointNoise, contrast: ArrayLike) -> Floats:
    """P((g + sum_i e_i V_i)^2 >= t) for a standard normal g and the noise V of a table.

    Parameters
    ----------
    t : array_like
        1 is returned where t <= 0.
    noise : JointNoise
        The joint law of V; projected noise and margins included.
    contrast : array_like of shape (..., cells)
        e, on the scale on which g is standard normal; the leading axes are those of t.

    Returns
    -------
    ndarray of the shape of t

    Raises
    ------
    NotAvailable
        Where the integral does not settle: noise on the integers in a table that holds less than about one record.

    Examples
    --------
    >>> from discreet.inference.null.one_degree import one_degree_tail
    >>> from discreet.noise import Laplace
    >>> noise = Laplace(1.0).on((2,))
    >>> one_degree_tail([1.0, 4.0, 400.0], noise, [0.5, -0.5])
    array([4.64714378e-01, 1.51499178e-01, 5.96435230e-16])
    """
    return one_degree_sf(t, [(noise.law, noise.pull_back(np.asarray(contrast, float)))])


def one_degree_sf(t: ArrayLike, draws: Draws) -> Floats:
    """P(U^2 >= t) for U = N(0, 1) + sum of all draws, each times its coefficient.

    Parameters
    ----------
    t : array_like of shape (...)
    draws : sequence of (law, coefficients)
        One pair for each law; the coefficients have the shape (..., number of its draws).

    Returns
    -------
    ndarray of the shape of t, each within 1e-10 relative down to 1e-12, and 1e-9 down to 1e-100
    """
    t = np.asarray(t, float)
    shape = t.shape
    flat = t.reshape(-1)
    parts = [(law, np.broadcast_to(a, (*shape, a.shape[-1])).reshape(flat.size, -1)) for law, a in draws]
    result = np.where(flat > 0.0, 0.0, 1.0)
    some = np.flatnonzero((flat > 0.0) & np.isfinite(flat))
    step = max(1, _NUMBERS // (_NODES * sum(a.shape[-1] for _, a in parts)))
    for start in range(0, some.size, step):
        rows = some[start : start + step]
        result[rows] = 2.0 * _upper_tail(np.sqrt(flat[rows]), [(law, a[rows]) for law, a in parts])
    return np.minimum(result, 1.0).reshape(shape)


def _upper_tail(x: Floats, parts: Draws) -> Floats:
    """P(U >= x) of m problems: x (m,) above 0, coefficients (m, draws)."""
    c, room = _saddle(x, parts)
    at_saddle = _log_integrand(c[:, None], x, parts)[:, 0].real
    h = 0.1 * np.minimum(c, room)
    beside = _log_integrand((c + 1j * h)[:, None], x, parts)[:, 0].real
    width = h / np.sqrt(2.0 * np.maximum(at_saddle - beside, 1e-12))
    k = np.minimum(np.minimum(c, room), 4.0 * width)
    reach = np.arcsinh(_REACH / k)

    def mean_of(nodes: Floats, rows: NDArray[np.intp]) -> Floats:
        """The integrand, relative to its value at c, at u = `nodes` times the range; its mean times the range, over pi."""
        u = reach[rows, None] * nodes
        s = c[rows, None] + 1j * k[rows, None] * np.sinh(u)
        some = [(law, a[rows]) for law, a in parts]
        values = np.exp(_log_integrand(s, x[rows], some) - at_saddle[rows, None]).real * np.cosh(u)
        values[:, nodes == 0.0] *= 0.5
        return np.asarray(values.mean(-1) * k[rows] * reach[rows] / np.pi)

    n = _NODES
    # Chernoff's bound K(c) - c x tells where the tail is 0 in floats.
    rows = np.flatnonzero(at_saddle + np.log(c) > _VANISHED)
    trapezoid, integral = mean_of(np.arange(n) / n, rows), np.zeros_like(x)
    while rows.size:
        midpoint = mean_of((np.arange(n) + 0.5) / n, rows)
        both = 0.5 * (trapezoid + midpoint)
        settled = np.abs(trapezoid - midpoint) <= _AGREE * np.abs(both)
        integral[rows[settled]] = both[settled]
        rows, trapezoid, n = rows[~settled], both[~settled], 2 * n
        if rows.size and n > _MOST_NODES:
            raise NotAvailable("the integral of the closed form does not settle here; choose null='conditional'")
    return np.asarray(np.exp(at_saddle) * integral)


def _saddle(x: Floats, parts: Draws) -> tuple[Floats, Floats]:
    """c, to about a per cent, and its distance to the end of the moment generating function.

    The logarithm of the integrand is convex on the real axis, with its minimum below (x + sqrt(x^2 + 4))/2, where it would be
    without noise: a grid in log(c/(end - c)), made finer twice.
    """
    radii = [law.mgf_radius / np.maximum(np.abs(a).max(-1), 1e-300) for law, a in parts]
    radius = np.min(radii, axis=0)
    end = np.minimum(radius, 1.01 * (0.5 * x + np.hypot(0.5 * x, 1.0)))
    z, steps = np.zeros((x.size, 1)), np.arange(-16.0, 15.0)
    for finer in (1.0, 8.0, 64.0):
        grid = z + steps / finer
        values = _log_integrand(end[:, None] / (1.0 + np.exp(-grid)), x, parts).real
        z = grid[np.arange(x.size), values.argmin(-1), None]
        steps = np.arange(-8.0, 9.0)
    e = np.exp(-z[:, 0])
    c = end / (1.0 + e)
    return c, np.where(radius > end, radius - c, end * e / (1.0 + e))


def _log_integrand(s: NDArray[Any], x: Floats, parts: Draws) -> NDArray[np.complex128]:
    """s^2/2 + sum log M(a s) - s x - log s for s of shape (m, nodes)."""
    log = 0.5 * s * s - s * x[:, None] - np.log(s)
    for law, a in parts:
        log = log + law.log_mgf(a[:, None, :] * s[..., None]).sum(-1)
    return np.asarray(log, complex)
