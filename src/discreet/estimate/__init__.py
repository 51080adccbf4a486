"""Better numbers out of a release: post-processing only, so an estimate has the guarantee of the release it came from."""

from discreet.estimate.band import CdfBand, cdf_band
from discreet.estimate.density import density
from discreet.estimate.empirical import Empirical
from discreet.estimate.estimate import Estimate
from discreet.estimate.expected_loss import expected_loss
from discreet.estimate.isotonic import isotonic
from discreet.estimate.james_stein import JamesStein, james_stein
from discreet.estimate.piecewise import BoxDensity, Density
from discreet.estimate.simplex import simplex
from discreet.estimate.synthesize import synthesize

__all__ = [
    "BoxDensity",
    "CdfBand",
    "Density",
    "Empirical",
    "Estimate",
    "JamesStein",
    "cdf_band",
    "density",
    "expected_loss",
    "isotonic",
    "james_stein",
    "simplex",
    "synthesize",
]
