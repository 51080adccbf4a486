"""A series release as a JSON document and back."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.release.densities.drawn import SHARED, shared_document, shared_parts
from discreet.release.densities.drawn_text import statement
from discreet.release.densities.series import SeriesRelease
from discreet.release.io import Document, Kind, register
from discreet.release.parts import keys, typed

READING = (
    "With x the column rescaled from its declared bounds to [0, 1], drawn[j - 1] / 2^(exponent + 20) is the noisy sum over "
    "the records of sqrt(2) cos(pi j x), and this divided by n the coefficient beta_j of the density "
    "1 + sum_j beta_j sqrt(2) cos(pi j x). The noise's scale is in units of 2^-20 of such a sum."
)

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them


def to_document(release: SeriesRelease) -> Document:
    """What a series' file says."""
    own = {"column": release.column_name, "terms": release.terms}
    return {"guaranteed": statement(release), "reading": READING, **own, **shared_document(release)}


def from_document(document: Document) -> SeriesRelease:
    """The series that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, "column", "terms", *SHARED))
    for part in TEXTS:
        typed(part, document[part], str)
    release = SeriesRelease(column_name=typed("column", document["column"], str), **shared_parts(document))
    if typed("terms", document["terms"], int) != release.terms:
        raise FormatError(f"drawn holds {release.terms} numbers, and terms says {document['terms']}")
    return release


register(Kind("series", SeriesRelease, to_document, from_document))
