"""Docstrings are written to be read as plain text; this makes Sphinx read them so.

- An indented block below a paragraph is a formula or a small table: a literal block, line by line.
- A bar is |x|, not a substitution; (count, *shape) holds no emphasis, and T_.j no link.
- A property's docstring is a sentence; Napoleon would read "The number of records: public" as a type and a text.
"""

import re

_NAPOLEON = 500  # its priority
_SPECIAL = re.compile(r"(`[^`]*`)|(\||(?<=[\s(,])\*+(?=\w+[),])|(?<=\w)_(?!\w))")
_LIST_ITEM = re.compile(r"\s*([-*]|\d+\.) ")

_sentences: dict[str, list[str]] = {}


def literal_blocks(lines: list[str]) -> list[str]:
    """The same lines with `::` before each block that is indented below a paragraph."""
    found: list[str] = []
    block: int | None = None  # the indentation of the paragraph above the block we are in
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if block is not None and line.strip() and indent <= block:
            block = None
        above = found[-2] if len(found) > 1 and not found[-1].strip() else ""
        depth = len(above) - len(above.lstrip())
        starts = block is None and above.strip() and indent > depth and not line.lstrip().startswith((">>>", ".. "))
        if starts and not _LIST_ITEM.match(above) and not above.rstrip().endswith("::"):
            found[-2:] = [f"{above}:", ""] if above.endswith(":") else [above, "", f"{' ' * depth}::", ""]
            block = depth
        found.append(line if block is not None else _escaped(line))
    return found


def _escaped(line: str) -> str:
    return _SPECIAL.sub(lambda match: match[1] or "".join(f"\\{character}" for character in match[2]), line)


def _doctests_apart(lines: list[str]) -> list[str]:
    """`literal_blocks` of everything but the examples, which stay as they are."""
    found: list[str] = []
    text: list[str] = []
    example = False
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if example:
            found += [*literal_blocks(text), line] if text else [line]
            text = []
        else:
            text.append(line)
    return found + literal_blocks(text)


def _plain(app, what, name, obj, options, lines):
    lines[:] = _doctests_apart(lines)


def _keep(app, what, name, obj, options, lines):
    if what == "property":
        _sentences[name] = list(lines)


def _restore(app, what, name, obj, options, lines):
    lines[:] = _sentences.pop(name, lines)


def setup(app):
    """Register what happens to a docstring before and after Napoleon."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", _plain, priority=_NAPOLEON - 200)
    app.connect("autodoc-process-docstring", _keep, priority=_NAPOLEON - 100)
    app.connect("autodoc-process-docstring", _restore, priority=_NAPOLEON + 100)
    return {"parallel_read_safe": True}
