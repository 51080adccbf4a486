"""What protects the tables of a study: a guarantee, by the noise that a release under it has, or the noise itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from discreet.errors import InvalidInput
from discreet.lab.designs.designs import CellNoise
from discreet.mechanisms import default_for_table
from discreet.noise import DiscreteLaplace, Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Protection:
    """The law of the noise in each table, the guarantee it comes from (None: the law was given), and both in words."""

    law: CellNoise
    guarantee: Guarantee | None
    label: str

    @property
    def stated(self) -> Guarantee | None:
        """The guarantee; for a given law that which a table with this noise has under the replacement of one record."""
        if self.guarantee is not None:
            return self.guarantee
        try:
            if isinstance(self.law, Laplace | DiscreteLaplace):
                return PureDP(2.0 / self.law.scale)
            if isinstance(self.law, Gaussian | ProjectedGaussian):
                return GaussianDP(math.sqrt(2.0) / self.law.scale)
        except InvalidInput:  # so little noise that it protects nothing
            return None
        return None

    @property
    def amount(self) -> float:
        """The number on the axis of a picture: epsilon, mu or rho; of a given law its scale."""
        if isinstance(self.guarantee, PureDP | ApproxDP):
            return self.guarantee.epsilon
        if isinstance(self.guarantee, GaussianDP):
            return self.guarantee.mu
        if isinstance(self.guarantee, ZeroConcentratedDP):
            return self.guarantee.rho
        return float(getattr(self.law, "scale", math.nan))


def protect(given: Any) -> Protection:
    """From a guarantee (the default mechanism's noise for tables) or a law such as `Laplace(4.0)`."""
    if isinstance(given, Protection):
        return given
    if isinstance(given, Guarantee):
        mechanism = default_for_table(given).for_table(given)
        return Protection(mechanism.law, given, f"{given}: {_short(mechanism.law)}")
    if isinstance(given, JointNoise | type) or not hasattr(given, "on"):
        raise InvalidInput(
            f"a study needs a guarantee, e.g. PureDP(0.5), or a law of the noise in each cell, e.g. Laplace(4), not {given!r}"
        )
    return Protection(given, None, _short(given))


def _short(law: Any) -> str:
    scale = getattr(law, "scale", None)
    return repr(law) if scale is None else f"{type(law).__name__}({scale:.4g})"
