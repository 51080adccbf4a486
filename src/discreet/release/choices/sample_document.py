"""Sample and selection releases as JSON documents and back."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.release.choices.chosen import SHARED, shared_document, shared_parts, statement
from discreet.release.choices.sample import SampleRelease
from discreet.release.choices.selection import SelectionRelease
from discreet.release.io import Document, Kind, register
from discreet.release.parts import keys, short, typed

READING = (
    "A point is lower + code (upper - lower)/J, J being (upper - lower)/step, or 65536 where the column has no step. The "
    "points were drawn together from one private law, so their order says nothing and they are sorted."
)
SELECTION_READING = "chosen is the place of the selected candidate in the list, counted from 0."

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them


def to_document(release: SampleRelease) -> Document:
    """What a sample's file says."""
    return {
        "guaranteed": statement(release),
        "reading": READING,
        "column": release.column_name,
        "mechanism": release.mechanism,
        "parameters": dict(release.parameters),
        **shared_document(release),
        "codes": list(release.codes),
    }


def from_document(document: Document) -> SampleRelease:
    """The sample that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, "column", "mechanism", "parameters", *SHARED, "codes"))
    for part in TEXTS:
        typed(part, document[part], str)
    parameters = typed("parameters", document["parameters"], dict)
    for name, value in parameters.items():
        if type(value) is not int and type(value) is not float:
            raise FormatError(f"the parameter {short(name)} must be a number, not {short(value)}")
    return SampleRelease(
        column_name=typed("column", document["column"], str),
        codes=tuple(typed("a code", code, int) for code in typed("codes", document["codes"], list)),
        mechanism=typed("mechanism", document["mechanism"], str),
        parameters=parameters,
        **shared_parts(document),
    )


def selection_to_document(release: SelectionRelease) -> Document:
    """What a selection's file says."""
    return {
        "guaranteed": statement(release),
        "reading": SELECTION_READING,
        "columns": list(release.column_names),
        "candidates": list(release.candidates),
        "chosen": release.chosen,
        "spread": release.spread,
        **shared_document(release),
    }


def selection_from_document(document: Document) -> SelectionRelease:
    """The selection that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, "columns", "candidates", "chosen", "spread", *SHARED))
    for part in TEXTS:
        typed(part, document[part], str)
    return SelectionRelease(
        column_names=tuple(typed("a column", name, str) for name in typed("columns", document["columns"], list)),
        candidates=tuple(typed("a candidate", name, str) for name in typed("candidates", document["candidates"], list)),
        chosen=typed("chosen", document["chosen"], int),
        spread=typed("spread", document["spread"], int),
        **shared_parts(document),
    )


register(Kind("sample", SampleRelease, to_document, from_document))
register(Kind("selection", SelectionRelease, selection_to_document, selection_from_document))
