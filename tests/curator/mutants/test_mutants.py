"""Every protection of the gate, the transaction and the wall: without it, a named test fails.

The protections of the ledger have a list of their own in the ledger's folder.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.slow

GATE, TRANSACTION, SOURCE = "curator/gate.py", "curator/releasing/transaction.py", "curator/source/__init__.py"
T_GATE, T_INTEGERS = "tests/curator/test_gate.py::", "tests/curator/test_gate_integers.py::"
T_CANARY, T_WALL = "tests/curator/test_canary.py::", "tests/curator/source/test_wall.py::"
T_REPLAY, T_CURATOR = "tests/curator/test_gate_replay.py::", "tests/curator/test_curator.py::"
T_PERSONS = "tests/curator/source/test_person_neighbours.py::"
ENGINE = T_CANARY + "test_whatever_an_engine_raises_while_it_reads"

SEEDED = '__import__("numpy").random.default_rng(0).laplace(part, steps).round().astype(int).tolist()'

MUTANTS = {
    # ---- the gate
    "scales of 0, NaN and infinity pass": (
        GATE,
        "if not smallest <= scale <= LARGEST_SCALE:",
        "if scale == 'nothing':",
        T_GATE + "test_bad_scales_are_refused",
    ),
    "a coarse grid under the continuous claim": (
        GATE,
        "FINE_BITS = 20",
        "FINE_BITS = 3",
        T_GATE + "test_grid_exponent_at_powers_of_two",
    ),
    "another version of the noise library": (
        GATE,
        "if installed != OPENDP_VERSION:",
        "if not installed:",
        T_GATE + "test_another_version_of_opendp_is_refused",
    ),
    "sums beyond 64 bits": (
        GATE,
        "if _reach(cap, scale, k) >= 2**63:",
        "if _reach(cap, scale, k) >= 2**99:",
        T_GATE + "test_what_cannot_fit_64_bits_is_refused_from_public_numbers",
    ),
    "integers beyond the cap": (
        GATE,
        "if not _within(exact, -cap if signed else 0, cap):",
        "if not exact:",
        T_GATE + "test_broken_counts_give_one_constant_message",
    ),
    "booleans are integers": (
        GATE,
        "return all(type(x) is int and low <= x <= high for x in numbers)",
        "return all(isinstance(x, int) and low <= x <= high for x in numbers)",
        T_GATE + "test_broken_counts_give_one_constant_message",
    ),
    "no range is asserted of what was drawn": (
        GATE,
        "if noisy is None or not _within(noisy, -reach, reach):",
        "if noisy is None:",
        T_INTEGERS + "test_a_draw_out_of_reach_is_not_released",
    ),
    "no length is asserted of what was drawn": (
        GATE,
        "if type(noisy) is not list or len(noisy) != len(part):",
        "if type(noisy) is not list:",
        T_GATE + "test_a_wrong_answer_of_the_sampler_is_not_released",
    ),
    "the sampler's own message": (
        GATE,
        "    except Exception:  # noqa: BLE001  the cause would show",
        "    except ZeroDivisionError:  # noqa: BLE001  the cause would show",
        T_GATE + "test_a_failure_of_the_sampler_shows_no_count",
    ),
    "Laplace noise of a scale 10 % too small": (
        GATE,
        'metrics.l1_distance(T="i64"), scale=steps)',
        'metrics.l1_distance(T="i64"), scale=steps / 1.1)',
        T_GATE + "test_noise_has_the_declared_law_and_no_other_scale[4.0-laplace]",
    ),
    "Gaussian noise of a scale 10 % too small": (
        GATE,
        "metrics.l2_distance(T=float), scale=steps)",
        "metrics.l2_distance(T=float), scale=steps / 1.1)",
        T_GATE + "test_noise_has_the_declared_law_and_no_other_scale[4.0-gaussian]",
    ),
    "the other family": (
        GATE,
        '    if family == "laplace":\n        return measurements',
        '    if family != "laplace":\n        return measurements',
        T_GATE + "test_noise_has_the_declared_law_and_no_other_scale[4.0-laplace]",
    ),
    "no noise in one cell": (
        GATE,
        "        drawn[start : start + CHUNK] = noisy\n",
        "        drawn[start : start + CHUNK] = [*noisy[:-1], part[-1]]\n",
        T_INTEGERS + "test_every_number_of_a_call_has_noise_of_its_own",
    ),
    "the same noise in all cells": (
        GATE,
        "        drawn[start : start + CHUNK] = noisy\n",
        "        drawn[start : start + CHUNK] = [x + noisy[0] - part[0] for x in part]\n",
        T_GATE + "test_cells_are_uncorrelated_and_counts_only_shift",
    ),
    "a seeded generator of NumPy": (
        GATE,
        "noisy = _measurement(family, steps, len(part))(part)",
        f"noisy = {SEEDED}",
        T_GATE + "test_no_two_draws_agree",
    ),
    "a choice by another generator": (
        GATE,
        "secrets.randbelow(cumulative[-1])",
        '__import__("random").randrange(cumulative[-1])',
        T_GATE + "test_every_ticket_belongs_to_its_weight",
    ),
    "a choice that is off by one": (
        GATE,
        "return bisect_right(cumulative, secrets",
        "return __import__('bisect').bisect_left(cumulative, secrets",
        T_GATE + "test_every_ticket_belongs_to_its_weight",
    ),
    "floats as weights": (
        GATE,
        "all(type(w) is int and w >= 0 for w in weights)",
        "all(w >= 0 for w in weights)",
        T_GATE + "test_bad_weights_are_refused_without_showing_one",
    ),
    # ---- noise on the whole numbers
    "the discrete Gaussian is taken for the continuous one": (
        "mechanisms/integer.py",
        "TAU_SQUARED = Fraction(9, 4)",
        "TAU_SQUARED = Fraction(0)",
        T_INTEGERS + "test_the_mu_of_the_integer_gaussian_is_bounded_by_what_is_charged",
    ),
    "the discrete Laplace law is taken for the continuous one": (
        "mechanisms/integer.py",
        "    rate = 1.0 / scale\n    if counts == 1:",
        "    if counts == 2:\n"
        "        from discreet.privacy.tradeoff import laplace_table_mu\n\n"
        "        return laplace_table_mu(1.0 / scale)\n"
        "    rate = 1.0 / scale\n    if counts == 1:",
        T_INTEGERS + "test_the_mu_of_discrete_laplace_noise_is_exact",
    ),
    # ---- the transaction
    "the failure is raised inside its handler": (
        TRANSACTION,
        "        interrupted = isinstance(failure, KeyboardInterrupt)\n",
        "        raise ReleaseFailed(FAILED)\n",
        ENGINE + "[table-ValueError]",
    ),
    "the message quotes the failure": (
        TRANSACTION,
        "        interrupted = isinstance(failure, KeyboardInterrupt)\n",
        "        interrupted = isinstance(failure, KeyboardInterrupt)\n"
        "        globals().update(FAILED=FAILED + str(failure))\n",
        ENGINE + "[table-ValueError]",
    ),
    "a panic passes the boundary": (
        TRANSACTION,
        "    except BaseException as failure:",
        "    except Exception as failure:",
        ENGINE + "[table-Panic]",
    ),
    "an engine's warnings are shown": (
        TRANSACTION,
        'warnings.simplefilter("ignore")',
        'warnings.simplefilter("always")',
        ENGINE + "[table-ValueError]",
    ),
    "an interrupt keeps its text": (
        TRANSACTION,
        "raise KeyboardInterrupt if interrupted else",
        'raise KeyboardInterrupt("stopped") if interrupted else',
        T_CANARY + "test_an_interrupt_says_nothing[table]",
    ),
    "a release is made under a watcher": (
        TRANSACTION,
        "    refuse_if_watched()\n    identity",
        "    identity",
        T_REPLAY + "test_no_release_is_made_while_a_watcher_looks_on",
    ),
    "a watcher is seen by all threads": (
        "curator/watching.py",
        '_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)',
        "class _Global:\n    value = None\n    def get(self): return self.value\n"
        "    def reset(self, token): self.value = None\n    def set(self, by): self.value = by\n\n_WATCHER = _Global()",
        T_REPLAY + "test_another_thread_draws_as_ever",
    ),
    # ---- the wall
    "an engine's message is passed on": (
        SOURCE,
        "    except BaseException:  # noqa: BLE001 - see above\n        failure = SourceError(_UNREADABLE)",
        "    except BaseException as cause:\n        failure = SourceError(_UNREADABLE + str(cause))",
        T_WALL + "test_engines_that_fail",
    ),
    "an engine's panic passes the wall": (
        SOURCE,
        "    except BaseException:  # noqa: BLE001 - see above",
        "    except Exception:  # noqa: BLE001 - see above",
        T_WALL + "test_engines_that_fail",
    ),
    "the cause hangs on the wall's error": (
        SOURCE,
        "        failure = SourceError(_UNREADABLE)\n    raise failure",
        "        raise SourceError(_UNREADABLE)\n    raise failure",
        T_WALL + "test_damaged_parquet",
    ),
    "a source can be copied": (
        SOURCE,
        "    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse\n",
        "",
        T_WALL + "test_a_source_shows_its_schema_and_cannot_be_copied",
    ),
    "a curator can be copied": (
        "curator/curator.py",
        "    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse\n",
        "",
        T_CANARY + "test_handles_show_their_schema_and_cannot_be_copied[pandas]",
    ),
    "a source has an open dictionary": (
        SOURCE,
        '    __slots__ = ("_reader", "_schema")\n',
        "",
        T_WALL + "test_a_source_shows_its_schema_and_cannot_be_copied",
    ),
    "a source shows its frame": (
        SOURCE,
        'return f"<Source of records: {self._schema!r}>"',
        "return f\"<Source of records: {getattr(self._reader, '_frame', None)!r}>\"",
        T_CANARY + "test_handles_show_their_schema_and_cannot_be_copied[pandas]",
    ),
    "records beyond the cap are an error": (
        "curator/releasing/count_noise.py",
        "counts.at_most(cap),",
        "counts,",
        "tests/curator/test_other_neighbours.py::test_the_cap_shows_no_number_of_records",
    ),
    "the number of records is read under add-remove": (
        "curator/curator.py",
        "        if not self.schema.n_is_public:\n            return PublicSize(None)\n",
        "",
        "tests/curator/test_other_neighbours.py::test_one_record_less_is_the_same_public_call",
    ),
    # ---- persons with several records
    "a person's records are not bounded": (
        "curator/source/frame_persons.py",
        "bounded = (number >= 0) & (np.append(total, 0)[number] > most)",
        "bounded = number > len(names)",
        T_PERSONS + "test_all_persons_against_all_others[2-pandas-among others]",
    ),
    "a person's records are not bounded by a database": (
        "curator/source/person_sql.py",
        "WHERE place <= {most} OR NOT more",
        "WHERE place <= {most} OR more",
        T_PERSONS + "test_all_persons_against_all_others[2-duckdb-among others]",
    ),
    "one record more of a person counts": (
        "curator/source/person_sql.py",
        "WHERE place <= {most} OR NOT more",
        "WHERE place <= {most} + 1 OR NOT more",
        T_PERSONS + "test_all_persons_against_all_others[2-duckdb-among others]",
    ),
    "persons with one record more than count are not bounded": (
        "curator/source/person_sql.py",
        "sum(n) OVER (PARTITION BY u) > {most} AS more",
        "sum(n) OVER (PARTITION BY u) > {most} + 1 AS more",
        T_PERSONS + "test_all_persons_against_all_others[2-duckdb-among others]",
    ),
    "a person is bounded within each cell only": (
        "curator/source/person_sql.py",
        "row_number() OVER (PARTITION BY u ORDER BY",
        "row_number() OVER (PARTITION BY u, {shown} ORDER BY",
        T_PERSONS + "test_all_persons_against_all_others[2-duckdb-among others]",
    ),
    "the first records of a person are taken": (
        "curator/source/persons.py",
        "heapq.nsmallest(most, digests)",
        "list(digests)[:most]",
        "tests/curator/source/test_persons.py::test_the_choice_stays_as_it_was_published",
    ),
    "the choice depends on other persons": (
        "curator/source/person_sql.py",
        "row_number() OVER (PARTITION BY u ORDER BY digest ASC)",
        "row_number() OVER (ORDER BY digest ASC)",
        T_PERSONS + "test_all_persons_against_all_others[2-duckdb-among others]",
    ),
    "records without a person are one person": (
        "curator/source/frame_persons.py",
        "number[row] = -1 if name is None else known.setdefault(name, len(known))",
        "number[row] = known.setdefault(name, len(known))",
        T_PERSONS + "test_a_record_without_a_person_is_one_of_its_own",
    ),
    "values of the unit that are no person are not bounded": (
        "curator/source/persons.py",
        '    if isinstance(value, bool | np.bool_):\n        return ""',
        "    if isinstance(value, bool | np.bool_):\n        return None",
        "tests/curator/source/test_persons.py::test_python_objects_are_looked_at_one_by_one",
    ),
    "equal persons lie in different parts of a file": (
        "curator/source/table_persons.py",
        'if sql_type in ("FLOAT", "DOUBLE") else column',
        'if sql_type in ("FLOAT",) else column',
        "tests/curator/source/test_persons.py::test_parts_of_the_persons_are_whole_persons",
    ),
    "persons with one record more than count are not bounded in a file": (
        "curator/source/table_files.py",
        "HAVING count(*) > {most}",
        "HAVING count(*) > {most} + 1",
        "tests/curator/source/test_persons.py::test_persons_with_about_as_many_records_as_count[parquet]",
    ),
    "noise for one record where a person has several": (
        "privacy/sensitivity.py",
        "return Sensitivity(l1=tables * records, l2_squared=tables * records**2)",
        "return Sensitivity(l1=tables, l2_squared=tables)",
        "tests/curator/test_person_tables.py::test_replacing_a_person_is_the_same_public_call",
    ),
    "the squared sensitivity grows with k and not with its square": (
        "privacy/sensitivity.py",
        "l2_squared=tables * records**2)",
        "l2_squared=tables * records)",
        "tests/curator/test_person_tables.py::test_replacing_a_person_is_the_same_public_call",
    ),
    "the number of records is read where persons have several": (
        "schema/schema.py",
        'return self.adjacency == "replace-one" and self.unit is None',
        'return self.adjacency == "replace-one"',
        "tests/curator/test_person_tables.py::test_nothing_is_read_before_the_charge",
    ),
    "a ledger of records takes persons": (
        "schema/schema.py",
        'return "record" if self.unit is None else f"person: {self.unit}"',
        'return "record"',
        "tests/curator/test_person_tables.py::test_a_ledger_keeps_to_who_is_protected",
    ),
    "a verb without a sensitivity for persons is open": (
        "curator/curator.py",
        "if self.schema.unit is not None and verb not in OF_PERSONS:",
        "if self.schema.unit == verb:",
        "tests/curator/test_person_tables.py::test_the_other_verbs_are_refused_before_a_charge",
    ),
    "the command line shows an engine's message": (
        "cli/boundary.py",
        "        except BaseException:  # noqa: BLE001  some engines",
        "        except ZeroDivisionError:  # noqa: BLE001  some engines",
        "tests/cli/test_confidentiality.py::test_what_an_engine_says_is_not_shown",
    ),
}


@pytest.mark.parametrize("protection", MUTANTS)
def test_without_this_protection_a_test_fails(protection, must_die):
    file, old, new, tests = MUTANTS[protection]
    must_die(SimpleNamespace(file=file, old=old, new=new, tests=(tests,)))


def test_with_all_protections_these_tests_pass(run_on_copy):
    """On an unchanged copy: so none of them fails for another reason than its mutant."""
    tests = sorted({test for *_, test in MUTANTS.values()})
    done = run_on_copy([], tests)
    assert done.returncode == 0, done.stdout[-3000:]
