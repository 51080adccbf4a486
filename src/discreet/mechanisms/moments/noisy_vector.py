"""A vector of integers of which one record moves every entry by a known amount: scales of the noise, and what it costs.

The noise of every entry has its own scale, in proportion to how far one record moves that entry; so all entries are
equally noisy once each is divided by its move. All of it is exact on the integers: entry i moves by at most `moves[i]`,
its noise is integer noise on a grid with at least 2^20 steps in `scales[i]`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.errors import InvalidInput
from discreet.mechanisms.grid import grid_excess
from discreet.mechanisms.table import Stated, no_cost, up
from discreet.noise import calibrate
from discreet.privacy import ApproxDP, Cost, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.cost import Currency, exact
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import SAFETY
from discreet.privacy.laplace_vector import laplace_vector_mu, laplace_vector_shift
from discreet.privacy.renyi import pure_to_rho, rho_to_pure

Family = Literal["laplace", "gaussian"]

SMALLEST_MU = 1e-140
"""Below it, squares of shifts leave the range of floats; noise of that size is never drawn."""


@dataclass(frozen=True)
class NoisyVector:
    """How far one record moves each entry of an integer vector, and the scale of each entry's noise in the same units."""

    family: Family
    moves: tuple[int, ...]
    scales: tuple[float, ...]

    def __add__(self, other: NoisyVector) -> NoisyVector:
        """Both vectors together, as one release; of one family."""
        if self.family != other.family:
            raise InvalidInput(f"{self.family} and {other.family} noise are not one vector")
        return NoisyVector(self.family, self.moves + other.moves, self.scales + other.scales)

    @property
    def shifts(self) -> tuple[Fraction, ...]:
        """How far one record moves each entry, in scales of its noise: exact."""
        return tuple(Fraction(move) / Fraction(scale) for move, scale in zip(self.moves, self.scales, strict=True))

    @property
    def epsilon(self) -> Fraction:
        """The sum of the shifts: the pure epsilon of Laplace noise."""
        return sum(self.shifts, Fraction(0))

    @property
    def mu_squared(self) -> Fraction:
        """The sum of the squared shifts with the grid's share: the squared mu of Gaussian noise."""
        return sum((shift**2 for shift in self.shifts), Fraction(0)) * calibrate.GRID_SLACK


def laplace_vector(moves: Sequence[int], guarantee: Guarantee) -> NoisyVector:
    """Laplace noise for a vector of d integers of which one record moves entry i by at most `moves[i]`, K_i.

    `PureDP` and `ApproxDP` (whose delta stays unused): b_i = K_i d/epsilon, so the log-likelihood ratios add up to epsilon.
    `ZeroConcentratedDP`: each entry may be epsilon_1-DP with d epsilon_1 tanh(epsilon_1/2) = rho, as rho adds up.
    `GaussianDP`: each may move by the shift of `laplace_vector_shift`, less 2 log cosh(1/(2 b_g)) for its grid.
    """
    d = len(moves)
    if isinstance(guarantee, (PureDP, ApproxDP)):
        shift = exact(float(guarantee.epsilon)) / d
    elif isinstance(guarantee, ZeroConcentratedDP):
        shift = Fraction(rho_to_pure(guarantee.rho / d) * (1 - SAFETY))
    elif isinstance(guarantee, GaussianDP):
        if guarantee.mu < SMALLEST_MU:
            raise _out_of_range()
        most = laplace_vector_shift(guarantee.mu, d)
        # A move is at least 1, so 1/most is the smallest scale of all, and its grid the coarsest.
        shift = Fraction((most - grid_excess(1 / most)) * (1 - SAFETY))
    else:
        raise InvalidInput(f"a guarantee is needed, such as PureDP(0.5), not {guarantee!r}")
    return NoisyVector("laplace", tuple(moves), tuple(_scale_up(move / shift) for move in moves))


def gaussian_vector(moves: Sequence[int], guarantee: Guarantee) -> NoisyVector:
    """Gaussian noise for the same: sigma_i = K_i sqrt(d)/mu, so the squared shifts add up to mu^2, the grid included."""
    scales = [calibrate.gaussian(guarantee, l2_squared=Fraction(move**2 * len(moves))) for move in moves]
    return NoisyVector("gaussian", tuple(moves), tuple(scales))


def vector_cost(mechanism: Stated, vector: NoisyVector, currency: Currency) -> Cost:
    """The cost of a noisy vector in a currency that is not its guarantee's own.

    *Laplace*: epsilon, the sum of the shifts a_i; (epsilon, 0); rho = sum of a_i tanh(a_i/2); mu by `laplace_vector_mu` at
    the shifts a_i + 2 log cosh(1/(2 b_g,i)), for on the grid a coordinate's curve lies on or above that of this shift.
    *Gaussian*: mu^2 = sum of a_i^2 (1 + 2^-36), rho = sum of a_i^2/2; no pure epsilon.
    """
    stated = mechanism.guarantee
    if vector.family == "laplace":
        epsilon = float(stated.epsilon) if isinstance(stated, PureDP) else up(vector.epsilon)
        if currency == "epsilon":
            return Cost("epsilon", epsilon)
        if currency == "approx":
            return Cost("approx", epsilon, 0.0)
        if currency == "rho":
            return Cost("rho", laplace_rho(vector))
        return Cost("mu", laplace_mu(vector))
    if currency == "mu":
        return Cost("mu", math.nextafter(math.sqrt(up(vector.mu_squared)), math.inf))
    if currency == "rho":
        return Cost("rho", up(sum((shift**2 for shift in vector.shifts), Fraction(0)) / 2))
    if currency == "epsilon":
        raise no_cost(mechanism, currency, "Gaussian noise has no finite pure epsilon; use Laplace noise")
    raise no_cost(
        mechanism,
        currency,
        "it meets many pairs (epsilon, delta); state the release's guarantee as ApproxDP(epsilon, delta)",
    )


def laplace_rho(vector: NoisyVector) -> float:
    """rho of Laplace noise, entry by entry: entry i is a_i-DP, hence a_i tanh(a_i/2)-zCDP, and rho adds up."""
    return math.fsum(pure_to_rho(up(shift)) for shift in vector.shifts) * (1 + SAFETY)


def laplace_mu(vector: NoisyVector) -> float:
    """mu of Laplace noise on its grid."""
    return laplace_vector_mu(
        [up(shift) + grid_excess(scale) for shift, scale in zip(vector.shifts, vector.scales, strict=True)]
    )


def _scale_up(number: Fraction) -> float:
    """The smallest float that is at least `number`, where there is one."""
    try:
        scale = float(number)
    except OverflowError:
        scale = math.inf
    scale = scale if scale == math.inf or scale >= number else math.nextafter(scale, math.inf)
    if not 0 < scale < math.inf:
        raise _out_of_range()
    return scale


def _out_of_range() -> InvalidInput:
    return InvalidInput("the scale for this guarantee is beyond the range of floats; state a weaker or stronger one")
