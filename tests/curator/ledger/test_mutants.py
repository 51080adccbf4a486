"""Each protection of the ledger is taken away, one at a time, in a copy of the sources; the test named beside must fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no fork"),
    pytest.mark.xdist_group("mutants of the ledger"),
]

HERE = Path(__file__).parent
SOURCES = Path(__file__).parents[3] / "src" / "discreet"


@dataclass(frozen=True)
class Mutant:
    """`old` text of one file, which must be there exactly once, becomes `new`; `test` must fail then."""

    name: str
    file: str
    old: str
    new: str
    test: str


def lines(file: str, test_file: str, *mutants: tuple[str, str, str, str]) -> list[Mutant]:
    """Mutants of one file, killed by tests of one file."""
    return [Mutant(name, file, old, new, f"{test_file}::{test}") for name, old, new, test in mutants]


REFUND = """
        with ledger._store.transaction(write=True) as book:
            for name in ("entry_is_never_deleted", "budget_is_only_spent"):
                book.execute(f"DROP TRIGGER {name}")
            book.execute("DELETE FROM entry WHERE request_id = ?", (identity,))
            book.execute("UPDATE budget SET seq = 0, spent = ?", (book.number(0),))"""

MUTANTS = [
    # The order of a release.
    *lines(
        "curator/releasing/transaction.py",
        "../test_curator.py",
        (
            "the records are read before the charge",
            "    entry = ledger.charge(\n",
            "    plan.make(records)\n    entry = ledger.charge(\n",
            "test_the_charge_comes_before_the_records_and_its_failure_says_nothing",
        ),
        (
            "a refund after a failure",
            "        interrupted = isinstance(failure, KeyboardInterrupt)",
            "        interrupted = isinstance(failure, KeyboardInterrupt)" + REFUND,
            "test_records_that_changed_since_n_was_counted_are_not_released",
        ),
    ),
    # Sums.
    *lines(
        "curator/ledger/accounting.py",
        "test_accounting.py",
        (
            "floats",
            "math.ceil(number * UNIT)",
            "math.ceil(float(number) * UNIT)",
            "test_n_equal_parts_fill_a_budget_exactly",
        ),
        ("rounding down", "math.ceil(number * UNIT)", "math.floor(number * UNIT)", "test_random_histories"),
        ("mu added, not its square", '2 if self.currency == "mu" else 1', "1", "test_random_histories"),
        (
            "a delta is not counted",
            "self.main <= other.main and self.delta <= other.delta",
            "self.main <= other.main",
            "test_random_histories_of_pairs",
        ),
        (
            "a budget does not admit its own equal",
            "self.main <= other.main and",
            "self.main < other.main and",
            "test_every_budget_admits_its_own_equal_once",
        ),
    ),
    *lines(
        "curator/ledger/entry.py",
        "test_rules.py",
        (
            "a failed request is tried again for nothing",
            "if not earlier.released:",
            "if False:",
            "test_what_was_spent_and_not_released_stays_spent",
        ),
        (
            "an id is used for another request",
            "if given != stored:",
            "if False:",
            "test_an_id_names_one_request_for_ever",
        ),
    ),
    # The chain.
    *lines(
        "curator/ledger/chain.py",
        "test_file.py",
        ("no link", " and row.previous == before", "", "test_an_entry_forged_with_its_own_head_is_refused"),
        ("no price", " or not _is_priced(row, header.rule)", "", "test_an_entry_forged_with_its_own_head_is_refused"),
        ("mixed neighbours", " or row.neighbours != first", "", "test_an_entry_forged_with_its_own_head_is_refused"),
        (
            "no head",
            "row.head == _head(row, row.previous) and ",
            "",
            "test_a_file_edited_without_its_guards_contradicts_itself",
        ),
        ("no sum", " and sums == spent", "", "test_a_file_edited_without_its_guards_contradicts_itself"),
        ("no number", "count == seq and ", "", "test_a_file_edited_without_its_guards_contradicts_itself"),
    ),
    *lines(
        "curator/ledger/header.py",
        "test_file.py",
        (
            "no genesis",
            "if row.genesis != _genesis(",
            "if False and row.genesis != _genesis(",
            "test_a_file_edited_without_its_guards_contradicts_itself",
        ),
    ),
    *lines(
        "curator/ledger/ledger.py",
        "test_file.py",
        (
            "no memory",
            'agree(seen, book.head(seen.seq), self._store.name, "this process")',
            "pass",
            "test_a_charge_lost_behind_the_back_of_an_open_ledger_is_noticed",
        ),
        (
            "another ledger in its place",
            "if header is None or header != self._header.to_row():",
            "if False:",
            "test_a_ledger_that_vanished_or_was_replaced_is_noticed",
        ),
    ),
    *lines(
        "curator/ledger/ledger.py",
        "test_chain.py",
        (
            "stored payloads are believed",
            "if found is not None and not is_sound(*found):",
            "if False:",
            "test_a_payload_that_was_exchanged_is_not_returned",
        ),
        (
            "payloads are not verified",
            'all(is_sound(row, payload or "") for row, payload in book.released())',
            "True",
            "test_a_payload_that_was_exchanged_is_not_returned",
        ),
    ),
    # The witness.
    *lines(
        "curator/ledger/ledger.py",
        "test_witness.py",
        (
            "not asked at the opening",
            "for mark in marks:",
            "for mark in []:",
            "test_one_line_of_another_history_is_enough",
        ),
        (
            "not asked at a charge",
            "if remembered is not None:",
            "if False:",
            "test_a_rollback_is_noticed_by_an_open_ledger_at_its_next_charge",
        ),
        ("not told of a charge", "self._witness.append(mark)", "pass", "test_every_charge_is_written_down"),
        (
            "does not catch up",
            "max(marks) < self._seen:",
            "False:",
            "test_a_crash_between_the_commit_and_the_witness_is_made_good",
        ),
    ),
    *lines(
        "curator/ledger/witness.py",
        "test_witness.py",
        (
            "only numbers are compared",
            "if not head.startswith(mark.head):",
            "if False:",
            "test_a_ledger_that_went_another_way_is_refused",
        ),
        (
            "not synced",
            "os.fsync(descriptor)",
            "pass",
            "test_a_witness_that_cannot_be_written_stops_the_release_and_not_the_charge",
        ),
        (
            "of any ledger",
            'if title != f"{_TITLE}{self._ledger_id}\\n".encode():',
            "if False:",
            "test_the_witness_of_another_ledger_is_refused",
        ),
    ),
    # The file.
    *lines(
        "curator/ledger/sqlite.py",
        "test_race.py",
        (
            "no lock",
            '"BEGIN IMMEDIATE" if write else "BEGIN"',
            '"BEGIN"',
            "test_ten_races_grant_exactly_the_budget[sqlite-epsilon]",
        ),
    ),
    *lines(
        "curator/ledger/sqlite.py",
        "test_file.py",
        (
            "write-ahead log",
            '"journal_mode": "delete"',
            '"journal_mode": "wal"',
            "test_a_transaction_is_durable_and_leaves_no_second_file",
        ),
        (
            "set and not read back",
            "if row != (value,):",
            "if False:",
            "test_a_file_system_that_keeps_no_promise_is_refused",
        ),
        ("a missing file is made", "?mode=rw", "?mode=rwc", "test_a_file_that_vanishes_on_the_way_is_not_made_anew"),
        (
            "an existing file is taken",
            "os.O_CREAT | os.O_EXCL",
            "os.O_CREAT",
            "test_creating_never_touches_what_is_there",
        ),
        (
            "paths are not resolved",
            "self.path: Path = Path(os.path.realpath(path))",
            "self.path: Path = Path(path).absolute()",
            "test_a_second_name_is_refused_and_a_symbolic_link_is_the_same_ledger",
        ),
        (
            "an old journal is played in",
            "if journal.exists():",
            "if False:",
            "test_a_journal_left_over_is_not_played_into_a_new_ledger",
        ),
        (
            "another program's file",
            "if application != APPLICATION_ID:",
            "if False:",
            "test_the_database_of_another_program_is_refused_and_left_alone",
        ),
        ("any version", "if version not in range(1, FORMAT + 1):", "if False:", "test_another_format_is_refused"),
        (
            "no check of the pages",
            'if book.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:',
            "if False:",
            "test_an_index_that_lost_an_entry_is_refused",
        ),
        (
            "the folder is not synced",
            "        sync_directory(path.parent)\n",
            "",
            "test_the_name_of_a_new_ledger_is_synced_too",
        ),
    ),
    *lines(
        "curator/ledger/sqlite.py",
        "test_storage.py",
        ("no sync", '"synchronous": 3', '"synchronous": 0', "test_a_disk_that_refuses_grants_nothing[sync error]"),
    ),
    *lines(
        "curator/ledger/sqlite.py",
        "test_concurrency.py",
        ("no waiting", "uri=True, timeout=WAIT", "uri=True, timeout=0", "test_a_held_ledger_is_waited_for"),
        (
            "forks share locks",
            'if hasattr(os, "register_at_fork"):',
            "if False:",
            "test_a_fork_waits_for_the_charge_of_another_thread",
        ),
        (
            "a fork doubles a budget in memory",
            "if os.getpid() != self._process:",
            "if False:",
            "test_a_budget_in_memory_is_not_doubled_by_a_fork",
        ),
        (
            "no rollback",
            'connection.execute("ROLLBACK")',
            'connection.execute("COMMIT")',
            "test_an_exception_inside_a_charge_rolls_it_back",
        ),
    ),
    *lines(
        "curator/ledger/filesystem.py",
        "test_file.py",
        (
            "a second name",
            "if status.st_nlink > 1:",
            "if False:",
            "test_a_second_name_is_refused_and_a_symbolic_link_is_the_same_ledger",
        ),
        ("a device", "if not stat.S_ISREG(status.st_mode):", "if False:", "test_what_is_no_regular_file_is_refused"),
        (
            "a network file system",
            "if kind is not None and NETWORK.fullmatch(kind):",
            "if False:",
            "test_a_network_file_system_is_refused",
        ),
    ),
    *lines(
        "curator/ledger/sqlite_schema.py",
        "test_guards.py",
        (
            "a sum above the total",
            "    CHECK (spent <= total AND spent_delta <= total_delta)\n",
            "    CHECK (1)\n",
            "test_the_tables_refuse_a_sum_above_the_total",
        ),
        (
            "a budget is changed",
            "BEFORE UPDATE ON budget\n    WHEN NOT (",
            "BEFORE UPDATE ON budget\n    WHEN 0 AND NOT (",
            "test_history_is_not_rewritten",
        ),
        (
            "a budget is deleted",
            "BEFORE DELETE ON budget\n",
            "BEFORE DELETE ON budget WHEN 0\n",
            "test_history_is_not_rewritten",
        ),
        (
            "an entry is deleted",
            "BEFORE DELETE ON entry\n",
            "BEFORE DELETE ON entry WHEN 0\n",
            "test_history_is_not_rewritten",
        ),
        (
            "an entry is changed",
            "BEFORE UPDATE ON entry\n    WHEN NOT (",
            "BEFORE UPDATE ON entry\n    WHEN 0 AND NOT (",
            "test_history_is_not_rewritten",
        ),
        (
            "an entry without its charge",
            "OR NEW.seq <> (SELECT seq FROM budget)",
            "",
            "test_an_entry_is_only_appended_and_only_after_its_budget_was_taken",
        ),
        (
            "an entry beside the chain",
            "OR NEW.previous <> coalesce(",
            "OR NULL = coalesce(",
            "test_an_entry_is_only_appended_and_only_after_its_budget_was_taken",
        ),
    ),
    *lines(
        "curator/ledger/sqlite_schema.py",
        "test_file.py",
        (
            "a budget is replaced",
            "BEFORE INSERT ON budget WHEN EXISTS",
            "BEFORE INSERT ON budget WHEN 0 AND EXISTS",
            "test_nothing_is_replaced_under_another_verb",
        ),
    ),
    *lines(
        "curator/ledger/migrate.py",
        "test_migration.py",
        (
            "an old entry is believed",
            " or rule.units(cost_of(row, rule.currency)) != row.price",
            "",
            "test_a_damaged_old_ledger_is_refused_and_left_as_it_is",
        ),
        (
            "an overspent old ledger",
            "if not total(row.price for row in rows).within(rule.total):",
            "if False:",
            "test_an_overspent_old_ledger_is_refused",
        ),
    ),
    # PostgreSQL.
    *lines(
        "curator/ledger/postgres.py",
        "test_race.py",
        (
            "check, then act",
            "        row = self.execute(statement, (*units, *units)).fetchone()\n",
            "        seq, spent = self.balance()\n"
            '        (most,) = self.execute(f"SELECT total FROM {BUDGET}").fetchone()\n'
            "        if spent.main + units.main > int(most):\n            return None\n"
            '        careless = f"UPDATE {BUDGET} SET seq = seq + 1, spent = ? RETURNING seq"\n'
            "        row = self.execute(careless, (spent.main + units.main,)).fetchone()\n",
            "test_ten_races_grant_exactly_the_budget[postgres-epsilon]",
        ),
    ),
    *lines(
        "curator/ledger/postgres.py",
        "test_postgres.py",
        (
            "commits that do not wait",
            "f\"SELECT set_config('synchronous_commit', 'on', true) WHERE NOT {keep}\",",
            '"",',
            "test_a_commit_waits_for_the_disk_whatever_the_role_has_set",
        ),
        (
            "a setting is not read back",
            'if found.synchronous_commit not in ("on", "remote_apply"):',
            "if False:",
            "test_a_setting_that_does_not_hold_is_refused",
        ),
        (
            "a server that does not sync",
            'elif found.fsync != "on":',
            "elif False:",
            "test_a_server_that_does_not_sync_is_refused",
        ),
        (
            "a fork shares the connection",
            " and mine[0] == os.getpid()",
            "",
            "test_a_forked_child_has_its_own_connection",
        ),
        (
            "errors show their cause",
            "        state = error.sqlstate\n",
            "        raise _explained(error.sqlstate) from error\n",
            "test_no_error_shows_the_address",
        ),
        (
            "the outcome is not waited for",
            'self.execute(f"SELECT seq FROM {BUDGET} FOR UPDATE").fetchall()',
            "pass",
            "test_a_commit_that_is_still_under_way_is_waited_for",
        ),
        (
            "a dead connection is kept",
            "_close(mine[1])",
            "raise",
            "test_a_connection_that_died_between_two_calls_is_made_anew",
        ),
        ("any version", "if rows != [(FORMAT,)]:", "if False:", "test_another_format_is_refused"),
    ),
    *lines(
        "curator/ledger/ledger.py",
        "test_postgres.py",
        (
            "an unknown outcome means not charged",
            "if row is None or not self._took_place(row):",
            "if True:",
            "test_a_commit_whose_answer_was_lost_is_found",
        ),
        (
            "an unknown outcome means charged",
            "if row is None or not self._took_place(row):",
            "if False:",
            "test_a_commit_that_did_not_take_place_is_told",
        ),
        (
            "a stranger's commit is taken for one's own",
            "found is not None and found[0] == row",
            "found is not None",
            "test_another_process_that_took_the_id_meanwhile_is_not_taken_for_the_lost_commit",
        ),
    ),
    *lines(
        "curator/ledger/postgres_schema.py",
        "test_race.py",
        (
            "no UNIQUE",
            "    EXCLUDE USING hash (request_id WITH =),\n",
            "",
            "test_one_id_in_many_processes_is_charged_once[postgres]",
        ),
    ),
    *lines(
        "curator/ledger/postgres_schema.py",
        "test_guards.py",
        (
            "a sum above the total",
            "    CHECK (spent <= total AND spent_delta <= total_delta)\n",
            "    CHECK (true)\n",
            "test_the_tables_refuse_a_sum_above_the_total",
        ),
        (
            "the budget's guard",
            "CREATE TRIGGER guard BEFORE UPDATE OR DELETE ON {BUDGET}",
            "CREATE TRIGGER guard BEFORE INSERT ON {BUDGET}",
            "test_history_is_not_rewritten[postgres",
        ),
        (
            "deletions",
            "BEFORE INSERT OR UPDATE OR DELETE ON {ENTRY}",
            "BEFORE INSERT OR UPDATE ON {ENTRY}",
            "test_history_is_not_rewritten[postgres",
        ),
        (
            "changes",
            "BEFORE INSERT OR UPDATE OR DELETE ON {ENTRY}",
            "BEFORE INSERT OR DELETE ON {ENTRY}",
            "test_history_is_not_rewritten[postgres",
        ),
        (
            "an entry without its charge",
            " AND NEW.seq = (SELECT seq FROM {BUDGET})",
            "",
            "test_an_entry_is_only_appended_and_only_after_its_budget_was_taken[postgres",
        ),
    ),
    *lines(
        "curator/ledger/postgres_schema.py",
        "test_postgres.py",
        (
            "truncation",
            "BEFORE TRUNCATE ON {ENTRY} FOR EACH STATEMENT",
            "AFTER UPDATE ON {ENTRY} FOR EACH STATEMENT WHEN (false)",
            "test_a_role_that_may_not_write_reads",
        ),
    ),
]

Run = Callable[[Path, list[str]], dict]


@pytest.fixture(scope="module")
def run(server) -> Iterator[Run]:
    """Runs tests on a copy of the sources; one PostgreSQL server serves all."""
    environment = {**os.environ, "DISCREET_TEST_POSTGRES": str(server.folder)}
    command = [sys.executable, str(HERE / "mutant_runner.py")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(command, env=environment, text=True, cwd=HERE.parents[2], **pipes)

    def ask(copy: Path, tests: list[str]) -> dict:
        process.stdin.write(json.dumps({"copy": str(copy), "tests": tests}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    process.communicate()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources, to be changed."""
    shutil.copytree(SOURCES, tmp_path / "discreet", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def selection(test: str) -> list[str]:
    """pytest's arguments: an id, or, where its bracket stays open, all of the test whose parameters begin so."""
    file, _, name = test.partition("::")
    target = str((HERE / file).resolve())
    if "[" in name and not name.endswith("]"):
        name, word = name.split("[")
        return [f"{target}::{name}", "-k", word]
    return [f"{target}::{name}"]


def test_nothing_fails_on_an_unchanged_copy(copy: Path, run: Run) -> None:
    """Otherwise the mutants would prove nothing."""
    tests = sorted({selection(mutant.test)[0].split("[")[0] for mutant in MUTANTS})
    answer = run(copy, tests)
    assert answer["status"] == 0, answer["output"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{Path(mutant.file).stem}: {mutant.name}")
def test_a_ledger_without_this_protection_fails_its_test(copy: Path, run: Run, mutant: Mutant) -> None:
    file = copy / "discreet" / mutant.file
    text = file.read_text()
    assert text.count(mutant.old) == 1, "the mutant's text is not in the sources once: bring it up to date"
    file.write_text(text.replace(mutant.old, mutant.new))
    answer = run(copy, selection(mutant.test))
    assert answer["status"] == 1, answer["output"]  # 1: tests were run, and failed
    assert " failed" in answer["output"]
