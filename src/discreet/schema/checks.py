"""What the arguments of a schema must be, and the errors that say so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from discreet.errors import InvalidInput


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InvalidInput:
    """The error for a name that is not there: it lists the known ones and the nearest."""
    names = list(known)
    nearest = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return InvalidInput(f"unknown {kind} {name!r}; known: {', '.join(map(repr, names)) or 'none'}{hint}")


def known_keys(where: str, declared: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """A copy of a mapping all of whose keys are known."""
    if not isinstance(declared, Mapping):
        raise InvalidInput(f"{where} must be a mapping with {', '.join(known)}")
    for key in declared:
        if key not in known:
            raise unknown_name(f"entry of {where}", key, known)
    return dict(declared)


def whole(name: str, number: object, bits: int) -> None:
    """Refuse what is no whole number from 1 to 2**bits."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 2**bits:
        raise InvalidInput(f"{name} must be a whole number from 1 to 2**{bits}, got {number!r}")


def check_unit(unit: object, most: object, columns: Container[str], fixed: str | None) -> None:
    """Refuse a privacy unit that does not fit the rest of the schema."""
    if unit is None:
        if most is not None:
            raise InvalidInput(
                "max_records says how many records of one person count: it needs unit=, the column of persons"
            )
        return
    if not isinstance(unit, str) or not unit:
        raise InvalidInput(f"unit must be the name of the column that says whose record it is, got {unit!r}")
    if most is None:
        raise InvalidInput(f"unit={unit!r} needs max_records=, the public number of records of one person that count")
    whole("max_records", most, 20)
    if unit in columns:
        raise InvalidInput(f"the unit {unit!r} tells persons apart, so it cannot be tabulated: take it out of columns")
    if fixed is not None:
        raise InvalidInput(
            f"fixed={fixed!r} needs public numbers of records in its groups, which unit={unit!r} does not give: a person who "
            "is replaced may have had more records or fewer"
        )
