"""The smallest scale of noise that keeps a guarantee, rounded to the safe side.

A scale is a float that the noise is drawn with, so it is chosen in exact rational arithmetic: the guarantee's parameter is
read as the decimal that prints it, the scale as the binary number it is, and the result is the smallest float for which
the inequality between the two holds (for the solved cases: the solution, moved to the safe side by a relative 1e-12).
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy import special

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import gaussian_curve, laplace_curve, renyi
from discreet.privacy.cost import exact
from discreet.privacy.guarantee import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP
from discreet.privacy.parameters import real

#: What the grid costs: integer Gaussian noise of at least 2^20 grid steps is mu-GDP with mu^2 = (l2/sd)^2 (1 + 2^-36).
GRID_SLACK = 1 + Fraction(1, 2**36)

_SAFE = 1 - laplace_curve.SAFETY


def laplace(guarantee: Guarantee, l1: float) -> float:
    """The smallest scale b of Laplace noise for a statistic of L1 sensitivity `l1`.

    Parameters
    ----------
    guarantee : PureDP, ApproxDP, ZeroConcentratedDP or GaussianDP
        `PureDP`: b = l1/epsilon. `ApproxDP`: the same, its delta stays unused (Laplace noise needs none).
        `ZeroConcentratedDP`: l1/epsilon at the epsilon with epsilon tanh(epsilon/2) = rho. `GaussianDP`:
        b = l1 / (-2 log(2 Phi(-mu/2))), valid for every statistic of that L1 sensitivity, as one shifted coordinate is
        the worst case; a table, where two coordinates share the shift, needs less: `laplace_table`.
    l1 : float
        Above 0, in the units of the statistic (2 for a table when one record is replaced).

    Returns
    -------
    float
        b, with l1/b <= epsilon exactly.

    Examples
    --------
    >>> from discreet.noise import calibrate
    >>> from discreet.privacy import GaussianDP, PureDP
    >>> calibrate.laplace(PureDP(0.1), l1=2)
    20.0
    >>> print(f"{calibrate.laplace(GaussianDP(1), l1=2):.10f}")
    2.0714029970
    """
    sensitivity = _positive("l1", l1)
    if isinstance(guarantee, (PureDP, ApproxDP)):
        return _float_up(sensitivity / exact(guarantee.epsilon), "scale")
    if isinstance(guarantee, ZeroConcentratedDP):
        return _float_up(sensitivity / Fraction(renyi.rho_to_pure(guarantee.rho) * _SAFE), "scale")
    if isinstance(guarantee, GaussianDP):
        return _float_up(sensitivity / Fraction(laplace_curve.shift_for(guarantee.mu) * _SAFE), "scale")
    raise _unknown(guarantee)


def laplace_table(guarantee: Guarantee) -> float:
    """The smallest scale b of Laplace noise for a table of counts when one record is replaced.

    Parameters
    ----------
    guarantee : PureDP, ApproxDP, ZeroConcentratedDP or GaussianDP
        `GaussianDP`: b_min(mu), where the table's own trade-off curve touches G_mu; about 0.63 to 0.69 of the scale that
        the L1 sensitivity alone gives for mu up to 2. Otherwise `laplace(guarantee, 2)`, e.g. 2/epsilon.

    Returns
    -------
    float
        b in records. `laplace_table_mu(1/b) <= mu` holds in floating point.

    Examples
    --------
    >>> from discreet.noise import calibrate
    >>> from discreet.privacy import GaussianDP, PureDP
    >>> print(f"{calibrate.laplace_table(GaussianDP(1)):.10f}")
    1.3589053610
    >>> calibrate.laplace_table(PureDP(0.5))
    4.0
    """
    if not isinstance(guarantee, GaussianDP):
        return laplace(guarantee, 2)
    scale = 1 / laplace_curve.table_rate_for(guarantee.mu)
    if not math.isfinite(scale):
        raise _out_of_range("scale")
    while laplace_curve.laplace_table_mu(1 / scale) > guarantee.mu:
        scale = math.nextafter(scale, math.inf)
    return scale


def laplace_table_l1_rule(guarantee: GaussianDP) -> float:
    """The scale of Laplace noise for a table that its L1 sensitivity alone would ask for: 2/epsilon_1(mu).

    epsilon_1(mu) = -2 log(2 Phi(-mu/2)) is the largest shift of one coordinate that is mu-GDP. Valid, and larger than
    `laplace_table`, which knows that two coordinates share the shift. For comparison only: no mechanism uses it.

    Examples
    --------
    >>> from discreet.noise import calibrate
    >>> from discreet.privacy import GaussianDP
    >>> print(f"{calibrate.laplace_table_l1_rule(GaussianDP(1)):.10f}")
    2.0714029970
    """
    return laplace(_gaussian_only(guarantee), 2)


def laplace_table_pure_rule(guarantee: GaussianDP) -> float:
    """The scale of Laplace noise for a table by way of pure DP: 2/log(1/Phi(-mu/2) - 1).

    The denominator is the largest epsilon that implies mu-GDP. Valid, and the largest of the three rules, up to 2.5 times
    `laplace_table` at mu = 10. For comparison only: no mechanism uses it.

    Examples
    --------
    >>> from discreet.noise import calibrate
    >>> from discreet.privacy import GaussianDP
    >>> print(f"{calibrate.laplace_table_pure_rule(GaussianDP(1)):.10f}")
    2.4784211728
    """
    mu = _gaussian_only(guarantee).mu
    if mu < 1:  # log((1 + x)/(1 - x)) with x = 2 Phi(mu/2) - 1
        epsilon = 2 * math.atanh(math.erf(mu / (2 * math.sqrt(2))))
    else:
        epsilon = float(special.log_ndtr(0.5 * mu) - special.log_ndtr(-0.5 * mu))
    return _float_up(2 / Fraction(epsilon * _SAFE), "scale")


def gaussian(guarantee: Guarantee, l2: float | None = None, *, l2_squared: float | Fraction | None = None) -> float:
    """The smallest standard deviation of Gaussian noise for a statistic of L2 sensitivity `l2`.

    Parameters
    ----------
    guarantee : GaussianDP, ZeroConcentratedDP or ApproxDP
        `GaussianDP`: sd^2 >= (l2/mu)^2 (1 + 2^-36), the last factor for the grid that the noise is drawn on.
        `ZeroConcentratedDP`: sd^2 >= l2^2/(2 rho), exact on the grid too. `ApproxDP`: the rule of `GaussianDP` at the
        largest mu with delta_mu(epsilon) <= delta (Balle and Wang 2018), not the classical bound.
        `PureDP` is refused: Gaussian noise has no finite pure epsilon.
    l2 : float, optional
        Above 0. A float that is the square root of a whole number is read as that root: `math.sqrt(2)` has the square 2.
    l2_squared : int or Fraction, optional
        Its square, in place of `l2`.

    Returns
    -------
    float
        The standard deviation, in the units of the statistic.

    Examples
    --------
    >>> from discreet.noise import calibrate
    >>> from discreet.privacy import ApproxDP, GaussianDP, ZeroConcentratedDP
    >>> print(f"{calibrate.gaussian(GaussianDP(1), l2_squared=2):.9f}")
    1.414213562
    >>> calibrate.gaussian(ZeroConcentratedDP(0.25), l2_squared=2)
    2.0
    >>> print(f"{calibrate.gaussian(ApproxDP(1, 1e-5), 1):.6f}")
    3.730632
    """
    if (l2 is None) == (l2_squared is None):
        raise InvalidInput("gaussian takes one of l2 and l2_squared")
    square = _square(l2) if l2 is not None else _positive("l2_squared", l2_squared)
    if isinstance(guarantee, GaussianDP):
        return _root_up(square / guarantee.exact**2 * GRID_SLACK)
    if isinstance(guarantee, ZeroConcentratedDP):
        return _root_up(square / (2 * guarantee.exact))
    if isinstance(guarantee, ApproxDP):
        mu = gaussian_curve.mu_for(float(guarantee.epsilon), float(guarantee.delta)) * _SAFE
        return _root_up(square / Fraction(mu) ** 2 * GRID_SLACK)
    if isinstance(guarantee, PureDP):
        raise NotAvailable("Gaussian noise has no finite pure epsilon; use Laplace noise, or state GaussianDP(mu)")
    raise _unknown(guarantee)


def _gaussian_only(guarantee: object) -> GaussianDP:
    if not isinstance(guarantee, GaussianDP):
        raise InvalidInput(f"this rule starts from GaussianDP(mu), not {guarantee!r}")
    return guarantee


def _unknown(guarantee: object) -> InvalidInput:
    return InvalidInput(f"a guarantee is PureDP, ApproxDP, ZeroConcentratedDP or GaussianDP, not {guarantee!r}")


def _out_of_range(name: str) -> InvalidInput:
    return InvalidInput(f"the {name} for this guarantee is beyond the range of floats; state a stronger or weaker one")


def _positive(name: str, value: object) -> Fraction:
    """A sensitivity as an exact number above 0: fractions and integers as they are, floats as the number they hold."""
    number = real(name, value)
    if not number > 0:
        raise InvalidInput(f"{name} must be above 0, not {value!r}")
    return value if isinstance(value, Fraction) else Fraction(value) if isinstance(value, int) else Fraction(number)


def _square(l2: float) -> Fraction:
    """The square of an L2 sensitivity; that of a float which is the root of a whole number is this whole number."""
    length = _positive("l2", l2)
    whole = round(length**2)
    return Fraction(whole) if 0 < whole < 2**52 and math.sqrt(whole) == float(length) else length**2


def _float_up(number: Fraction, name: str) -> float:
    """The smallest float that is at least `number`."""
    try:
        rounded = float(number)
    except OverflowError:
        raise _out_of_range(name) from None
    rounded = rounded if rounded >= number else math.nextafter(rounded, math.inf)
    if not 0 < rounded < math.inf:
        raise _out_of_range(name)
    return rounded


def _root_up(square: Fraction) -> float:
    """The smallest float whose square is at least `square`."""
    # Scaled by a power of 4, so that neither very large nor very small numbers leave the range of floats on the way.
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    scaled = square / Fraction(4) ** shift
    root = math.sqrt(scaled)
    while Fraction(root) ** 2 < scaled:
        root = math.nextafter(root, math.inf)
    while Fraction(below := math.nextafter(root, 0.0)) ** 2 >= scaled:
        root = below
    if not -1020 < shift < 1020:
        raise _out_of_range("standard deviation")
    return math.ldexp(root, shift)
