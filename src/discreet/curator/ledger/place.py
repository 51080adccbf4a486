"""From the place that was given to the store there: a path is a file, an address a PostgreSQL database."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.curator.ledger.book import Store
from discreet.curator.ledger.header import Header
from discreet.curator.ledger.sqlite import FileStore, create_file
from discreet.errors import InvalidInput

_SCHEMES = ("postgresql://", "postgres://")


def is_address(place: object) -> bool:
    """Whether a place is a database's address.

    >>> is_address("postgresql://curator@db/budget"), is_address("budget.ledger")
    (True, False)
    """
    return isinstance(place, str) and place.startswith(_SCHEMES)


def open_store(place: str | os.PathLike[str]) -> Store:
    if isinstance(place, str) and is_address(place):
        from discreet.curator.ledger.postgres import PostgresStore

        return PostgresStore(place)
    return FileStore(path_of(place, "a ledger's path"))


def create_store(place: str | os.PathLike[str], header: Header) -> None:
    if isinstance(place, str) and is_address(place):
        from discreet.curator.ledger.postgres import create_tables

        create_tables(place, header)
    else:
        create_file(path_of(place, "a ledger's path"), header)


def path_of(path: object, what: str) -> Path:
    """The path as given; bytes, numbers and NUL are refused."""
    given = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(given, str) or "\0" in given:
        raise InvalidInput(f"{what} must be text or a path, without NUL, not {path!r}")
    return Path(given)
