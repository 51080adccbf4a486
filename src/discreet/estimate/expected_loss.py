"""The exact expected squared error of a released table, before anything is released.

The risk of James-Stein shrinkage depends on theta through one number only, its distance tau from the target in units of
sigma^2 (Kim, Lee, Kwak and Jung 2022, equations 14 and 15, proposition B.1). In k dimensions, of D that are noisy,

    risk/sigma^2 = D - (k - 2)^2 E{1/(k - 2 + 2K)},       K ~ Poisson(tau/2),

between D - k + 2 at tau = 0 and D as tau grows. With c = k/2, m = tau/2 and E{u^K} = exp(-m(1 - u)),

    E{(k - 2)/(k - 2 + 2K)} = (c - 1) int_0^1 u^(c - 2) e^(-m(1 - u)) du = M(1; c; -m),

M Kummer's function. Since M(1; c; -m) = 1 - (m/c) M(1; c + 1; -m), the risk is a sum of positive terms,

    risk/sigma^2 = D - k + 2 + (k - 2)(m/c) M(1; c + 1; -m),

and no digit is lost at either end. M itself comes from its M-fraction (Jones and Thron 1980), which holds for all m,

    M(1; c; -m) = (c - 1)/(c - 1 + m - m/(c + m - 2m/(c + 1 + m - 3m/(c + 2 + m - ...)))).

Eighty terms from the back give it to the last bits (2e-16 relative) for m from 0 to infinity and all c >= 3/2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput, NotAvailable
from discreet.estimate.directions import Directions
from discreet.estimate.james_stein import JamesStein
from discreet.noise.validation import positive

Floats = NDArray[np.float64]

_TERMS = 80
_FAR = 1e300  # a distance at which M(1; c; -m) m/(c - 1) has long been 1


def expected_loss(theta: ArrayLike, sd: float, estimator: str | JamesStein) -> float:
    """E||estimate - theta||^2 over the noise, for the true cells theta.

    Parameters
    ----------
    theta : array of numbers
        The true table (or vector), of any shape; p its number of cells.
    sd : float
        sigma > 0, the standard deviation of Gaussian noise in one cell, before any projection: sqrt(2)/mu for a table
        under mu-GDP. For "laplace" it is the scale b.
    estimator : "gaussian", "rank-deficient", "laplace" or JamesStein
        "gaussian": p sigma^2. "rank-deficient": (p - 1) sigma^2. "laplace": 2 p b^2. A `JamesStein` on the Gaussian or,
        with `rank_deficient=True`, on the rank-deficient mechanism: the formula above.

    Returns
    -------
    float
        Exact to about 13 digits from a distance of 0 to beyond 1e12; takes about as long as the length of theta does.

    Raises
    ------
    NotAvailable
        For the positive-part estimator, for which the formula does not hold.

    Examples
    --------
    >>> from discreet.estimate import JamesStein, expected_loss
    >>> expected_loss([20, 20, 20, 20, 20], 1.0, "rank-deficient")
    4.0
    >>> expected_loss([20, 20, 20, 20, 20], 1.0, JamesStein("average"))
    3.0
    """
    cells = _check_theta(theta)
    sigma = positive("sd", sd)
    if isinstance(estimator, str):
        loss = _fixed_losses(cells.size).get(estimator, math.nan) * sigma**2
        if math.isnan(loss):
            raise InvalidInput(
                f"estimator must be 'gaussian', 'rank-deficient', 'laplace' or a JamesStein(...), not {estimator!r}"
            )
    elif isinstance(estimator, JamesStein):
        loss = float(shrunken_loss(cells / sigma, estimator)) * sigma**2
    else:
        raise InvalidInput(f"estimator must be a name or a JamesStein(...), not {estimator!r}")
    if not 0 < loss < math.inf:
        raise InvalidInput(f"sd = {sd!r} is too small or too large beside theta: squares leave the range of floats")
    return loss


def shrunken_loss(scaled: Floats, estimator: JamesStein) -> Floats:
    """Risk/sigma^2 for one or many tables theta/sigma along the last axis."""
    if estimator.positive_part:
        raise NotAvailable("the exact expected loss is that of the plain estimator; use positive_part=False")
    part, _, k = estimator.split(scaled, Directions(contrasts_only=estimator.rank_deficient))
    noisy = scaled.shape[-1] - int(estimator.rank_deficient)
    with np.errstate(over="ignore"):
        root = np.minimum(np.linalg.norm(part, axis=-1), math.sqrt(_FAR))
    m, c = 0.5 * root**2, 0.5 * k
    return np.asarray(noisy - k + 2.0 + (k - 2.0) * (m / c * kummer(c + 1.0, m)))


def kummer(c: float, m: ArrayLike) -> Floats:
    """M(1; c; -m) for c >= 3/2 and m >= 0, to a relative error of about 2e-16."""
    m = np.asarray(m, float)
    tail = c - 1.0 + _TERMS + m
    for j in range(_TERMS, 0, -1):
        tail = (c - 2.0 + j + m) - j * m / tail
    return np.asarray((c - 1.0) / tail)


def _fixed_losses(p: int) -> dict[str, float]:
    return {"gaussian": float(p), "rank-deficient": float(p - 1), "laplace": 2.0 * p}


def _check_theta(theta: ArrayLike) -> Floats:
    try:
        cells = np.asarray(theta, dtype=float).ravel()
    except (TypeError, ValueError):
        raise InvalidInput("theta must be an array of numbers") from None
    if not cells.size or not np.isfinite(cells).all():
        raise InvalidInput("theta must be finite numbers, at least one")
    return cells
