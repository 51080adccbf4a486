"""The demo runs anywhere; what the README and the pages list is what there is, and all of it."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import ModuleType

import pytest

import discreet
from discreet.curator.source.encode import coder

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "MPLBACKEND": "Agg"}


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


def script_of_the_pages(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script of docs/ as a module; its measurements are not made."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_measured_distances_are_those_of_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each scheme has its line in docs/densities.md, for each truth, and each setting its column."""
    module = script_of_the_pages("measure_densities", monkeypatch)
    page = (ROOT / "docs" / "densities.md").read_text("utf-8")
    for n, epsilon in module.SETTINGS:
        assert f"| n = {n}, {epsilon:g} " in page
    for truth in module.TRUTHS:
        for scheme in module.SCHEMES:
            kind = "mu" if scheme.gaussian else "epsilon"
            assert f"\n| {truth} | {scheme.name} | {kind} | 0." in page, (truth, scheme.name)


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
