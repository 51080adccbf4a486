"""Sums of weighted chi-squared variables: the upper tail, to full relative accuracy, by one contour integral.

For Q = sum_i w_i X_i, X_i independent, noncentral chi-squared with one degree of freedom and noncentralities d_i,

    K(s) = log E e^(sQ) = sum_i { -1/2 log(1 - 2 w_i s) + w_i d_i s/(1 - 2 w_i s) },
    P(Q >= t) = 1/(2 pi i) int exp(K(s) - s t)/s ds       up any line 0 < Re s < s_max = 1/(2 max w).

The line runs through the saddle c of the integrand, K'(c) - 1/c = t. There the integrand is as large as the result, so
nothing cancels, and all is computed relative to its value at c: a probability of 1e-300 has as many digits as one of 0.3.
All singularities but the pole at 0 lie on the real axis to the right of c. So the line may be bent to the right, where
e^(-st) decays, and becomes one branch of a hyperbola,

    s(u) = c + d { m (cosh u - 1) + i sinh u },        m = 0.6 < 1,

on which the midpoint rule converges exponentially. It leaves c upwards, and with a slope m below 1 the Gaussian part of the
integrand never grows; d, the scale of u, is the distance to the nearer singularity, or a few widths of the saddle. Below
the mean of Q the saddle with c < 0 is taken; between the two lies the pole, whose residue is 1.

The saddle point is classical (Daniels 1954; Rice 1980); for quadratic forms see Imhof (1961), whose integral is the one
along c = 0, where the tail is lost in cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

#: Bound of the relative error (of the error itself, below the mean), for sums of up to a few thousand terms.
RELATIVE_ERROR = 1e-10

_NODES = 64
_SLOPE = 0.6
_VANISHED = -746.0  # logarithm of what rounds to 0
_NEGLIGIBLE = -39.0  # logarithm of what is left out at the far end
_LADDER = 7.0 * 1.3 ** -np.arange(12.0)
_NUMBERS = 1 << 19  # complex numbers held at once: 8 MB


def weighted_chi2_sf(t: ArrayLike, weights: ArrayLike, noncentrality: ArrayLike | None = None) -> Floats:
    """P(sum_i w_i X_i >= t) for independent noncentral chi-squared X_i with one degree of freedom each.

    The relative error is below 1e-10 from 1 down to 1e-300, for sums of up to thousands of terms and noncentralities up
    to 1e5 in all; a single problem takes about 0.2 ms, many at once some microseconds each.

    Parameters
    ----------
    t : array_like
        Any numbers; 1 is returned where t <= 0.
    weights : array_like of shape (..., k)
        At least 0: a weight of 0 takes no part, so that problems with fewer terms can be padded. The leading axes are
        broadcast against `t`.
    noncentrality : array_like, optional
        d_i >= 0, the squared mean of the normal variable behind X_i; broadcast against `weights`. None: all 0.

    Returns
    -------
    ndarray of the shape to which t and the leading axes of `weights` broadcast

    Raises
    ------
    InvalidInput
        On NaN, negative or infinite weights or noncentralities, or shapes that do not fit.

    Examples
    --------
    >>> from discreet.inference import weighted_chi2_sf
    >>> weighted_chi2_sf([5.0, 10.0, 1000.0], [4.926266, 2.896449, 2.216131, 1.294488])
    array([7.53538804e-01, 4.51281611e-01, 1.14260310e-45])
    >>> weighted_chi2_sf(12.0, [[2.0, 1.0], [3.0, 0.0]], noncentrality=[1.0, 0.0]).round(8)
    array([0.09430902, 0.16000515])
    """
    t, weights, shape = _problems(t, weights)
    shifts = None if noncentrality is None else _shifts(noncentrality, weights.shape)
    flat_t, flat_weights = t.ravel(), weights.reshape(-1, weights.shape[-1])
    flat_shifts = None if shifts is None else shifts.reshape(flat_weights.shape)
    step = max(1, _NUMBERS // (_NODES * flat_weights.shape[1]))
    result = np.empty(flat_t.size)
    for start in range(0, flat_t.size, step):
        part = slice(start, start + step)
        result[part] = _tail(flat_t[part], flat_weights[part], None if flat_shifts is None else flat_shifts[part])
    return result.reshape(shape)


def _problems(t: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats, tuple[int, ...]]:
    """t and weights, broadcast against one another, after the checks."""
    times, terms = np.asarray(t, float), np.asarray(weights, float)
    if terms.ndim == 0 or terms.shape[-1] == 0:
        raise InvalidInput(f"weights need a last axis with at least one weight, not the shape {terms.shape}")
    if not (np.isfinite(terms) & (terms >= 0)).all():
        raise InvalidInput("weights must be finite numbers of at least 0, and one of them is not")
    if np.isnan(times).any():
        raise InvalidInput("t must be numbers, and one of them is NaN")
    try:
        shape = np.broadcast_shapes(times.shape, terms.shape[:-1])
    except ValueError:
        raise InvalidInput(
            f"t of shape {times.shape} does not fit the problems of shape {terms.shape[:-1]} that the weights are for"
        ) from None
    return np.broadcast_to(times, shape), np.broadcast_to(terms, (*shape, terms.shape[-1])), shape


def _shifts(noncentrality: ArrayLike, shape: tuple[int, ...]) -> Floats | None:
    given = np.asarray(noncentrality, float)
    if not (np.isfinite(given) & (given >= 0)).all():
        raise InvalidInput("noncentralities must be finite numbers of at least 0, and one of them is not")
    try:
        shifts = np.broadcast_to(given, shape)
    except ValueError:
        raise InvalidInput(f"noncentralities of shape {given.shape} do not fit weights of shape {shape}") from None
    return shifts if shifts.any() else None


def _tail(t: Floats, weights: Floats, shifts: Floats | None) -> Floats:
    """The tails of m problems: t (m,), weights and shifts (m, k)."""
    largest = weights.max(-1)
    result = np.where(t <= 0.0, 1.0, 0.0)
    positive = (t > 0.0) & (largest > 0.0)
    equal = positive & ((weights == largest[:, None]) | (weights == 0.0)).all(-1) & (shifts is None)
    if equal.any():  # a multiple of one chi-squared variable
        terms = (weights[equal] > 0.0).sum(-1)
        result[equal] = special.gammaincc(0.5 * terms, 0.5 * t[equal] / largest[equal])
    rest = positive & ~equal
    if rest.any():
        scale = largest[rest]
        w = weights[rest] / scale[:, None]
        result[rest] = _scaled_tail(t[rest] / scale, w, None if shifts is None else shifts[rest])
    return result


def _scaled_tail(t: Floats, w: Floats, d: Floats | None) -> Floats:
    """The tails where the largest weight is 1; without an integral where they round to 1 or 0.

    P(Q < t) <= P(X < t) <= sqrt(2 t/pi), and P(Q >= t) <= exp(K(1/4) - t/4).
    """
    below = 1.0 - 0.5 * w
    bound = -0.5 * np.log(below).sum(-1) - 0.25 * t
    if d is not None:
        bound += 0.25 * (w * d / below).sum(-1)
    result = np.where(t < 1e-33, 1.0, 0.0)
    inside = (t >= 1e-33) & (bound > _VANISHED)
    if inside.any():
        result[inside] = _contour(_Sums(t[inside], w[inside], None if d is None else d[inside]))
    return result


@dataclass(frozen=True, eq=False)
class _Sums:
    """Problems with the largest weight 1: t (m,), w (m, k), d (m, k) or None where all are 0."""

    t: Floats
    w: Floats
    d: Floats | None

    def derivatives(self, below: Floats) -> tuple[Floats, Floats]:
        """K' and K'' where 1 - 2 w s is `below` (m, k)."""
        r = self.w / below
        if self.d is None:
            return r.sum(-1), 2.0 * (r * r).sum(-1)
        q = self.d / below
        return (r * (1.0 + q)).sum(-1), 2.0 * (r * r * (1.0 + 2.0 * q)).sum(-1)

    @property
    def mean(self) -> Floats:
        return self.derivatives(np.ones_like(self.w))[0]


def _contour(sums: _Sums) -> Floats:
    t, w, d = sums.t, sums.w, sums.d
    upper, c, room = _saddle(sums)
    below = _below(w, upper, c, room)
    curvature = sums.derivatives(below)[1] + 1.0 / c**2
    scale = np.minimum(np.minimum(np.abs(c), room), 4.0 / np.sqrt(curvature))
    ratio = 2.0 * w / below

    def relative(z: Complexes) -> Complexes:
        """The logarithm of the integrand at c + z over that at c, for z of shape (m, nodes)."""
        q = 1.0 - z[..., None] * ratio[:, None, :]
        log = -0.5 * np.log(q).sum(-1) - t[:, None] * z - np.log1p(z / c[:, None])
        if d is not None:
            log = log + 0.5 * ((d / below)[:, None, :] * (1.0 / q - 1.0)).sum(-1)
        return np.asarray(log)

    rungs = scale[:, None] * (_SLOPE * (np.cosh(_LADDER) - 1.0) + 1j * np.sinh(_LADDER))
    # The shortest range beyond which nothing is left. The integrand need not fall all the way, so it is sought from afar.
    matters = relative(rungs).real > _NEGLIGIBLE
    last = np.where(matters.any(-1), matters.argmax(-1), _LADDER.size) - 1
    width = _LADDER[np.maximum(last, 0)] / _NODES
    u = width[:, None] * (np.arange(_NODES) + 0.5)
    sinh, cosh = np.sinh(u), np.cosh(u)
    z = scale[:, None] * (2.0 * _SLOPE * np.sinh(0.5 * u) ** 2 + 1j * sinh)
    slope = scale[:, None] * (_SLOPE * sinh + 1j * cosh)
    integral = (np.exp(relative(z)) * slope).imag.sum(-1) * width / np.pi
    at_saddle = -0.5 * np.log(below).sum(-1) - c * t
    if d is not None:
        at_saddle += 0.5 * (d * (1.0 / below - 1.0)).sum(-1)
    value = np.exp(at_saddle) / c * integral
    return np.asarray(np.clip(np.where(upper, value, 1.0 + value), 0.0, 1.0))


def _below(w: Floats, upper: NDArray[np.bool_], c: Floats, room: Floats) -> Floats:
    """1 - 2 w c, without cancellation where c is close to 1/2: then 1 - w + 2 w (1/2 - c)."""
    return np.where(upper[:, None], 1.0 - w + 2.0 * w * room[:, None], 1.0 - 2.0 * w * c[:, None])


def _saddle(sums: _Sums) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether t is at least the mean, c, and 1/2 - c.

    Newton's method in the logarithm of c/(1/2 - c), or of -c, for log K'(c) = log(t + 1/c), or log(K'(c) - 1/c) = log t:
    functions whose slopes are bounded. It starts from the root for equal weights. A per cent of accuracy is enough, as the
    integral does not depend on c.
    """
    t, mean = sums.t, sums.mean
    upper = t >= mean
    b = mean + 2.0 - t
    root = np.hypot(b, np.sqrt(8.0 * t))
    start = np.where(b < 0, root - b, 8.0 * t / (root + np.abs(b))) / (4.0 * t)
    negative = np.where(b < 0, 8.0 * t / (root + np.abs(b)), root + b) / (4.0 * t)
    start = np.minimum(start, 0.5 - 1e-9 / (1.0 + t))
    z = np.where(upper, np.log(start / (0.5 - start)), np.log(negative))
    for _ in range(40):
        c, room = _position(z, upper)
        first, second = sums.derivatives(_below(sums.w, upper, c, room))
        pole = 1.0 / np.abs(c)
        gap = np.where(upper, np.log(first) - np.log(t + pole), np.log(first + pole) - np.log(t))
        slope = np.where(
            upper,
            2.0 * c * room * (second / first + pole**2 / (t + pole)),
            c * (second + pole**2) / (first + pole),
        )
        step = np.clip(gap / slope, -3.0, 3.0)
        z = z - step
        if np.abs(step).max() < 0.01:
            break
    return upper, *_position(z, upper)


def _position(z: Floats, upper: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """c and 1/2 - c from Newton's variable."""
    e = np.exp(z)
    return np.where(upper, 0.5 * e / (1.0 + e), -e), np.where(upper, 0.5 / (1.0 + e), 0.5 + e)
