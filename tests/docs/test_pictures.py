"""The pictures of the pages are those that the scripts draw, and small enough for a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LARGEST = 100_000  # bytes

SCRIPTS = {
    "make_pictures.py": {"tradeoff_composition": "tradeoff.md", "tradeoff_mechanisms": "tradeoff.md"},
    "make_tutorial_pictures.py": {
        "start_adjacency": "start.md",
        "start_budget": "start.md",
        "start_epsilon": "start.md",
        "tutorial_null": "tutorials/analyst.md",
        "tutorial_reliability": "tutorials/methodologist.md",
    },
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_picture_is_drawn_by_the_script_and_shown(script: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DOCS / script), str(tmp_path)], check=True, timeout=120)
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(SCRIPTS[script])
    for name, page in SCRIPTS[script].items():
        committed = (DOCS / "pictures" / f"{name}.png").read_bytes()
        assert committed.startswith(b"\x89PNG")
        assert len(committed) < LARGEST
        assert f"pictures/{name}.png)" in (DOCS / page).read_text("utf-8")
