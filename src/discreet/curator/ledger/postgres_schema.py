"""The tables of a ledger in PostgreSQL, with the same guards as the file's. Format 2.

One ledger lives in one schema of a database, the first of the connection's search path. Units are NUMERIC, whole numbers
of 60 digits. Texts are JSON strings in ASCII, so that every character, NUL among them, is kept and compared as it is under
any encoding and collation. A request is unique by an exclusion over its hash, for a B-tree ends at 2,700 bytes.

Whoever owns the tables can take the guards away. Let a role use them that only may SELECT, INSERT and UPDATE.
"""

from __future__ import annotations

FORMAT = 2

BUDGET, ENTRY = "discreet_budget", "discreet_entry"

CREATE = f"""
CREATE TABLE {BUDGET} (
    id integer PRIMARY KEY CHECK (id = 1),
    format integer NOT NULL DEFAULT {FORMAT},
    ledger_id text NOT NULL,
    guarantee text NOT NULL,
    accounting text NOT NULL,
    currency text NOT NULL,
    total numeric(60, 0) NOT NULL,
    total_delta numeric(60, 0) NOT NULL,
    genesis text NOT NULL CHECK (length(genesis) = 64),
    witness text,
    seq bigint NOT NULL CHECK (seq >= 0),
    spent numeric(60, 0) NOT NULL CHECK (spent >= 0),
    spent_delta numeric(60, 0) NOT NULL CHECK (spent_delta >= 0),
    CHECK (spent <= total AND spent_delta <= total_delta)
);
CREATE TABLE {ENTRY} (
    seq bigint PRIMARY KEY CHECK (seq >= 1),
    request_id text NOT NULL,
    specification text NOT NULL,
    amount text NOT NULL,
    delta text NOT NULL,
    units numeric(60, 0) NOT NULL CHECK (units >= 0),
    delta_units numeric(60, 0) NOT NULL CHECK (delta_units >= 0),
    adjacency text NOT NULL,
    unit text NOT NULL,
    fixed text,
    charged_at text NOT NULL,
    previous text NOT NULL,
    head text NOT NULL UNIQUE CHECK (length(head) = 64),
    state text NOT NULL CHECK (state IN ('CHARGED', 'RELEASED')),
    payload text,
    seal text CHECK (length(seal) = 64),
    EXCLUDE USING hash (request_id WITH =),
    CHECK (units + delta_units > 0),
    CHECK ((state = 'RELEASED') = (payload IS NOT NULL) AND (payload IS NULL) = (seal IS NULL))
);
"""

GUARD = f"""
CREATE FUNCTION {BUDGET}_guard() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.seq = OLD.seq + 1 AND NEW.spent >= OLD.spent AND NEW.spent_delta >= OLD.spent_delta
            AND NEW.spent + NEW.spent_delta > OLD.spent + OLD.spent_delta
            AND (NEW.id, NEW.format, NEW.ledger_id, NEW.guarantee, NEW.accounting, NEW.currency, NEW.total,
                NEW.total_delta, NEW.genesis, NEW.witness) IS NOT DISTINCT FROM
                (OLD.id, OLD.format, OLD.ledger_id, OLD.guarantee, OLD.accounting, OLD.currency, OLD.total,
                OLD.total_delta, OLD.genesis, OLD.witness)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'a budget is only ever spent' USING ERRCODE = 'integrity_constraint_violation';
END
$guard$;
CREATE FUNCTION {ENTRY}_guard() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state = 'CHARGED' AND NEW.seq = (SELECT seq FROM {BUDGET})
            AND NEW.seq = (SELECT coalesce(max(seq), 0) + 1 FROM {ENTRY})
            AND NEW.previous = coalesce((SELECT head FROM {ENTRY} WHERE seq = NEW.seq - 1), (SELECT genesis FROM {BUDGET}))
        THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF OLD.state = 'CHARGED' AND NEW.state = 'RELEASED'
            AND (NEW.seq, NEW.request_id, NEW.specification, NEW.amount, NEW.delta, NEW.units, NEW.delta_units,
                NEW.adjacency, NEW.unit, NEW.fixed, NEW.charged_at, NEW.previous, NEW.head) IS NOT DISTINCT FROM
                (OLD.seq, OLD.request_id, OLD.specification, OLD.amount, OLD.delta, OLD.units, OLD.delta_units,
                OLD.adjacency, OLD.unit, OLD.fixed, OLD.charged_at, OLD.previous, OLD.head)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'an entry is appended once, and changes once, from charged to released'
        USING ERRCODE = 'integrity_constraint_violation';
END
$guard$;
CREATE TRIGGER guard BEFORE UPDATE OR DELETE ON {BUDGET} FOR EACH ROW EXECUTE FUNCTION {BUDGET}_guard();
CREATE TRIGGER guard_all BEFORE TRUNCATE ON {BUDGET} FOR EACH STATEMENT EXECUTE FUNCTION {BUDGET}_guard();
CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON {ENTRY} FOR EACH ROW EXECUTE FUNCTION {ENTRY}_guard();
CREATE TRIGGER guard_all BEFORE TRUNCATE ON {ENTRY} FOR EACH STATEMENT EXECUTE FUNCTION {ENTRY}_guard();
"""
