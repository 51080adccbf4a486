"""The laws of noise, one file each: of one draw, of a table, of a direction, of a covariance matrix."""

from discreet.noise import calibrate
from discreet.noise.bingham import bingham
from discreet.noise.coordinates import CoordinateNoise
from discreet.noise.covariance import EigenNoise, EntrywiseNoise, nearest_psd
from discreet.noise.cumulative import CumulativeNoise
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.draw_law import DrawLaw
from discreet.noise.gaussian import Gaussian
from discreet.noise.joint import JointNoise
from discreet.noise.laplace import Laplace
from discreet.noise.projected import ProjectedGaussian

__all__ = [
    "CoordinateNoise",
    "CumulativeNoise",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DrawLaw",
    "EigenNoise",
    "EntrywiseNoise",
    "Gaussian",
    "JointNoise",
    "Laplace",
    "ProjectedGaussian",
    "bingham",
    "calibrate",
    "nearest_psd",
]
