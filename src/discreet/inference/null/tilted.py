"""Exponentially tilted draws of noise: the law with density p(y) e^(tau y) / E e^(tau Y), by its quantile function.

Draws are in units of their law's scale, Y = Z/scale, so that Laplace-type laws allow |tau| < 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.noise import DiscreteLaplace, Gaussian, Laplace
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]


def can_tilt(law: DrawLaw) -> bool:
    """Whether `tilted_ppf` knows this law."""
    return isinstance(law, DiscreteLaplace | Gaussian | Laplace)


def log_normaliser(law: DrawLaw, tilt: Floats) -> Floats:
    """log E e^(tau Y)."""
    if isinstance(law, Laplace):
        return np.asarray(-np.log1p(-(tilt**2)))  # the same in real arithmetic
    return np.asarray(law.log_mgf(tilt / law.scale).real)


def tilted_ppf(law: DrawLaw, tilt: Floats, u: Floats) -> Floats:
    """The y below which the tilted law has probability u; arrays of one shape, 0 < u < 1.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.inference.null.tilted import tilted_ppf
    >>> from discreet.noise import DiscreteLaplace, Laplace
    >>> tilted_ppf(Laplace(4.0), np.array([0.0, 0.9]), np.array([0.5, 0.5])).round(3)
    array([0.   , 6.419])
    >>> 4.0 * tilted_ppf(DiscreteLaplace(4.0), np.array([0.0, 0.9]), np.array([0.5, 0.5])).round(3)
    array([ 0., 26.])
    """
    if isinstance(law, Gaussian):
        return tilt + law.ppf(u) / law.scale
    if isinstance(law, DiscreteLaplace):
        return _tilted_geometric(law.scale, tilt, u)
    # The mass below 0 is (1 - tau)/2, of rate 1 + tau; above 0 it is (1 + tau)/2, of rate 1 - tau. The part of its side's mass
    # that lies beyond y is the smaller of two ratios, the other being above 1: faster than to choose by masks.
    mass_below = 0.5 * (1.0 - tilt)
    beyond = np.minimum(u / mass_below, (1.0 - u) / (1.0 - mass_below))
    side = np.copysign(1.0, mass_below - u)
    return np.asarray(side * np.log(beyond) / (1.0 + side * tilt))


def _tilted_geometric(scale: float, tilt: Floats, u: Floats) -> Floats:
    """The two-sided geometric law, with ratios e^(-(1 - tau)/b) above 0 and e^(-(1 + tau)/b) below, in units of b."""
    rate_above, rate_below = (1.0 - tilt) / scale, (1.0 + tilt) / scale
    # The masses on either side, that of 0 being 1; where they are next to nothing, so that nothing overflows.
    below, above = (1.0 / np.expm1(np.minimum(rate, 700.0)) for rate in (rate_below, rate_above))
    mass = above + below + 1.0
    left, right = np.minimum(u * mass / below, 1.0), np.minimum((1.0 - u) * mass / above, 1.0)
    steps_below = 1.0 + np.floor(-np.log(left) / rate_below)
    steps_above = 1.0 + np.floor(-np.log(right) / rate_above)
    return np.asarray(np.where(left < 1.0, -steps_below, np.where(right < 1.0, steps_above, 0.0)) / scale)
