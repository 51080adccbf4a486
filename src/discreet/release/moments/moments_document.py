"""Released means and covariances as a JSON document and back: what is stored, how to read it, and every check."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.release.io import Document, Kind, register
from discreet.release.moments.covariance_draws import CovarianceDraws, EntryDraws, IdealisedDraws
from discreet.release.moments.means_document import (
    NUMBERS,
    READING,
    SHARED,
    TEXTS,
    exponents_part,
    means_of,
    numbers,
    numbers_part,
    shared_document,
)
from discreet.release.moments.means_text import moments_statement
from discreet.release.moments.moments import MomentsRelease
from discreet.release.parts import keys, number, short, typed, whole_numbers

ENTRIES = (
    "covariance.drawn holds, one row a group, the upper triangle row by row of C = (n Q - s s')/(n - 1) plus noise, times "
    "2^exponent, with the codes' sums s and sums of products Q and n the records in the group; the covariance of columns a "
    "and b (divisor n - 1) is step_a step_b (drawn / 2^exponent) / n, before the nearest positive semidefinite matrix is "
    "taken, every column rescaled to [-1, 1]."
)
IDEALISED = (
    "covariance.matrices holds, for each group, the upper triangle row by row of the released covariance with every column "
    "rescaled to [-1, 1]. It is idealised: eigenvalues with Laplace noise of scale eigenvalue_scale / n and directions u with "
    "density proportional to exp(exponent n u'Su), all drawn in floating point."
)
ENTRY_PARTS = ("mechanism", "family", "scales", "exponents", "drawn")
IDEALISED_PARTS = ("mechanism", "eigenvalue_scale", "exponent", "matrices")


def to_document(release: MomentsRelease) -> Document:
    """What the file of released moments says."""
    return {
        "guaranteed": moments_statement(release),
        "reading": f"means: {READING} {IDEALISED if release.idealised else ENTRIES}",
        **shared_document(release.mean),
        "means": numbers(release.mean),
        "covariance": _covariance_document(release.covariance),
    }


def from_document(document: Document) -> MomentsRelease:
    """The moments that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, *SHARED, "means", "covariance"))
    for part in TEXTS:
        typed(part, document[part], str)
    means = typed("means", document["means"], dict)
    keys("means", means, NUMBERS)
    covariance = typed("covariance", document["covariance"], dict)
    return MomentsRelease(means_of(means, document), _covariance_part(covariance))


def _covariance_document(draws: CovarianceDraws) -> Document:
    if isinstance(draws, EntryDraws):
        return {
            "mechanism": draws.mechanism,
            "family": draws.family,
            "scales": list(draws.scales),
            "exponents": list(draws.exponents),
            "drawn": [str(y) for y in draws.drawn],
        }
    return {
        "mechanism": draws.mechanism,
        "eigenvalue_scale": draws.eigenvalue_scale,
        "exponent": draws.exponent,
        "matrices": [list(matrix) for matrix in draws.matrices],
    }


def _covariance_part(found: Document) -> CovarianceDraws:
    if found.get("mechanism") != "ED":
        keys("covariance", found, ENTRY_PARTS)
        return EntryDraws(
            mechanism=typed("covariance.mechanism", found["mechanism"], str),
            family=typed("covariance.family", found["family"], str),
            scales=numbers_part("covariance.scales", found["scales"]),
            exponents=exponents_part("covariance.exponents", found["exponents"]),
            drawn=whole_numbers(found["drawn"]),
        )
    keys("covariance", found, IDEALISED_PARTS)
    matrices = typed("covariance.matrices", found["matrices"], list)
    if not all(type(matrix) is list for matrix in matrices):
        raise FormatError(f"covariance.matrices must hold lists, not {short(matrices)}")
    return IdealisedDraws(
        eigenvalue_scale=number("covariance.eigenvalue_scale", found["eigenvalue_scale"]),
        exponent=number("covariance.exponent", found["exponent"]),
        matrices=tuple(numbers_part("covariance.matrices", matrix) for matrix in matrices),
    )


register(Kind("moments", MomentsRelease, to_document, from_document))
