"""The two small Sphinx extensions of the pages: what they make of a docstring and of the API page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def extension(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        (
            "The law is\n\n    Q = |w|\n    two lines\n\nand so on.",
            "The law is\n\n::\n\n    Q = |w|\n    two lines\n\nand so on.",
        ),
        ("As follows:\n\n    p_1 p_2", "As follows::\n\n    p_1 p_2"),
        ("name : int\n    A text.\n\n    More of it.", "name : int\n    A text.\n\n    More of it."),
        ("- an item\n\n    with more", "- an item\n\n    with more"),
        ("At most |x - y|, see `a|b`.", r"At most \|x - y\|, see `a|b`."),
        ("Shape (count, *shape), *emphasis* stays.", r"Shape (count, \*shape), *emphasis* stays."),
        ("A sum of T_ij T_.j / n.", r"A sum of T_ij T\_.j / n."),
        (">>> a | b\n|c|\n\n|d|", ">>> a | b\n|c|\n\n\\|d\\|"),
    ],
)
def test_a_docstring_is_read_as_plain_text(docstring: str, shown: str) -> None:
    lines = docstring.split("\n")
    extension("plain_docstrings")._plain(None, "function", "f", None, None, lines)
    assert "\n".join(lines) == shown


def test_every_name_of_the_api_page_stands_at_a_glance() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    found = extension("names_at_a_glance").sections(page)
    names = [name for each in found.values() for name in each]
    assert names == re.findall(r":: (discreet\.\S+)$", re.sub(r"\.\. automodule.*", "", page), re.MULTILINE)
    assert len(names) == len(set(names)) > 100
    assert "" not in found
