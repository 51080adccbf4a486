"""The likelihood of a noisy cell: a normal count plus Laplace noise, its score, its information, and a Bayes factor.

A cell that is expected to hold v records deviates from v by x ~ N(0, v) + Laplace(b), with density f. With

    A = -x/b + log Phi((x - v/b)/sqrt v),      B = x/b + log Phi(-(x + v/b)/sqrt v):

    log f(x) = v/(2 b^2) + logaddexp(A, B) - log 2b,        psi(x) = -d log f/dx = tanh((A - B)/2)/b.

The score psi is bounded by 1/b: one large noise draw cannot carry a test, as it can in a sum of squares. The information
I = E psi^2 runs from 1/v (little noise) to 1/b^2 (much noise), where the quadratic statistic uses 1/(v + 2 b^2) only.
The Bayes factor f_v(1+g)(x) / f_v(x) compares the null to one whose cell is shifted by N(0, g v).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]

_NODES = 400  # of the quadrature of I; 200 give the same 12 digits


def log_density(x: ArrayLike, v: ArrayLike, b: ArrayLike) -> Floats:
    """log f(x), f the density of N(0, v) + Laplace(b), for v, b > 0; all arguments broadcast.

    Examples
    --------
    >>> bool(abs(log_density(1.5, 1e-12, 2.0) - (-1.5 / 2.0 - np.log(4.0))) < 1e-9)
    True
    """
    x, v, b = np.asarray(np.abs(np.asarray(x, float))), np.asarray(v, float), np.asarray(b, float)
    near, far = _sides(x, v, b)
    return np.asarray(np.logaddexp(near, far) - np.log(4.0 * b))


def score(x: ArrayLike, v: ArrayLike, b: ArrayLike) -> Floats:
    """psi(x) = -d log f/dx; odd, increasing, within +-1/b."""
    x, v, b = np.asarray(x, float), np.asarray(v, float), np.asarray(b, float)
    near, far = _sides(np.abs(x), v, b)
    return np.asarray(np.sign(x) * np.tanh((near - far) / 2.0) / b)


def information(v: ArrayLike, b: ArrayLike) -> Floats:
    """I = E psi(x)^2 under f, by quadrature in u with x = c sinh u."""
    v, b = np.broadcast_arrays(np.asarray(v, float), np.asarray(b, float))
    spread = np.sqrt(v)
    c = np.minimum(spread, b)[..., None]  # where f or psi bends
    end = np.arcsinh((10.0 * spread + 40.0 * np.minimum(b, 4.0 * spread + b))[..., None] / c)
    u = end * (np.arange(_NODES) + 0.5) / _NODES
    x = c * np.sinh(u)
    columns = v[..., None], b[..., None]
    f = np.exp(log_density(x, *columns)) * c * np.cosh(u)
    return np.asarray((score(x, *columns) ** 2 * f).sum(-1) / f.sum(-1))


def log_bayes_factor(x: Floats, v: Floats, b: Floats, g: float = 1.0) -> Floats:
    """sum_j log[ f_{v_j (1 + g)}(x_j) / f_{v_j}(x_j) ] over the last axis."""
    return np.asarray((log_density(x, v * (1.0 + g), b) - log_density(x, v, b)).sum(-1))


def _sides(x: Floats, v: Floats, b: Floats) -> tuple[Floats, Floats]:
    """v/(2 b^2) + log 2 + (A, B) for x >= 0, without their cancellation: by erfcx(z) = exp(z^2) erfc(z)."""
    root = np.sqrt(2.0 * v)
    gauss = -(x**2) / (2.0 * v)
    low, high = (v / b - x) / root, (v / b + x) / root
    # Beyond x = v/b erfcx overflows, but there v/(2 b^2) - x/b has one sign and nothing to cancel.
    beyond = v / (2.0 * b**2) - x / b + np.log(special.erfc(np.minimum(low, 0.0)))
    near = np.where(low < 0.0, beyond, gauss + np.log(special.erfcx(np.maximum(low, 0.0))))
    return near, gauss + np.log(special.erfcx(high))
