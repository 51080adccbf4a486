"""What crosses the wall: immutable values that carry noisy numbers, the law of their noise, and nothing else."""

from discreet.release.choices.sample import SampleRelease
from discreet.release.choices.selection import SelectionRelease
from discreet.release.densities.cdf import CdfRelease
from discreet.release.densities.histogram import HistogramRelease
from discreet.release.densities.series import SeriesRelease
from discreet.release.io import load
from discreet.release.moments.means import MeanRelease
from discreet.release.moments.moments import MomentsRelease
from discreet.release.tables.table import TableRelease

__all__ = [
    "CdfRelease",
    "HistogramRelease",
    "MeanRelease",
    "MomentsRelease",
    "SampleRelease",
    "SelectionRelease",
    "SeriesRelease",
    "TableRelease",
    "load",
]
