"""A test of a plan: which test, on which releases or which of their margins, with which options and seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.inference import TestResult, goodness_of_fit, homogeneity, hotelling, independence
from discreet.release import TableRelease
from discreet.runs.entries import Entries
from discreet.runs.release_step import ReleaseStep
from discreet.schema import unknown_name

COMMON = ("name", "test", "note", "null", "seed")

_STATISTICS = ("chi2", "lr", "projected", "minp")
_NULLS = ("auto", "closed-form", "conditional", "monte-carlo", "bootstrap")
_NULLS_OF_MEANS = ("bootstrap", "asymptotic")


@dataclass(frozen=True, eq=False)
class Subject:
    """What a test of tables looks at: its statistic, the tables it makes of its releases, and the probabilities given."""

    statistic: str
    tables: Callable[[Sequence[Any]], list[TableRelease]]
    theta: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class TestStep:
    """One test: `apply` makes it from its releases, in their order; `rehearse` does so with few simulations.

    `subject` is None for a test of means.
    """

    __test__ = False  # not a test class, whatever pytest makes of the name

    name: str
    test: str
    releases: tuple[str, ...]
    seed: int
    apply: Callable[[Sequence[Any]], TestResult]
    rehearse: Callable[[Sequence[Any]], TestResult]
    note: str | None = None
    subject: Subject | None = None


def read_test(plan: str, name: str, given: Mapping[str, Any], releases: Mapping[str, ReleaseStep]) -> TestStep:
    """The test that a table [[test]] of a plan describes; `InvalidInput` where it is none.

    Without `seed` the seed is a function of the plan's and the test's names, so that a run that is repeated gives the same.
    """
    where = f"test {name!r}"
    kind = given.get("test")
    if "test" not in given:
        raise InvalidInput(f"{where} needs the entry 'test': {', '.join(_TESTS)}")
    if not isinstance(kind, str) or kind not in _TESTS:
        raise unknown_name(f"test of {where}", kind, _TESTS)
    own, read = _TESTS[kind]
    entries = Entries(where, given, (*COMMON, *own))
    seed = entries.take("seed", int)
    if seed is None:
        seed = int.from_bytes(hashlib.sha256(f"{plan}/{name}".encode()).digest()[:4])
    if seed < 0:
        raise InvalidInput(f"{where}: seed must be 0 or more, not {seed}")
    used, apply, rehearse, subject = read(entries, seed)
    wanted = "moments" if kind == "hotelling" else "table"
    for release in used:
        if release not in releases:
            raise unknown_name(f"release of {where}", release, releases)
        if (verb := releases[release].verb) != wanted:
            raise InvalidInput(f"{where} needs a release with verb = {wanted!r}, and {release!r} has verb = {verb!r}")
    if len(set(used)) < len(used):
        raise InvalidInput(f"{where}: the samples must be different releases, not {list(used)}")
    return TestStep(name, kind, used, seed, apply, rehearse, entries.take("note", str), subject)


Apply = Callable[[Sequence[Any]], TestResult]
Read = tuple[tuple[str, ...], Apply, Apply, Subject | None]

FEW = 20
"""Simulated releases of a rehearsed bootstrap: it is rehearsed for its errors."""


def _independence(entries: Entries, seed: int) -> Read:
    rows, columns = entries.take("rows", str), entries.take("columns", str)
    if (rows is None) != (columns is None):
        raise InvalidInput(f"{entries.where}: rows and columns go together")
    how = _how(entries)

    def apply(found: Sequence[Any]) -> TestResult:
        return independence(found[0], rows, columns, **how, rng=seed)

    def tables(found: Sequence[Any]) -> list[TableRelease]:
        return [found[0] if rows is None else found[0].margin([rows, columns])]

    return (entries.need("release", str),), apply, apply, Subject(how["statistic"], tables)


def _goodness_of_fit(entries: Entries, seed: int) -> Read:
    margin, how = entries.texts("margin"), _how(entries)
    theta = _numbers(entries, entries.need("theta", list))

    def tables(found: Sequence[Any]) -> list[TableRelease]:
        return [found[0] if margin is None else found[0].margin(margin)]

    def apply(found: Sequence[Any]) -> TestResult:
        (table,) = tables(found)
        if theta.size != table.counts.size:
            raise InvalidInput(
                f"the table has {table.counts.size} cells ({' x '.join(map(str, table.shape))}), but theta has "
                f"{theta.size} numbers: give one a cell, row by row"
            )
        return goodness_of_fit(table, theta.reshape(table.shape), **how, rng=seed)

    return (entries.need("release", str),), apply, apply, Subject(how["statistic"], tables, theta)


def _homogeneity(entries: Entries, seed: int) -> Read:
    margin, how, used = entries.texts("margin"), _how(entries), _releases(entries)

    def tables(found: Sequence[Any]) -> list[TableRelease]:
        return [table if margin is None else table.margin(margin) for table in found]

    def apply(found: Sequence[Any]) -> TestResult:
        samples = tables(found)
        if len(samples) == 1 and len(samples[0].shape) != 2:
            raise InvalidInput(
                "it needs two releases or more, one a sample, or a two-way one whose rows are the samples"
            )
        return homogeneity(*samples, **how, rng=seed)

    return used, apply, apply, Subject(how["statistic"], tables)


def _hotelling(entries: Entries, seed: int) -> Read:
    used = _releases(entries)
    if len(used) > 2:
        raise InvalidInput(f"{entries.where}: one or two releases, not {len(used)}")
    null = entries.one_of("null", _NULLS_OF_MEANS, "bootstrap")
    replicates, groups, mean = (
        entries.take("replicates", int),
        entries.items("groups", _is_label, "labels"),
        _mean(entries),
    )
    if len(used) == 2 and (groups is not None or mean is not None):
        raise InvalidInput(f"{entries.where}: groups and mean are for one release")
    full = 1000 if replicates is None else replicates

    def apply(found: Sequence[Any], times: int = full) -> TestResult:
        return hotelling(*found, groups=groups, mean=mean, null=null or "", replicates=times, rng=seed)

    return used, apply, lambda found: apply(found, min(full, FEW)), None


def _how(entries: Entries) -> dict[str, Any]:
    return {
        "statistic": entries.one_of("statistic", _STATISTICS, "chi2"),
        "null": entries.one_of("null", _NULLS, "auto"),
    }


def _releases(entries: Entries) -> tuple[str, ...]:
    if ("release" in entries) == ("releases" in entries):
        raise InvalidInput(f"{entries.where} needs either release (one) or releases (a list)")
    return tuple(entries.texts("releases") or [entries.need("release", str)])


def _mean(entries: Entries) -> Any:
    """A number for each column, in order or by name."""
    try:
        named = entries.take("mean", dict)
    except InvalidInput:
        return entries.items("mean", lambda item: type(item) in (int, float), "numbers")
    if named is not None and not all(type(number) in (int, float) for number in named.values()):
        raise InvalidInput(f"{entries.where}: mean must give each column a number")
    return named


def _is_label(item: Any) -> bool:
    return isinstance(item, str | int | bool)


def _numbers(entries: Entries, values: list[Any]) -> NDArray[np.float64]:
    """Numbers, in rows or not."""
    flat = [x for row in values for x in (row if isinstance(row, list) else [row])]
    if not flat or not all(type(x) in (int, float) for x in flat):
        raise InvalidInput(f"{entries.where}: theta must be a list of numbers, or of rows of numbers")
    return np.array(flat, float)


_TABLES = ("statistic",)
_TESTS: dict[str, tuple[tuple[str, ...], Callable[[Entries, int], Read]]] = {
    "independence": (("release", "rows", "columns", *_TABLES), _independence),
    "goodness-of-fit": (("release", "margin", "theta", *_TABLES), _goodness_of_fit),
    "homogeneity": (("release", "releases", "margin", *_TABLES), _homogeneity),
    "hotelling": (("release", "releases", "groups", "mean", "replicates"), _hotelling),
}
"""The entries of each test beside the common ones, and what reads them."""
