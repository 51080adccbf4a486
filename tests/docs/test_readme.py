"""Every example of the README and the pages runs, in a copy of the examples; the pages name what exists, and all of it.

A fenced block of `python`, `pycon`, `sh` or `console` is run unless the line before it is `<!-- not run: why -->`. Blocks
of Python share one namespace on each page; `pycon` blocks show their output, which is compared; the shell commands of a
page are one script that stops at the first error.
"""

import doctest
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import discreet
from discreet.curator.source.encode import coder

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: [^>]+ -->\s*\Z")
SHELLS = ("sh", "console")


@dataclass(frozen=True)
class Block:
    """A fenced block that is to be run: its language, its text, and the page's line on which the text begins."""

    language: str
    text: str
    line: int


def blocks(page: Path, languages: tuple[str, ...]) -> list[Block]:
    source = page.read_text("utf-8")
    return [
        Block(fence[1], fence[2], source.count("\n", 0, fence.start(2)) + 1)
        for fence in FENCE.finditer(source)
        if fence[1] in languages and not NOT_RUN.search(source[: fence.start()])
    ]


def pages_with(*languages: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, languages)]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The part of a clone that the pages speak of, in a path with a blank."""
    root = tmp_path / "a clone"
    shutil.copytree(ROOT / "examples", root / "examples")
    return root


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "MPLBACKEND": "Agg"}


@pytest.mark.parametrize("page", pages_with("python", "pycon"), ids=name)
def test_the_python_of_a_page_runs(page: Path, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, ("python", "pycon")):
        if block.language == "python":
            code = "\n" * (block.line - 1) + block.text  # so that an error names the page's own line
            exec(compile(code, str(page), "exec"), namespace)
        else:
            session = doctest.DocTestParser().get_doctest(block.text, {}, name(page), str(page), block.line - 1)
            session.globs = namespace
            failures: list[str] = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
                session, out=failures.append, clear_globs=False
            )
            assert not failures, "".join(failures)


@pytest.mark.parametrize("page", pages_with(*SHELLS), ids=name)
def test_the_shell_commands_of_a_page_run(page: Path, clone: Path) -> None:
    lines = [
        line.removeprefix("$ ")
        for block in blocks(page, SHELLS)
        for line in block.text.splitlines()
        if block.language == "sh" or line.startswith("$ ")
    ]
    script = "\n".join(lines)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for written in re.findall(r"(?:-o|--plot) (\S+)", script):
        assert (clone / written).stat().st_size > 0


def test_the_demo_runs_anywhere(tmp_path: Path) -> None:
    here = tmp_path / "another place"
    here.mkdir()
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "ignoring the noise one would have claimed" in done.stdout
    assert "remaining: epsilon = 1.5" in done.stdout
    output = here / "demo-output"
    for picture in ("table.png", "null.png"):
        assert (output / picture).read_bytes().startswith(b"\x89PNG")
    assert discreet.load(output / "smoking_systolic.json").n == 1841
    assert discreet.Ledger(output / "czech.ledger").remaining == 1.5


def test_the_first_page_can_be_included_elsewhere() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    assert page.startswith("# Discreet")
    first = page.split("<!-- first page -->")[1].split("<!-- end of first page -->")[0]
    assert not re.search(r"\]\((?!https?://|#)", first), "a relative link breaks where the page is included"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if not target.startswith(("https://", "#")):
                assert (page.parent / target.split("#")[0]).exists(), f"{name(page)} links to {target}"


def test_every_public_name_is_documented() -> None:
    api = (ROOT / "docs" / "api.md").read_text("utf-8")
    rooms = ("privacy", "noise", "mechanisms", "inference", "estimate", "lab")
    for room in ("discreet", *(f"discreet.{name}" for name in rooms)):
        for public in importlib.import_module(room).__all__:
            documented = rf":: discreet\.(\w+\.)*{public}$"
            assert public.startswith("__") or re.search(documented, api, re.MULTILINE), f"{room}.{public}"


def test_the_cases_of_strays_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "schema.md").read_text("utf-8")
    cases = re.findall(r"^\| `(\[.+?\])` \| `(.+?)` \| (.+?) \|$", page, re.MULTILINE)
    assert len(cases) > 25
    names = {"date": date, "datetime": datetime, "Decimal": Decimal, "float": float}
    for declared, value, counts_as in cases:
        column = discreet.Categorical(eval(declared))
        code = coder(column.spellings)(eval(value, names))
        assert (column.labels[code] if code >= 0 else "stray") == counts_as, (declared, value)


def test_the_measured_levels_are_those_of_the_script() -> None:
    """Each setting has its line in docs/tests.md. The numbers themselves take minutes: the slow tests bound them."""
    script = ROOT / "docs" / "measure_level.py"
    spec = importlib.util.spec_from_file_location("measure_level", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["measure_level"] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["measure_level"]
    page = (ROOT / "docs" / "tests.md").read_text("utf-8")
    for setting in module.SETTINGS:
        assert f"\n| {setting.test} | {setting.n} | {setting.noise} | 0." in page, setting.test
