"""The directive `names-at-a-glance`: a table of the names on the API page, section by section, with their first lines.

The API page is the one list of public names; this reads it, so that the tables cannot fall behind.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

_HEADING = re.compile(r"^#{2,3} (.+)$")
_NAME = re.compile(r"^\.\. auto(?:class|function|data):: (discreet\.\S+)$")


def sections(page: str) -> dict[str, list[str]]:
    """Heading: the documented names below it, without headings that have none."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in page.splitlines():
        if title := _HEADING.match(line):
            heading = title[1]
        elif name := _NAME.match(line):
            found.setdefault(heading, []).append(name[1])
    return found


class NamesAtAGlance(SphinxDirective):
    """Without arguments or content."""

    def run(self) -> list[nodes.Node]:
        page = Path(self.env.srcdir) / "api.md"
        self.env.note_dependency(str(page))
        lines: list[str] = []
        for heading, names in sections(page.read_text("utf-8")).items():
            lines += [f".. rubric:: {heading}", "", ".. autosummary::", "   :nosignatures:", ""]
            lines += [*(f"   ~{name}" for name in names), ""]
        where = nodes.container()
        self.state.nested_parse(StringList(lines, source=str(page)), self.content_offset, where)
        return where.children


def setup(app):
    """Register the directive."""
    app.add_directive("names-at-a-glance", NamesAtAGlance)
    return {"parallel_read_safe": True}
