"""Tests and intervals on releases: post-processing only, valid under the noise."""

from discreet.inference.conditional import Conditional
from discreet.inference.effect import Effect
from discreet.inference.goodness_of_fit import goodness_of_fit
from discreet.inference.homogeneity import homogeneity
from discreet.inference.independence import independence
from discreet.inference.monte_carlo import MonteCarlo
from discreet.inference.result import NullCurve, TestResult

__all__ = [
    "Conditional",
    "Effect",
    "MonteCarlo",
    "NullCurve",
    "TestResult",
    "goodness_of_fit",
    "homogeneity",
    "independence",
]
