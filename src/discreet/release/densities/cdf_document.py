"""A released distribution function as a JSON document and back."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.release.densities.cdf import CdfRelease
from discreet.release.densities.drawn import SHARED, shared_document, shared_parts
from discreet.release.densities.drawn_text import statement
from discreet.release.io import Document, Kind, register
from discreet.release.parts import keys, typed

READING = (
    "The declared bounds are cut into as many equal cells as points says, one more than drawn holds numbers. With C the "
    "lower triangular matrix of C_ts = round(2^20 c_(t-s)), c_0 = 1, c_k = c_(k-1) (2k - 1)/(2k), drawn / 2^exponent is "
    "C x + noise, x the counts of all cells but the last. So the noisy number of records below the t-th inner edge is the "
    "t-th partial sum of C^-1 drawn / 2^exponent. The noise's scale is in the units of C x."
)

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them


def to_document(release: CdfRelease) -> Document:
    """What the file of a distribution function says."""
    own = {"column": release.column_name, "points": release.cells}
    return {"guaranteed": statement(release), "reading": READING, **own, **shared_document(release)}


def from_document(document: Document) -> CdfRelease:
    """The release that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, "column", "points", *SHARED))
    for part in TEXTS:
        typed(part, document[part], str)
    release = CdfRelease(column_name=typed("column", document["column"], str), **shared_parts(document))
    if typed("points", document["points"], int) != release.cells:
        raise FormatError(
            f"drawn holds {len(release.drawn)} numbers for {document['points']} points, which need one less"
        )
    return release


register(Kind("cdf", CdfRelease, to_document, from_document))
