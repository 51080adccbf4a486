"""The power of the projected statistic under Gaussian noise in closed form: a noncentral chi-squared law.

The statistic is T = ||F (Y - E)||^2, chi-squared under the null (`discreet.inference.statistic.projected`). Away from it the
residual has the mean delta = n (theta - null) and, as long as theta is near the null, the same covariance, so that

    T ~ ncx2(df, ||F delta||^2),      power = P(ncx2(df, ||F delta||^2) >= chi2_df quantile at 1 - level).

F delta is the statistic of the expected table itself. Source: Kifer and Rogers (2017); the law is a limit under local
alternatives, as for Pearson's statistic without noise.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from discreet.errors import NotAvailable
from discreet.inference.statistic.fitted import FittedNull, fit_goodness, fit_homogeneity, fit_independence
from discreet.inference.statistic.projected import project
from discreet.inference.tails.noncentral import noncentral_chi2_sf
from discreet.lab.designs.designs import Design, FitDesign, HomogeneityDesign
from discreet.lab.designs.protection import Protection


def projected_power(design: Design, protection: Protection, level: float) -> float:
    """P(the projected test rejects at `level`), by the noncentral law.

    Raises
    ------
    NotAvailable
        Where the noise is not Gaussian: then the statistic has no such law, and power is simulated.
    """
    if not all(noise.law.is_normal for noise in design.noises(protection.law)):
        raise NotAvailable(
            f"the formula for the power of the projected statistic is for Gaussian noise, not {protection.label}; simulate it"
        )
    statistic = project(_fitted_to_expectation(design, protection))
    noncentrality = float(statistic.statistic(statistic.fitted.residual))
    return float(
        noncentral_chi2_sf(float(special.chdtri(statistic.df, level)), statistic.df, np.array([noncentrality]))[0]
    )


def _fitted_to_expectation(design: Design, protection: Protection) -> FittedNull:
    """The null fitted to the expected table, as to a released one."""
    noises = design.noises(protection.law)
    sizes = np.array(design.sizes, float)
    expected = (
        sizes[:, None] * design.theta if isinstance(design, HomogeneityDesign) else sizes[0] * design.theta
    ).ravel()
    if isinstance(design, FitDesign):
        return fit_goodness(expected, design.null.ravel(), float(design.n), noises[0])
    if isinstance(design, HomogeneityDesign):
        return fit_homogeneity(expected, sizes, True, noises)
    return fit_independence(expected, float(design.n), noises[0])
