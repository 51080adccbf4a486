"""Private means: integer noise on the sum of every column's codes, equally large once columns are rescaled to [-1, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.moments.noisy_vector import NoisyVector, gaussian_vector, laplace_vector, vector_cost
from discreet.mechanisms.table import own_cost
from discreet.noise import DrawLaw
from discreet.noise import Gaussian as GaussianNoise
from discreet.noise import Laplace as LaplaceNoise
from discreet.privacy import Cost
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class MeanMechanism:
    """A mechanism for the means of d numeric columns under one guarantee.

    A value of column i is the code j = 0 ... J_i of its place between the column's public bounds. One record replaced by
    another moves the sum of the codes of column i by at most J_i, and all d sums can move that far at once. (Proof: the
    sum changes by j' - j, both between 0 and J_i; from all lower to all upper bounds.) So the noise on sum i has the scale

        Laplace    b_i = J_i d/epsilon           epsilon-DP: the d log-likelihood ratios are at most epsilon/d each
        Gaussian   sigma_i = J_i sqrt(d)/mu      mu-GDP, mu^2/2-zCDP: the d squared shifts are at most mu^2/d each

    rounded up in exact rational arithmetic, on a grid of at least 2^20 steps in a scale. Where a column is fixed, records
    keep their group, and one release of all groups' means costs as much as that of one (parallel composition).

    Attributes
    ----------
    name : "Laplace" or "Gaussian"
    family : "laplace" or "gaussian"
        The noise that the gate draws.
    steps : tuple of int
        J_i.
    scales : tuple of float
        Of the noise on each column's sum of codes.
    guarantee : Guarantee

    Examples
    --------
    >>> from discreet.mechanisms import Laplace
    >>> from discreet.privacy import PureDP
    >>> mechanism = Laplace().for_mean([100, 40], PureDP(0.5))
    >>> mechanism.scales, mechanism.law(n=200), str(mechanism.cost("epsilon"))
    ((400.0, 160.0), Laplace(scale=0.04), 'epsilon = 0.5')
    >>> print(f"{mechanism.cost('mu').amount:.6f} {mechanism.cost('rho').amount:.6f}")
    0.371508 0.062177
    """

    name: str
    family: Literal["laplace", "gaussian"]
    steps: tuple[int, ...]
    scales: tuple[float, ...]
    guarantee: Guarantee

    @property
    def vector(self) -> NoisyVector:
        """The sums with their noise, as what a cost is computed from."""
        return NoisyVector(self.family, self.steps, self.scales)

    def cost(self, currency: Currency) -> Cost:
        """The cost in a budget's currency: the guarantee itself where it is of that kind, else by `vector_cost`."""
        own = own_cost(self.guarantee)
        return own if own.currency == currency else vector_cost(self, self.vector, currency)

    def law(self, n: int) -> DrawLaw:
        """The law of the noise of one mean of n records, once its column is rescaled to [-1, 1]: scale 2 b_i/(J_i n).

        The same for all columns but for the rounding of their scales; the largest is given.
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise InvalidInput(f"a mean needs at least 1 record, not n = {n!r}")
        scale = 2 * max(scale / steps for scale, steps in zip(self.scales, self.steps, strict=True)) / n
        return LaplaceNoise(scale) if self.family == "laplace" else GaussianNoise(scale)


def laplace_mean(steps: Sequence[int], guarantee: Guarantee, adjacency: str = "replace-one") -> MeanMechanism:
    """Laplace noise on the sums of codes."""
    vector = laplace_vector(checked_steps(steps, adjacency), guarantee)
    return MeanMechanism("Laplace", "laplace", vector.moves, vector.scales, guarantee)


def gaussian_mean(steps: Sequence[int], guarantee: Guarantee, adjacency: str = "replace-one") -> MeanMechanism:
    """Gaussian noise on the sums of codes."""
    vector = gaussian_vector(checked_steps(steps, adjacency), guarantee)
    return MeanMechanism("Gaussian", "gaussian", vector.moves, vector.scales, guarantee)


def checked_steps(steps: Sequence[int], adjacency: str) -> tuple[int, ...]:
    """The steps of one or more columns, each at least 1, where the number of records is public."""
    if adjacency == "add-remove":
        raise NotAvailable(
            'means and covariances divide by n, which is not public under adjacency "add-remove"; use "replace-one", '
            "or release a table"
        )
    if adjacency != "replace-one":
        raise InvalidInput(f'adjacency must be "replace-one", not {adjacency!r}')
    given = tuple(steps)
    if not given or any(isinstance(j, bool) or not isinstance(j, int) or j < 1 for j in given):
        raise InvalidInput(f"steps must be one or more whole numbers of at least 1, one a column, not {given!r}")
    return given


def tables_only() -> NotAvailable:
    """The refusal of noise on the whole numbers for means and covariances."""
    return NotAvailable(
        "integer=True is for tables of counts; means and covariances are not whole numbers: leave it out"
    )
