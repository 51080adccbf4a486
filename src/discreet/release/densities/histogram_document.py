"""A histogram release as a JSON document and back."""

from __future__ import annotations

from discreet.release.densities.drawn import SHARED, shared_document, shared_parts
from discreet.release.densities.drawn_text import statement
from discreet.release.densities.histogram import HistogramRelease
from discreet.release.io import Document, Kind, register
from discreet.release.parts import keys, typed

READING = (
    "drawn holds the cells row-major (the last column varies fastest); along a column there are as many equal cells of its "
    "declared bounds as bins says. A count is drawn / 2^exponent. For ProjectedGaussian it is "
    "(drawn + (2^exponent n - sum of drawn) / M) / 2^exponent, with M the number of cells."
)

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them


def to_document(release: HistogramRelease) -> Document:
    """What a histogram's file says."""
    own = {"columns": list(release.column_names), "bins": list(release.bins)}
    return {"guaranteed": statement(release), "reading": READING, **own, **shared_document(release)}


def from_document(document: Document) -> HistogramRelease:
    """The histogram that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, "columns", "bins", *SHARED))
    for part in TEXTS:
        typed(part, document[part], str)
    return HistogramRelease(
        column_names=tuple(typed("a column", name, str) for name in typed("columns", document["columns"], list)),
        bins=tuple(typed("a number of cells", m, int) for m in typed("bins", document["bins"], list)),
        **shared_parts(document),
    )


register(Kind("histogram", HistogramRelease, to_document, from_document))
