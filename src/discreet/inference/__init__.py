"""Tests and intervals on releases: post-processing only, valid under the noise."""

from discreet.inference.adjust import adjust_pvalues
from discreet.inference.effect import Effect
from discreet.inference.goodness_of_fit import goodness_of_fit
from discreet.inference.homogeneity import homogeneity
from discreet.inference.hotelling import hotelling
from discreet.inference.independence import independence
from discreet.inference.mahalanobis import Distance
from discreet.inference.many import independence_many
from discreet.inference.mean_intervals import MeanInterval, MeanIntervals, mean_intervals
from discreet.inference.mean_regions import Ellipse, MeanRegions, mean_regions
from discreet.inference.null.bootstrap import Bootstrap
from discreet.inference.null.closed_form import ClosedForm
from discreet.inference.null.conditional import Conditional
from discreet.inference.null.monte_carlo import MonteCarlo
from discreet.inference.null.problem import NullCurve
from discreet.inference.pairs import PairedResults, independence_pairs
from discreet.inference.result import TestResult
from discreet.inference.tails.weighted_chi2 import weighted_chi2_sf

__all__ = [
    "Bootstrap",
    "ClosedForm",
    "Conditional",
    "Distance",
    "Effect",
    "Ellipse",
    "MeanInterval",
    "MeanIntervals",
    "MeanRegions",
    "MonteCarlo",
    "NullCurve",
    "PairedResults",
    "TestResult",
    "adjust_pvalues",
    "goodness_of_fit",
    "homogeneity",
    "hotelling",
    "independence",
    "independence_many",
    "independence_pairs",
    "mean_intervals",
    "mean_regions",
    "weighted_chi2_sf",
]
