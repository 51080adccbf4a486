"""The laws of noise: one file a law, each with variance, cdf, characteristic and moment generating function, simulation."""

from discreet.noise import calibrate
from discreet.noise.draw_law import DrawLaw
from discreet.noise.gaussian import Gaussian
from discreet.noise.joint import JointNoise
from discreet.noise.laplace import Laplace
from discreet.noise.projected import ProjectedGaussian

__all__ = ["DrawLaw", "Gaussian", "JointNoise", "Laplace", "ProjectedGaussian", "calibrate"]
