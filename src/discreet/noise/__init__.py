"""The laws of noise: one file a law, each with variance, cdf, characteristic and moment generating function, simulation."""

from discreet.noise import calibrate
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.draw_law import DrawLaw
from discreet.noise.gaussian import Gaussian
from discreet.noise.joint import JointNoise
from discreet.noise.laplace import Laplace
from discreet.noise.projected import ProjectedGaussian

__all__ = [
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DrawLaw",
    "Gaussian",
    "JointNoise",
    "Laplace",
    "ProjectedGaussian",
    "calibrate",
]
