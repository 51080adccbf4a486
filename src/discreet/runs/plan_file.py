"""A plan: the releases and tests of a study in one TOML file, read strictly and without looking at any record."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import InvalidInput
from discreet.runs.entries import Entries
from discreet.runs.inference_step import TestStep, read_test
from discreet.runs.release_step import ReleaseStep, release_step
from discreet.schema import Schema

LARGEST_FILE = 2**22  # bytes
MOST_STEPS = 1000

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_KEYS = ("name", "title", "output", "source", "budget", "release", "test")
_CREDENTIALS = re.compile(r"://[^/@\s]*:[^/@\s]*@")


@dataclass(frozen=True)
class RunPlan:
    """A study: records, budget, releases, tests, and the folder that everything is written to.

    Attributes
    ----------
    name : str
        Names the study in the ledger: a release is known there by the names of its plan and its own.
    title : str
        The heading of the report.
    source, ledger : str
        The records, and the ledger: paths (those in the file are relative to it), or addresses with "://".
    records : str
        The records as the file names them: a study that is moved to another place as a whole stays the same.
    schema : Schema
    output : Path
        The folder of the results.
    releases : tuple of ReleaseStep
    tests : tuple of TestStep
    text : str
        The file itself.
    """

    name: str
    title: str
    source: str
    ledger: str
    records: str
    schema: Schema
    output: Path
    releases: tuple[ReleaseStep, ...]
    tests: tuple[TestStep, ...]
    text: str

    def request_id(self, release: str) -> str:
        """By what name a release is known in the ledger."""
        return f"run {self.name}: {release}"


def read_plan(path: str | os.PathLike[str], *, output: str | os.PathLike[str] | None = None) -> RunPlan:
    """Read a plan; every entry is checked as far as it can be without the records.

    Parameters
    ----------
    path : path
        A TOML file: see the page A study in one file.
    output : path, optional
        Another folder for the results than the plan's own.

    Raises
    ------
    InvalidInput
        There is no such file, it is not TOML, or an entry is unknown, missing, of another type, or twice.
    """
    text = _text(path)
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise InvalidInput(f"the plan {os.fspath(path)!r} is not TOML: {problem}") from None
    folder = Path(path).resolve().parent
    entries = Entries("the plan", given, _KEYS)
    name = _name("the plan", entries.need("name", str))
    source = Entries("[source]", entries.need("source", dict), ("path", "schema"))
    budget = Entries("[budget]", entries.need("budget", dict), ("ledger",))
    releases = [
        release_step(step, table) for step, table in _steps("release", entries.take("release", list) or []).items()
    ]
    if not releases:
        raise InvalidInput("the plan needs at least one [[release]]")
    known = {release.name: release for release in releases}
    tests = _steps("test", entries.take("test", list) or [])
    return RunPlan(
        name=name,
        title=entries.take("title", str) or name,
        source=_place(folder, "[source] path", source.need("path", str)),
        ledger=_place(folder, "[budget] ledger", budget.need("ledger", str)),
        records=source.need("path", str),
        schema=_schema(folder, source),
        output=Path(output) if output is not None else folder / (entries.take("output", str) or f"{name}-run"),
        releases=tuple(releases),
        tests=tuple(read_test(name, step, table, known) for step, table in tests.items()),
        text=text,
    )


def _text(path: str | os.PathLike[str]) -> str:
    place = Path(path)
    if not place.is_file():
        raise InvalidInput(f"there is no plan {os.fspath(path)!r}")
    try:
        with place.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise InvalidInput(f"cannot read the plan {os.fspath(path)!r}: {problem.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise InvalidInput(f"the plan {os.fspath(path)!r} is larger than {LARGEST_FILE} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"the plan {os.fspath(path)!r} is not UTF-8 text") from None


def _steps(kind: str, tables: Sequence[Any]) -> dict[str, Mapping[str, Any]]:
    """The tables [[release]] or [[test]] by their names, in order."""
    if len(tables) > MOST_STEPS:
        raise InvalidInput(f"a plan has at most {MOST_STEPS} [[{kind}]], not {len(tables)}")
    found: dict[str, Mapping[str, Any]] = {}
    for place, table in enumerate(tables, start=1):
        where = f"the {place}. [[{kind}]]"
        if not isinstance(table, Mapping) or not isinstance(table.get("name"), str):
            raise InvalidInput(f"{where} needs the entry 'name'")
        name = _name(where, table["name"])
        if name.casefold() in {other.casefold() for other in found}:  # some file systems do not tell A from a
            raise InvalidInput(f"two [[{kind}]] have the name {name!r}: each needs one of its own")
        found[name] = table
    return found


def _name(where: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{where}: a name has 1 to 64 letters of A-Z, digits, - and _ (it names files, too), not {name[:80]!r}"
        )
    return name


def _schema(folder: Path, source: Entries) -> Schema:
    try:
        inline = source.take("schema", dict)
    except InvalidInput:
        return Schema.from_toml(folder / source.need("schema", str))
    if inline is None:
        raise InvalidInput("[source] needs the entry 'schema': a schema file, or a table [source.schema]")
    return Schema.from_dict(inline)


def _place(folder: Path, what: str, given: str) -> str:
    """A path relative to the plan, or an address."""
    if _CREDENTIALS.search(given):
        raise InvalidInput(f"{what} has a password in it, and the report quotes the plan: leave it to the environment")
    if not given or "\0" in given:
        raise InvalidInput(f"{what} must be a path or an address")
    return given if "://" in given else str(folder / given)
