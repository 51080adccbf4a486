"""A table release as a JSON document and back: what is stored, how to read it without this program, and every check."""

from __future__ import annotations

from discreet.release.io import Document, Kind, register
from discreet.release.parts import (
    cost_document,
    cost_part,
    guarantee_part,
    integers,
    keys,
    number,
    schema_part,
    typed,
    versions_part,
)
from discreet.release.tables.table import TableRelease
from discreet.release.text import statement

READING = (
    "drawn holds the declared cells row-major (the last column varies fastest), then the other cell unless the schema "
    "is complete. A count is drawn / 2^exponent. For ProjectedGaussian it is "
    "(drawn + m (2^exponent n - sum of drawn) / M) / 2^exponent, "
    "with m the number of tabulated cells summed into it (1 for the other cell) and M the sum of all m."
)


READING_BY_GROUP = (
    "This table is by the schema's fixed column, and every group (label) has noise of its own. drawn holds the declared "
    "cells row-major; unless the schema is complete, then the cells of the group of undeclared labels, row-major over the "
    "other columns, and then the other cell of each group, that of the undeclared labels last. A count is drawn / "
    "2^exponent. For ProjectedGaussian it is (drawn + m (2^exponent group_size - sum of drawn in the group) / M) / "
    "2^exponent, with m the number of tabulated cells summed into it (1 for an other cell) and M the sum of all m in the "
    "group. In a margin over the groups the declared ones and their other cells are summed: group_size and all sums are "
    "then those of the declared groups together, m is their number for the other cell, and the other cell's count is that "
    "plus the size of the group of undeclared labels."
)

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them
PARTS = (*TEXTS, "schema", "columns", "noise", "guarantee", "cost", "n", "versions", "exponent", "drawn")
GROUPED = "group_sizes"  # only in a table by a fixed column


def to_document(release: TableRelease) -> Document:
    """What a table's file says. How the integers are written depends on their number: `discreet.release.packed`."""
    sizes = release.group_sizes
    return {
        "guaranteed": statement(release),
        "reading": READING if sizes is None else READING_BY_GROUP,
        "schema": release.schema.to_dict(),
        "columns": list(release.column_names),
        "noise": {"mechanism": release.mechanism, "scale": release.scale},
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "cost": cost_document(release.cost),
        "n": release.n,
        **({} if sizes is None else {GROUPED: list(sizes)}),
        "versions": dict(release.versions),
        "exponent": release.exponent,
        "drawn": release.drawn,
    }


def from_document(document: Document) -> TableRelease:
    """The table that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    sizes = None if GROUPED not in document else typed(GROUPED, document[GROUPED], list)
    keys("the file", document, PARTS if sizes is None else (*PARTS, GROUPED))
    for part in TEXTS:
        typed(part, document[part], str)
    noise = typed("noise", document["noise"], dict)
    keys("noise", noise, ("mechanism", "scale"))
    return TableRelease(
        schema=schema_part(document["schema"]),
        column_names=tuple(typed("a column", name, str) for name in typed("columns", document["columns"], list)),
        drawn=integers(document["drawn"]),
        exponent=typed("exponent", document["exponent"], int),
        mechanism=typed("noise.mechanism", noise["mechanism"], str),
        scale=number("noise.scale", noise["scale"]),
        guarantee=guarantee_part(document["guarantee"]),
        cost=cost_part(document["cost"]),
        n=None if document["n"] is None else typed("n", document["n"], int),
        versions=versions_part(document["versions"]),
        group_sizes=None if sizes is None else tuple(typed("a group size", size, int) for size in sizes),
    )


register(Kind("table", TableRelease, to_document, from_document))
