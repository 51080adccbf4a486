"""A release of a plan: which verb of the curator, with which arguments, under which guarantee."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.errors import InvalidInput
from discreet.mechanisms import (
    ED,
    EntrywiseGaussian,
    EntrywiseLaplace,
    Exponential,
    Gaussian,
    Laplace,
    MeanDistance,
    ProjectedGaussian,
    SeriesDistance,
    SmoothedHistogram,
)
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.questions import Guarantee
from discreet.runs.entries import Entries
from discreet.schema import unknown_name

COMMON = ("name", "verb", "note", "epsilon", "delta", "mu", "rho")
PROMISES = ("epsilon", "mu", "rho")

_TABLE = {"laplace": Laplace, "gaussian": Gaussian, "projected": ProjectedGaussian}
_MEAN = {"laplace": Laplace, "gaussian": Gaussian}
_MOMENTS = {"laplace": EntrywiseLaplace, "gaussian": EntrywiseGaussian, "ed": ED}
_SAMPLE = ("ks", "mean", "series", "smoothed")


@dataclass(frozen=True)
class ReleaseStep:
    """One release: `arguments` are those of the curator's verb by name, with the guarantee and the mechanism."""

    name: str
    verb: str
    guarantee: Guarantee
    arguments: Mapping[str, Any]
    note: str | None = None

    @property
    def what(self) -> str:
        """In a few words: `table of smoking, systolic`."""
        columns = self.arguments.get("columns", self.arguments.get("column"))
        verb = "selection" if self.verb == "select" else self.verb
        return f"{verb} of {columns if isinstance(columns, str) else ', '.join(columns)}"


def release_step(name: str, given: Mapping[str, Any]) -> ReleaseStep:
    """The release that a table [[release]] of a plan describes; `InvalidInput` where it is none."""
    where = f"release {name!r}"
    verb = given.get("verb")
    if "verb" not in given:
        raise InvalidInput(f"{where} needs the entry 'verb': {', '.join(_VERBS)}")
    if not isinstance(verb, str) or verb not in _VERBS:
        raise unknown_name(f"verb of {where}", verb, _VERBS)
    own, read = _VERBS[verb]
    entries = Entries(where, given, (*COMMON, *own))
    guarantee = _guarantee(entries)
    return ReleaseStep(name, verb, guarantee, {**read(entries), "guarantee": guarantee}, entries.take("note", str))


def _guarantee(entries: Entries) -> Guarantee:
    numbers = {key: entries.take(key, float) for key in (*PROMISES, "delta")}
    given = [key for key in PROMISES if numbers[key] is not None]
    if len(given) != 1:
        raise InvalidInput(f"{entries.where} needs one of epsilon, mu and rho (delta goes with epsilon)")
    if numbers["delta"] is not None and given != ["epsilon"]:
        raise InvalidInput(f"{entries.where}: delta goes with epsilon only")
    try:
        match given[0], numbers[given[0]], numbers["delta"]:
            case "epsilon", float() | int() as epsilon, None:
                return PureDP(epsilon)
            case "epsilon", float() | int() as epsilon, float() | int() as delta:
                return ApproxDP(epsilon, delta)
            case "mu", float() | int() as mu, _:
                return GaussianDP(mu)
            case _, float() | int() as rho, _:
                return ZeroConcentratedDP(rho)
    except InvalidInput as problem:
        raise InvalidInput(f"{entries.where}: {problem}") from None
    raise AssertionError("one of the numbers is given")


def _needed_texts(entries: Entries, key: str) -> list[str]:
    found = entries.texts(key)
    if found is None:
        raise InvalidInput(f"{entries.where} needs the entry {key!r}")
    return found


def _mechanism(entries: Entries, known: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    name = entries.one_of("mechanism", tuple(known))
    return {} if name is None else {"mechanism": known[name]()}


def _tabulated(entries: Entries) -> dict[str, Any]:
    return {"columns": _needed_texts(entries, "columns"), **_mechanism(entries, _TABLE)}


def _mean(entries: Entries) -> dict[str, Any]:
    return {"columns": _needed_texts(entries, "columns"), **_mechanism(entries, _MEAN)}


def _moments(entries: Entries) -> dict[str, Any]:
    return {"columns": _needed_texts(entries, "columns"), **_mechanism(entries, _MOMENTS)}


def _histogram(entries: Entries) -> dict[str, Any]:
    columns = _needed_texts(entries, "columns")
    bins: Any = _whole(entries, "bins")
    return {"column": columns, "bins": bins[0] if len(bins) == 1 else bins, **_mechanism(entries, _TABLE)}


def _series(entries: Entries) -> dict[str, Any]:
    return {"column": entries.need("column", str), "terms": entries.need("terms", int)}


def _cdf(entries: Entries) -> dict[str, Any]:
    return {"column": entries.need("column", str), "points": entries.take("points", int)}


def _sample(entries: Entries) -> dict[str, Any]:
    name = entries.one_of("mechanism", _SAMPLE, "ks")
    terms, cells, share = entries.take("terms", int), entries.take("cells", int), entries.take("uniform_share", float)
    if terms is not None and name != "series":
        raise InvalidInput(f"{entries.where}: terms goes with mechanism = 'series'")
    if (cells is not None or share is not None) and name != "smoothed":
        raise InvalidInput(f"{entries.where}: cells and uniform_share go with mechanism = 'smoothed'")
    if name == "series" and terms is None:
        raise InvalidInput(f"{entries.where}: mechanism = 'series' needs terms, the number of cosines")
    try:
        if name == "smoothed":
            chosen: Any = SmoothedHistogram(cells, share)
        elif name == "mean":
            chosen = Exponential(MeanDistance())
        elif terms is not None:
            chosen = Exponential(SeriesDistance(terms))
        else:
            chosen = Exponential()
    except InvalidInput as problem:
        raise InvalidInput(f"{entries.where}: {problem}") from None
    return {"column": entries.need("column", str), "size": entries.take("size", int), "mechanism": chosen}


def _select(entries: Entries) -> dict[str, Any]:
    matrix = entries.items(
        "score", lambda row: isinstance(row, list) and all(type(x) is int for x in row), "rows of whole numbers"
    )
    return {
        "columns": _needed_texts(entries, "columns"),
        "candidates": entries.texts("candidates"),
        "score": matrix,
    }


def _whole(entries: Entries, key: str) -> list[int]:
    """A whole number, or a list of them."""
    try:
        return [entries.need(key, int)]
    except InvalidInput:
        if key not in entries:
            raise
        return entries.items(key, lambda item: type(item) is int, "whole numbers") or []


_VERBS: dict[str, tuple[tuple[str, ...], Callable[[Entries], dict[str, Any]]]] = {
    "table": (("columns", "mechanism"), _tabulated),
    "mean": (("columns", "mechanism"), _mean),
    "moments": (("columns", "mechanism"), _moments),
    "histogram": (("columns", "bins", "mechanism"), _histogram),
    "series": (("column", "terms"), _series),
    "cdf": (("column", "points"), _cdf),
    "sample": (("column", "size", "mechanism", "terms", "cells", "uniform_share"), _sample),
    "select": (("columns", "candidates", "score"), _select),
}
"""The entries of each verb beside the common ones, and what makes the verb's arguments of them."""
