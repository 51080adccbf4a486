"""A table release as a JSON document and back: what is stored, how to read it without this program, and every check."""

from __future__ import annotations

import math
import re
from typing import Any

from discreet.errors import DiscreetError, FormatError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import Guarantee, guarantee_from_dict
from discreet.release.io import Document, Kind, register
from discreet.release.table import TableRelease
from discreet.release.text import statement
from discreet.schema import Schema

WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,999})", re.ASCII)

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
    """What a table's file says. The integers are text because other languages read JSON numbers as floats."""
    sizes = release.group_sizes
    return {
        "guaranteed": statement(release),
        "reading": READING if sizes is None else READING_BY_GROUP,
        "schema": release.schema.to_dict(),
        "columns": list(release.column_names),
        "noise": {"mechanism": release.mechanism, "scale": release.scale},
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "cost": _cost_document(release.cost),
        "n": release.n,
        **({} if sizes is None else {GROUPED: list(sizes)}),
        "versions": dict(release.versions),
        "exponent": release.exponent,
        "drawn": [str(y) for y in release.drawn],
    }


def from_document(document: Document) -> TableRelease:
    """The table that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    sizes = None if GROUPED not in document else _typed(GROUPED, document[GROUPED], list)
    _keys("the file", document, PARTS if sizes is None else (*PARTS, GROUPED))
    for part in TEXTS:
        _typed(part, document[part], str)
    noise = _typed("noise", document["noise"], dict)
    _keys("noise", noise, ("mechanism", "scale"))
    return TableRelease(
        schema=_schema(document["schema"]),
        column_names=tuple(_typed("a column", name, str) for name in _typed("columns", document["columns"], list)),
        drawn=_drawn(document["drawn"]),
        exponent=_typed("exponent", document["exponent"], int),
        mechanism=_typed("noise.mechanism", noise["mechanism"], str),
        scale=_number("noise.scale", noise["scale"]),
        guarantee=_guarantee(document["guarantee"]),
        cost=_cost(document["cost"]),
        n=None if document["n"] is None else _typed("n", document["n"], int),
        versions=_versions(document["versions"]),
        group_sizes=None if sizes is None else tuple(_typed("a group size", size, int) for size in sizes),
    )


def _cost_document(cost: Cost | None) -> Document | None:
    return None if cost is None else {"currency": cost.currency, "amount": cost.amount, "delta": cost.delta}


_WANTED = {dict: "an object", list: "a list", str: "text", int: "an integer"}


def _typed(name: str, value: object, wanted: type) -> Any:
    # Exact types: JSON's true would pass for the integer 1.
    if type(value) is not wanted:
        raise FormatError(f"{name} must be {_WANTED[wanted]}, not {_short(value)}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _keys(name: str, found: Document, wanted: tuple[str, ...]) -> None:
    missing, unknown = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    if missing:
        raise FormatError(f"{name} lacks {', '.join(missing)}")
    if unknown:
        raise FormatError(f"{name} has the unknown part {_short(unknown[0])}")


def _number(name: str, value: object) -> float:
    if type(value) is not int and type(value) is not float:
        raise FormatError(f"{name} must be a number, not {_short(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FormatError(f"{name} must be a finite number, not {_short(value)}")
    return number


def _schema(value: object) -> Schema:
    try:
        return Schema.from_dict(_typed("schema", value, dict))
    except DiscreetError as problem:
        raise FormatError(f"schema: {problem}") from problem
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as problem:
        raise FormatError("schema is damaged") from problem


def _guarantee(value: object) -> Guarantee | None:
    if value is None:
        return None
    try:
        return guarantee_from_dict(_typed("guarantee", value, dict))
    except DiscreetError as problem:
        raise FormatError(f"guarantee: {problem}") from problem
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as problem:
        raise FormatError("guarantee is damaged") from problem


def _cost(value: object) -> Cost | None:
    if value is None:
        return None
    cost = _typed("cost", value, dict)
    _keys("cost", cost, ("currency", "amount", "delta"))
    if cost["currency"] not in ("epsilon", "mu", "rho", "approx"):
        raise FormatError(f"cost.currency is unknown: {_short(cost['currency'])}")
    amount, delta = _number("cost.amount", cost["amount"]), _number("cost.delta", cost["delta"])
    if amount < 0 or not 0 <= delta < 1:
        raise FormatError("cost must not be negative, and its delta lies below 1")
    return Cost(cost["currency"], amount, delta)


def _versions(value: object) -> dict[str, str]:
    return {key: _typed(f"versions.{key}", text, str) for key, text in _typed("versions", value, dict).items()}


def _drawn(value: object) -> tuple[int, ...]:
    texts = _typed("drawn", value, list)
    for text in texts:
        if type(text) is not str or not WHOLE_NUMBER.fullmatch(text):
            raise FormatError(f"drawn holds {_short(text)}, which is no whole number in quotes")
    return tuple(map(int, texts))


register(Kind("table", TableRelease, to_document, from_document))
