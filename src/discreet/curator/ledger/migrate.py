"""A ledger of an older format, brought up to date when it is opened: all in one transaction, so never half of it.

Format 1 had no chain, and no stored sum. Its entries are checked as format 1 checked them, and chained in their order.
A program that reads format 1 only refuses the file from then on.
"""

from __future__ import annotations

import json
import sqlite3

from discreet.curator.ledger.accounting import Rule, Units, rule_for, total
from discreet.curator.ledger.book import Book
from discreet.curator.ledger.chain import linked, seal
from discreet.curator.ledger.entry import Row, cost_of
from discreet.curator.ledger.header import Header
from discreet.curator.ledger.sqlite_schema import CREATE, GUARD
from discreet.errors import FormatError
from discreet.privacy.guarantee import guarantee_from_dict

_FIRST = "seq, request_id, specification, amount, delta, units, delta_units, adjacency, unit, fixed, charged_at, state"


def upgrade(connection: sqlite3.Connection, book: Book, name: str) -> None:
    """Rewrite format 1 as the present one, inside of the transaction that is open.

    Raises
    ------
    FormatError
        The entries do not follow one another, or contradict their costs or the budget.
    """
    try:
        header, rows, payloads = _read_first(connection)
    except (ValueError, TypeError, KeyError, sqlite3.OperationalError):
        raise FormatError(f"{name} is not a ledger, or it is damaged; nothing was charged") from None
    for kind, thing in connection.execute("SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL").fetchall():
        if kind == "trigger":
            connection.execute(f'DROP TRIGGER "{thing}"')
    connection.execute("DROP TABLE entry")
    connection.execute("DROP TABLE budget")
    for statement in _statements(CREATE + GUARD):  # not executescript, which would commit first
        connection.execute(statement)
    book.write_header(header.to_row())
    head = header.genesis
    for row in rows:
        book.take(row.price)
        new = linked(row._replace(state="CHARGED"), head)
        book.append(new)
        head = new.head
        if row.state == "RELEASED":
            book.release(new.seq, payloads[new.seq], seal(new.head, payloads[new.seq]))


def _read_first(connection: sqlite3.Connection) -> tuple[Header, list[Row], dict[int, str]]:
    columns = "guarantee, accounting, currency, total, total_delta, ledger_id"
    ((guarantee, accounting, currency, *totals, ledger_id),) = connection.execute(f"SELECT {columns} FROM budget")
    budget, rule = guarantee_from_dict(json.loads(guarantee)), Rule(currency, Units(*map(int, totals)))
    if accounting == "sum" and rule != rule_for(budget, accounting):
        raise ValueError("the total is not the budget's")
    header = Header.named(ledger_id, budget, accounting, rule, None)
    rows: list[Row] = []
    payloads: dict[int, str] = {}
    for *values, state, payload in connection.execute(f"SELECT {_FIRST}, payload FROM entry ORDER BY seq"):
        values[5:7] = map(int, values[5:7])
        row = Row._make([*values, "", "", state, None])
        if row.seq != len(rows) + 1 or rule.units(cost_of(row, rule.currency)) != row.price:
            raise ValueError("an entry contradicts itself")
        rows.append(row)
        payloads[row.seq] = payload
    if not total(row.price for row in rows).within(rule.total):
        raise ValueError("the budget is overspent")
    return header, rows, payloads


def _statements(script: str) -> list[str]:
    """The statements of a script; those of a trigger stay together."""
    statements, open_one = [], ""
    for line in script.splitlines(keepends=True):
        open_one += line
        if sqlite3.complete_statement(open_one):
            statements.append(open_one)
            open_one = ""
    return statements
