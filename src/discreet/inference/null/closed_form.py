"""The null in closed form: the limit law by a one-dimensional integral, without Monte-Carlo error.

Two laws have one: weighted chi-squared variables under Gaussian noise (`weights`, `weighted_chi2`), and statistics of one
degree of freedom under any noise (`one_degree`). It is the limit law still, and no finite-sample test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotAvailable
from discreet.inference.law import LimitLaw
from discreet.inference.null import one_degree
from discreet.inference.null.problem import NullProblem, Seed, Tail
from discreet.inference.null.weights import chi2_weights
from discreet.inference.tails import weighted_chi2
from discreet.noise import DrawLaw

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClosedForm:
    """The limit law without Monte-Carlo error, where it has a closed form.

    It has one where all noise is Gaussian (up to 1,000 cells, or a table of any size with independent cells), and where the
    statistic has one degree of freedom and the total is estimated or the noise leaves it alone (2 x 2 tables, for instance).
    Elsewhere it raises `NotAvailable`; `null="auto"` then takes `Conditional()`. `pvalue_error` is a bound of the numerical
    error.

    Examples
    --------
    >>> from discreet import independence
    >>> from discreet.inference import ClosedForm
    >>> from discreet.noise import Laplace
    >>> table = [[330.5, 171.25], [168, 336.75]]
    >>> result = independence(table, noise=Laplace(20), n=1000, null=ClosedForm())
    >>> print(f"{result.pvalue:.9e}")
    2.906751149e-05
    """

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail:
        """P(Q >= t) with a bound of its numerical error; `rng` is not used."""
        law = problem.law
        if all(noise.law.is_normal for noise in law.noises):
            p, accuracy = float(weighted_chi2.weighted_chi2_sf(t, chi2_weights(law))), weighted_chi2.RELATIVE_ERROR
        else:
            p, accuracy = float(one_degree.one_degree_sf(t, _draws(law))), one_degree.RELATIVE_ERROR
        return Tail(p, accuracy * p, "closed form: limit law without Monte-Carlo error")


def _draws(law: LimitLaw) -> one_degree.Draws:
    """The laws and coefficients of the draws in the one component of the residual; `NotAvailable` if there are more."""
    if law.df != 1:
        raise NotAvailable(
            f"with {law.df} degrees of freedom the closed form is for Gaussian noise only; choose null='conditional'"
        )
    kept = law.geometry.fixed_totals_diagonal
    if kept.any():
        # A total that the expected counts fix, although the noise moves it, is one more component.
        directions = law.geometry.fixed_totals(np.eye(law.scaling.size)).T
        moved = max(float(np.abs(a).max()) for _, a in _pulled_back(law, directions))
        if moved > 1e-12 * float(law.scaling.max()):
            raise NotAvailable(
                "with a public total that the noise moves, the closed form is for Gaussian noise only; choose "
                "null='conditional'"
            )
    diagonal = law.geometry.residual_diagonal
    at = int(diagonal.argmax())
    unit = np.zeros_like(diagonal)
    unit[at] = 1.0 / np.sqrt(diagonal[at])
    return _pulled_back(law, law.geometry.residual(unit))


def _pulled_back(law: LimitLaw, contrast: Floats) -> list[tuple[DrawLaw, Floats]]:
    """For each noise, its law and the coefficients of contrast' w on its draws."""
    ends = np.cumsum([noise.size for noise in law.noises])[:-1]
    parts = np.split(contrast * law.scaling, ends, axis=-1)
    return [(noise.law, noise.pull_back(part)) for noise, part in zip(law.noises, parts, strict=True)]
