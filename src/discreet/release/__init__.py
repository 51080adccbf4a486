"""What crosses the wall: immutable values that carry noisy numbers, the law of their noise, and nothing else."""

from discreet.release.io import load
from discreet.release.table import TableRelease

__all__ = ["TableRelease", "load"]
