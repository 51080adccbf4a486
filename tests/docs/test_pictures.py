"""The pictures of the trade-off page are those that its script draws, and small enough for a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
LARGEST = 100_000  # bytes


def test_each_picture_is_drawn_by_the_script_and_shown(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DOCS / "make_pictures.py"), str(tmp_path)], check=True, timeout=120)
    page = (DOCS / "tradeoff.md").read_text("utf-8")
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == ["tradeoff_composition.png", "tradeoff_mechanisms.png"]
    for name in drawn:
        committed = (DOCS / "pictures" / name).read_bytes()
        assert committed.startswith(b"\x89PNG")
        assert len(committed) < LARGEST
        assert f"(pictures/{name})" in page
