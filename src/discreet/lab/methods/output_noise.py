"""Output perturbation: the statistic of the true table plus noise, tested by a null law that knows the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import NotAvailable
from discreet.lab.designs.designs import Design, FitDesign
from discreet.lab.designs.draws import Draws, labelled
from discreet.lab.designs.protection import Protection
from discreet.lab.methods.output_sensitivity import output_sensitivity
from discreet.noise import Gaussian, Laplace, calibrate
from discreet.privacy import PureDP

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OutputNoise:
    """The statistic of the true table, released with noise of its own sensitivity (Uhler et al. 2013, Yu et al. 2014).

    Its noise is Laplace of scale sensitivity/epsilon, or Gaussian, under the guarantee that the noisy table has. The null law
    is that of the statistic (multinomial tables for goodness of fit, else chi-squared: the margins are not released) with
    this noise added.
    """

    statistic: str = "chi2"
    positive_margins: bool = False
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or labelled("output", self.statistic)

    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats:
        design = draws.design
        moved = output_sensitivity(design, self.statistic, positive_margins=self.positive_margins)
        law = _output_law(draws.protection, moved)
        released = true_statistics(design, draws.counts, self.statistic) + law.sample(len(draws.counts), rng)
        if isinstance(design, FitDesign):
            null = true_statistics(design, rng.multinomial(design.n, design.null.ravel(), _REFERENCE), self.statistic)
        else:
            null = np.asarray(special.chdtri(design.df, (np.arange(_REFERENCE) + 0.5) / _REFERENCE))
        return np.array([float(law.sf(t - null).mean()) for t in released])


_REFERENCE = 4096  # values of the statistic without noise, whose tails under the noise are averaged


def true_statistics(design: Design, counts: NDArray[Any], statistic: str) -> Floats:
    """chi2 or lr of tables of true counts, empty rows and columns left out; of shape (m,)."""
    tables = np.asarray(counts, float).reshape(len(counts), *design.shape)
    if isinstance(design, FitDesign):
        expected = np.broadcast_to(design.n * design.null, tables.shape)
    else:  # in homogeneity the rows' totals are the public sizes
        expected = tables.sum(2, keepdims=True) * tables.sum(1, keepdims=True) / design.n
    usable = expected > 0
    safe = np.where(usable, expected, 1.0)
    terms = (tables - expected) ** 2 / safe if statistic == "chi2" else 2 * special.xlogy(tables, tables / safe)
    return np.asarray(np.where(usable, terms, 0.0).reshape(len(tables), -1).sum(1))


def _output_law(protection: Protection, sensitivity: float) -> Laplace | Gaussian:
    guarantee = protection.stated
    if guarantee is None:
        raise NotAvailable(
            f"the guarantee of a table with {protection.label} is not known; give the guarantee, e.g. PureDP(0.5), instead"
        )
    if isinstance(guarantee, PureDP):
        return Laplace(sensitivity / guarantee.epsilon)
    return Gaussian(sensitivity * calibrate.gaussian(guarantee, l2_squared=1))
