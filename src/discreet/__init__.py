"""Discreet: statistical inference under differential privacy.

Release what a confidential table says under a privacy guarantee, and draw conclusions from the release that stay valid
although noise was added. The public names are loaded on first use (PEP 562), so that importing the package is cheap and
an analyst never loads the curator's dependencies.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.curator import Curator as Curator
    from discreet.curator import Ledger as Ledger
    from discreet.inference import TestResult as TestResult
    from discreet.inference.goodness_of_fit import goodness_of_fit as goodness_of_fit
    from discreet.inference.homogeneity import homogeneity as homogeneity
    from discreet.inference.hotelling import hotelling as hotelling
    from discreet.inference.independence import independence as independence
    from discreet.privacy import ApproxDP as ApproxDP
    from discreet.privacy import GaussianDP as GaussianDP
    from discreet.privacy import PureDP as PureDP
    from discreet.privacy import TradeOff as TradeOff
    from discreet.privacy import ZeroConcentratedDP as ZeroConcentratedDP
    from discreet.privacy import compose as compose
    from discreet.release import MeanRelease as MeanRelease
    from discreet.release import MomentsRelease as MomentsRelease
    from discreet.release import TableRelease as TableRelease
    from discreet.release import load as load
    from discreet.schema import Bounded as Bounded
    from discreet.schema import Categorical as Categorical
    from discreet.schema import Schema as Schema

__version__ = "0.1.0"

_ROOMS = {
    "schema": ("Bounded", "Categorical", "Schema"),
    "privacy": ("ApproxDP", "GaussianDP", "PureDP", "TradeOff", "ZeroConcentratedDP", "compose"),
    "release": ("MeanRelease", "MomentsRelease", "TableRelease", "load"),
    "curator": ("Curator", "Ledger"),
    "inference": ("TestResult", "goodness_of_fit", "homogeneity", "hotelling", "independence"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}
_MODULES = (
    "errors",
    "schema",
    "privacy",
    "noise",
    "mechanisms",
    "release",
    "estimate",
    "curator",
    "inference",
    "view",
    "lab",
    "runs",
    "cli",
)

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"discreet.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"discreet.{name}")
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
