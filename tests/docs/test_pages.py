"""Every example of the README and the pages runs, in a copy of the examples; every link leads somewhere.

A fenced block of `python`, `pycon`, `sh` or `console` is run unless the line before it is `<!-- not run: why -->`. The
blocks of a page run in its order, in one folder. Blocks of Python share one namespace; `pycon` blocks show their output,
which is compared; shell commands `discreet ...` run in this process, but for those of the README and what needs bash.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CURATOR = ROOT / "docs" / "tutorials" / "curator.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = ("python", "pycon", "sh", "console")
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: [^>]+ -->\s*\Z")
NEEDS_BASH = re.compile(r"[|&;<>`$()*]|^(?!discreet )")


@dataclass(frozen=True)
class Block:
    """A fenced block that is to be run: its language, its text, and the page's line on which the text begins."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    source = page.read_text("utf-8")
    return [
        Block(fence[1], fence[2], source.count("\n", 0, fence.start(2)) + 1)
        for fence in FENCE.finditer(source)
        if fence[1] in LANGUAGES and not NOT_RUN.search(source[: fence.start()])
    ]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The part of a clone that the pages speak of, in a path with a blank; the current folder."""
    root = tmp_path / "a clone"
    shutil.copytree(ROOT / "examples", root / "examples")
    monkeypatch.chdir(root)
    return root


def run(page: Path) -> dict[str, Any]:
    """Run all blocks of a page in the current folder, and return the names that its Python has made."""
    namespace: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        if block.language == "python":
            code = "\n" * (block.line - 1) + block.text  # so that an error names the page's own line
            exec(compile(code, str(page), "exec"), namespace)
        elif block.language == "pycon":
            session = doctest.DocTestParser().get_doctest(block.text, {}, name(page), str(page), block.line - 1)
            session.globs = namespace
            failures: list[str] = []
            doctest.DocTestRunner(optionflags=SHOWN).run(session, out=failures.append, clear_globs=False)
            assert not failures, "".join(failures)
        else:
            for command in commands(block):
                run_command(command, f"{name(page)}, line {block.line}", as_a_user=page == README)
    return namespace


def commands(block: Block) -> list[str]:
    """The commands of a shell block: lines that end in a backslash go on; comments go, and so does output."""
    lines = block.text.splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [line for line in joined.splitlines() if shlex.split(line, comments=True)]


def run_command(command: str, where: str, *, as_a_user: bool) -> None:
    """Run one command, which must succeed and write the files that it names."""
    words = shlex.split(command, comments=True)
    if as_a_user or NEEDS_BASH.search(" ".join(words)):
        script = ["bash", "-euo", "pipefail", "-c", command]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        done = subprocess.run(script, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120)
        status, said = done.returncode, done.stdout + done.stderr
    else:
        from discreet.cli.app import app

        result = CliRunner().invoke(app, words[1:], prog_name="discreet")
        assert result.exception is None or isinstance(result.exception, SystemExit), (where, command, result.exception)
        status, said = result.exit_code, result.output
    assert status == 0, f"{where}: {command}\n{said}"
    for option, written in pairwise(words):
        if option in ("-o", "--output", "--plot"):
            assert Path(written).stat().st_size > 0, f"{where}: {command} did not write {written}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page) and page != CURATOR], ids=name)
def test_a_page_runs(page: Path, clone: Path) -> None:
    run(page)


def test_the_curators_tutorial_starts_from_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the records that it makes are those of the examples."""
    monkeypatch.chdir(tmp_path)
    run(CURATOR)
    columns, *records = (ROOT / "examples" / "czech.csv").read_text("utf-8").splitlines()
    made, *written = (tmp_path / "czech.csv").read_text("utf-8").splitlines()
    assert made == columns
    assert Counter(written) == Counter(records)


def test_every_block_says_what_it_is() -> None:
    """A block without a language, or with an unknown one, would be neither run nor noticed."""
    known = {*LANGUAGES, "text", "toml", "json", "sql", "{eval-rst}", "{toctree}", "{include}"}
    for page in PAGES:
        for language in re.findall(r"^```(\S+)", page.read_text("utf-8"), re.MULTILINE):
            assert language in known, f"{name(page)}: a block of {language!r}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if not target.startswith(("https://", "#")):
                assert (page.parent / target.split("#")[0]).exists(), f"{name(page)} links to {target}"


def test_every_page_is_in_the_navigation() -> None:
    """Sphinx warns of a page in no table of contents; this names the page and its folder's index without a build."""
    listed: set[Path] = set()
    for index in (ROOT / "docs").rglob("*.md"):
        for entries in re.findall(r"^```{toctree}\n(.*?)^```$", index.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            for entry in entries.splitlines():
                if entry and not entry.startswith(":"):
                    listed.add((index.parent / f"{entry}.md").resolve())
    pages = {page.resolve() for page in (ROOT / "docs").rglob("*.md")} - {(ROOT / "docs" / "index.md").resolve()}
    assert pages == listed
