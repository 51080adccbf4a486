"""What is promised: guarantees, their trade-off curves, and how far one record moves a statistic. No data, no randomness."""

from discreet.privacy.composition import Composed, compose
from discreet.privacy.cost import Cost, Currency, exact
from discreet.privacy.guarantee import (
    ApproxDP,
    GaussianDP,
    PureDP,
    ZeroConcentratedDP,
    guarantee_from_dict,
)
from discreet.privacy.questions import Guarantee
from discreet.privacy.sensitivity import Sensitivity, SensitivitySpace
from discreet.privacy.tradeoff import TradeOff, laplace_table_mu

__all__ = [
    "ApproxDP",
    "Composed",
    "Cost",
    "Currency",
    "GaussianDP",
    "Guarantee",
    "PureDP",
    "Sensitivity",
    "SensitivitySpace",
    "TradeOff",
    "ZeroConcentratedDP",
    "compose",
    "exact",
    "guarantee_from_dict",
    "laplace_table_mu",
]
