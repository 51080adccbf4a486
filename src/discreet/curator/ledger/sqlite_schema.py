"""The tables of a ledger's file, and the triggers that keep an entry from being changed or taken back. Format 2.

One row holds the budget with the number and the sum of all charges; one row each charge, chained to the one before. A
number of units is decimal text of 60 digits (integers of SQLite end at 19), so that text compares as the numbers do and
the file itself refuses a sum above the total. An entry goes once from CHARGED to RELEASED, when the payload that was
published is stored and sealed with it, and is otherwise never changed.
"""

from __future__ import annotations

APPLICATION_ID = 0x4453434C
"""The letters DSCL, in the file's header, where SQLite keeps the identity of the program that owns a database."""

FORMAT = 2

DIGITS = 60
"""Of a stored number of units: room for 10^20 of 10^-40 each; the largest budget takes 46."""

_UNITS = f"TEXT NOT NULL CHECK (length({{0}}) = {DIGITS} AND {{0}} NOT GLOB '*[^0-9]*')"

CREATE = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE budget (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ledger_id TEXT NOT NULL,
    guarantee TEXT NOT NULL,
    accounting TEXT NOT NULL,
    currency TEXT NOT NULL,
    total {_UNITS.format("total")},
    total_delta {_UNITS.format("total_delta")},
    genesis TEXT NOT NULL CHECK (length(genesis) = 64),
    witness TEXT,
    seq INTEGER NOT NULL CHECK (seq >= 0),
    spent {_UNITS.format("spent")},
    spent_delta {_UNITS.format("spent_delta")},
    CHECK (spent <= total AND spent_delta <= total_delta)
) STRICT;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    request_id TEXT NOT NULL UNIQUE,
    specification TEXT NOT NULL,
    amount TEXT NOT NULL,
    delta TEXT NOT NULL,
    units {_UNITS.format("units")},
    delta_units {_UNITS.format("delta_units")},
    adjacency TEXT NOT NULL,
    unit TEXT NOT NULL,
    fixed TEXT,
    charged_at TEXT NOT NULL,
    previous TEXT NOT NULL,
    head TEXT NOT NULL UNIQUE CHECK (length(head) = 64),
    state TEXT NOT NULL CHECK (state IN ('CHARGED', 'RELEASED')),
    payload TEXT,
    seal TEXT CHECK (length(seal) = 64),
    CHECK (units || delta_units GLOB '*[1-9]*'),
    CHECK ((state = 'RELEASED') = (payload IS NOT NULL) AND (payload IS NULL) = (seal IS NULL))
) STRICT;
"""

GUARD = """
CREATE TRIGGER budget_is_written_once BEFORE INSERT ON budget WHEN EXISTS (SELECT 1 FROM budget)
    BEGIN SELECT RAISE(ABORT, 'the budget is written once'); END;
CREATE TRIGGER budget_is_only_spent BEFORE UPDATE ON budget
    WHEN NOT (NEW.id = OLD.id AND NEW.ledger_id = OLD.ledger_id AND NEW.guarantee = OLD.guarantee
        AND NEW.accounting = OLD.accounting AND NEW.currency = OLD.currency AND NEW.total = OLD.total
        AND NEW.total_delta = OLD.total_delta AND NEW.genesis = OLD.genesis AND NEW.witness IS OLD.witness
        AND NEW.seq = OLD.seq + 1 AND NEW.spent >= OLD.spent AND NEW.spent_delta >= OLD.spent_delta
        AND NEW.spent || NEW.spent_delta > OLD.spent || OLD.spent_delta)
    BEGIN SELECT RAISE(ABORT, 'a budget is only ever spent'); END;
CREATE TRIGGER budget_is_never_deleted BEFORE DELETE ON budget
    BEGIN SELECT RAISE(ABORT, 'the budget is never deleted'); END;
CREATE TRIGGER entry_is_appended BEFORE INSERT ON entry
    WHEN NEW.state <> 'CHARGED' OR NEW.seq <> (SELECT seq FROM budget)
        OR NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry)
        OR NEW.previous <> coalesce((SELECT head FROM entry WHERE seq = NEW.seq - 1), (SELECT genesis FROM budget))
        OR EXISTS (SELECT 1 FROM entry WHERE request_id = NEW.request_id OR head = NEW.head)
    BEGIN SELECT RAISE(ABORT, 'an entry is appended, charged, under a new id, to the last one'); END;
CREATE TRIGGER entry_is_only_released BEFORE UPDATE ON entry
    WHEN NOT (OLD.state = 'CHARGED' AND NEW.state = 'RELEASED' AND NEW.seq = OLD.seq
        AND NEW.request_id = OLD.request_id AND NEW.specification = OLD.specification
        AND NEW.amount = OLD.amount AND NEW.delta = OLD.delta
        AND NEW.units = OLD.units AND NEW.delta_units = OLD.delta_units
        AND NEW.adjacency = OLD.adjacency AND NEW.unit = OLD.unit AND NEW.fixed IS OLD.fixed
        AND NEW.charged_at = OLD.charged_at AND NEW.previous = OLD.previous AND NEW.head = OLD.head)
    BEGIN SELECT RAISE(ABORT, 'an entry changes once, from charged to released'); END;
CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'an entry is never deleted'); END;
"""
