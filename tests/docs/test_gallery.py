"""The gallery shows every figure that can be made, each with the command that makes it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from discreet.lab import reproduce

DOCS = Path(__file__).parents[2] / "docs"
LARGEST = 250_000  # bytes


@pytest.mark.parametrize("name", reproduce.FIGURES)
def test_each_figure_stands_in_the_gallery_with_its_command(name: str) -> None:
    page = (DOCS / "gallery.md").read_text("utf-8")
    picture = f"pictures/gallery/{name}.png"
    assert f"]({picture})" in page
    data = " --data DIR" if reproduce.about(name).needs_data else ""
    assert f"\n`discreet lab reproduce {name}{data} --plot {name}.png`\n" in page
    committed = (DOCS / picture).read_bytes()
    assert committed.startswith(b"\x89PNG")
    assert len(committed) < LARGEST


def test_the_script_makes_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    found = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    assert found is not None
    assert found.loader is not None
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    monkeypatch.setattr(script, "PICTURES", tmp_path / "new folder")
    monkeypatch.setattr(sys, "argv", ["make_gallery.py", "testbed", "pvalues-census"])
    script.main()
    assert [path.name for path in (tmp_path / "new folder").iterdir()] == [
        "testbed.png"
    ]  # the other's table is not at hand
