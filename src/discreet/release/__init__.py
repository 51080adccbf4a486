"""What crosses the wall: immutable values that carry noisy numbers, the law of their noise, and nothing else."""

from discreet.release.cdf import CdfRelease
from discreet.release.histogram import HistogramRelease
from discreet.release.io import load
from discreet.release.means import MeanRelease
from discreet.release.moments import MomentsRelease
from discreet.release.sample import SampleRelease
from discreet.release.selection import SelectionRelease
from discreet.release.series import SeriesRelease
from discreet.release.table import TableRelease

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
