"""Studies of methods: what they cost, how they would perform. Nothing here protects records, or needs any."""

from discreet.lab import reproduce, testbed
from discreet.lab.cost import CostStudy, cost
from discreet.lab.densities.beta_mixture import BetaMixture
from discreet.lab.densities.distances import ks_distance, l2_distance
from discreet.lab.densities.histogram_risk import HistogramRisk, histogram_risk, ordinary_risk
from discreet.lab.densities.ks_law import ks_law
from discreet.lab.densities.mise_bins import mise_bins
from discreet.lab.densities.sample_theory import ks_bound, point_mass_bound, points_to_release
from discreet.lab.designs.designs import Design
from discreet.lab.designs.make_designs import fit_design, homogeneity_design, independence_design
from discreet.lab.methods.methods import Discreet, Naive, NonPrivate
from discreet.lab.methods.output_noise import OutputNoise
from discreet.lab.methods.output_sensitivity import output_sensitivity
from discreet.lab.power import power
from discreet.lab.power_study import PowerRow, PowerStudy
from discreet.lab.reliability import Level, ReliabilityStudy, Uniformity, reliability
from discreet.lab.root_search import Candidate
from discreet.lab.sample_size import SampleSize, sample_size
from discreet.mechanisms.choices.small_ball import small_ball

__all__ = [
    "BetaMixture",
    "Candidate",
    "CostStudy",
    "Design",
    "Discreet",
    "HistogramRisk",
    "Level",
    "Naive",
    "NonPrivate",
    "OutputNoise",
    "PowerRow",
    "PowerStudy",
    "ReliabilityStudy",
    "SampleSize",
    "Uniformity",
    "cost",
    "fit_design",
    "histogram_risk",
    "homogeneity_design",
    "independence_design",
    "ks_bound",
    "ks_distance",
    "ks_law",
    "l2_distance",
    "mise_bins",
    "ordinary_risk",
    "output_sensitivity",
    "point_mass_bound",
    "points_to_release",
    "power",
    "reliability",
    "reproduce",
    "sample_size",
    "small_ball",
    "testbed",
]
