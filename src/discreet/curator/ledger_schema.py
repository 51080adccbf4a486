"""The ledger's tables, and the triggers that keep an entry from being changed or taken back. Format 1.

One row holds the budget, one row each charge; the total spent is stored nowhere, it is always the sum of the entries.
Amounts are decimal text (`amount`, `delta`: as printed; `units`, `delta_units`, `total`: integers in units of 10^-40),
so no size overflows and no float is ever stored. An entry goes once from CHARGED to RELEASED, when the payload that was
published is stored with it, and is otherwise never changed.
"""

from __future__ import annotations

APPLICATION_ID = 0x4453434C
"""The letters DSCL, in the file's header, where SQLite keeps the identity of the program that owns a database."""

FORMAT = 1

CREATE = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE budget (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ledger_id TEXT NOT NULL,
    guarantee TEXT NOT NULL,
    accounting TEXT NOT NULL,
    currency TEXT NOT NULL,
    total TEXT NOT NULL,
    total_delta TEXT NOT NULL
) STRICT;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    request_id TEXT NOT NULL UNIQUE,
    specification TEXT NOT NULL,
    amount TEXT NOT NULL,
    delta TEXT NOT NULL,
    units TEXT NOT NULL,
    delta_units TEXT NOT NULL,
    adjacency TEXT NOT NULL,
    unit TEXT NOT NULL,
    fixed TEXT,
    charged_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('CHARGED', 'RELEASED')),
    payload TEXT,
    CHECK ((state = 'RELEASED') = (payload IS NOT NULL))
) STRICT;
CREATE TRIGGER budget_is_written_once BEFORE INSERT ON budget WHEN EXISTS (SELECT 1 FROM budget)
    BEGIN SELECT RAISE(ABORT, 'the budget is written once'); END;
CREATE TRIGGER budget_is_never_changed BEFORE UPDATE ON budget
    BEGIN SELECT RAISE(ABORT, 'the budget is never changed'); END;
CREATE TRIGGER budget_is_never_deleted BEFORE DELETE ON budget
    BEGIN SELECT RAISE(ABORT, 'the budget is never deleted'); END;
CREATE TRIGGER entry_is_appended BEFORE INSERT ON entry
    WHEN NEW.state <> 'CHARGED' OR NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry)
        OR EXISTS (SELECT 1 FROM entry WHERE request_id = NEW.request_id)
    BEGIN SELECT RAISE(ABORT, 'an entry is appended, charged, under a new id'); END;
CREATE TRIGGER entry_is_only_released BEFORE UPDATE ON entry
    WHEN NOT (OLD.state = 'CHARGED' AND NEW.state = 'RELEASED' AND NEW.seq = OLD.seq
        AND NEW.request_id = OLD.request_id AND NEW.specification = OLD.specification
        AND NEW.amount = OLD.amount AND NEW.delta = OLD.delta
        AND NEW.units = OLD.units AND NEW.delta_units = OLD.delta_units
        AND NEW.adjacency = OLD.adjacency AND NEW.unit = OLD.unit AND NEW.fixed IS OLD.fixed
        AND NEW.charged_at = OLD.charged_at)
    BEGIN SELECT RAISE(ABORT, 'an entry changes once, from charged to released'); END;
CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'an entry is never deleted'); END;
"""
