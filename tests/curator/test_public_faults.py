"""Seventy-two public faults of other libraries: for each the test that covers it here, or why it cannot occur.

Sources are public issue trackers and changelogs. A test is named by its file below `tests` and its name; a fault that
cannot occur here says so in words. That the named tests exist is what is tested here; that they can fail is shown by
`mutants`.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

GATE = "curator/test_gate.py::"
INTEGERS = "curator/test_gate_integers.py::"
REPLAY = "curator/test_gate_replay.py::"
CANARY = "curator/test_canary.py::"
HOSTILE = "curator/test_hostile_matrix.py::"
AUDIT = "lab/test_audit_faults.py::"
NUMERIC = "curator/source/test_numeric.py::"
RULES = "curator/ledger/test_rules.py::"
NONE = "cannot occur: "

FAULTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # ---- noise and parameters
    "F01": (
        "opendp #414",
        "the precision of an output depends on the value",
        (GATE + "test_the_low_byte_is_uniform_whatever_the_count",),
    ),
    "F02": (
        "diffprivlib #94",
        "the same, for floating-point Laplace and Gaussian noise",
        (
            AUDIT + "test_the_audit_of_outputs_finds_planted_faults",
            GATE + "test_the_low_byte_is_uniform_whatever_the_count",
        ),
    ),
    "F03": (
        "opacus #616",
        "a secure mode still leaves holes",
        (
            AUDIT + "test_the_check_of_noise_finds_every_planted_fault",
            GATE + "test_every_size_gives_as_many_integers_on_the_grid",
        ),
    ),
    "F04": (
        "opendp #346, #182",
        "-0.0 is sampled and becomes NaN",
        (GATE + "test_bad_scales_are_refused", HOSTILE + "test_the_same_integers_on_every_engine"),
    ),
    "F05": (
        "opendp #1309",
        "the slack of rounding must grow with the dimension",
        (NONE + "what is noised are exact integers, so nothing is rounded before noise and there is no slack",),
    ),
    "F06": (
        "opendp #2638",
        "a division of big numbers biased all noise",
        (
            GATE + "test_noise_has_the_declared_law_and_no_other_scale",
            INTEGERS + "test_the_discrete_law_and_no_other_scale",
            GATE + "test_another_version_of_opendp_is_refused",
        ),
    ),
    "F07": (
        "smartnoise-core #278",
        "a wrong bit of the mantissa in Bernoulli(p)",
        (GATE + "test_choice_has_the_declared_probabilities", GATE + "test_every_ticket_belongs_to_its_weight"),
    ),
    "F08": (
        "smartnoise-core #316",
        "a sign in the analytic Gaussian; a scale squared",
        (
            "noise/test_calibrate.py::test_gaussian_for_approximate_dp_is_exact",
            AUDIT + "test_the_check_of_noise_finds_every_planted_fault",
        ),
    ),
    "F09": (
        "opendp #2935",
        "NaN is released as 0 with noise",
        (GATE + "test_broken_counts_give_one_constant_message", NUMERIC + "test_bounds_infinities_and_what_is_missing"),
    ),
    "F10": (
        "opendp #429, #844",
        "epsilon = 0 or delta = 0 loops for ever",
        (HOSTILE + "test_guarantees_refuse_what_promises_nothing",),
    ),
    "F11": (
        "opendp #621",
        "delta near 1 gives a negative epsilon",
        (
            "privacy/test_zero_concentrated.py::test_the_ends_of_epsilon",
            "noise/test_calibrate.py::test_gaussian_for_approximate_dp_is_exact",
        ),
    ),
    "F12": (
        "google #405",
        "a product of bounds overflows: negative or NaN sensitivity",
        (
            GATE + "test_what_cannot_fit_64_bits_is_refused_from_public_numbers",
            GATE + "test_what_is_admitted_fits_64_bits",
        ),
    ),
    "F13": (
        "google 0e95b99, 82f7a15, a7914d6",
        "wrong rounding where the grid is coarser than 1",
        (GATE + "test_grid_exponent_is_the_smallest_that_is_fine_enough", GATE + "test_grid_exponent_at_powers_of_two"),
    ),
    "F14": (
        "opendp #2820, #2802",
        "conversions round in the unsafe direction",
        (
            "noise/test_calibrate.py::test_laplace_is_the_smallest_float_that_keeps_pure_dp",
            "mechanisms/test_table_mechanisms.py::test_costs_are_rounded_up_in_the_decimal_that_a_ledger_adds",
        ),
    ),
    "F15": (
        "found while this package was planned",
        "a scale of 0 or 5e-324 is taken, a length not enforced, a mask dropped",
        (
            GATE + "test_bad_scales_are_refused",
            GATE + "test_broken_counts_give_one_constant_message",
            GATE + "test_a_wrong_answer_of_the_sampler_is_not_released",
        ),
    ),
    "F16": (
        "found while this package was planned",
        "the discrete Gaussian is taken to be (Delta/sigma)-GDP",
        (
            INTEGERS + "test_the_mu_of_the_integer_gaussian_is_bounded_by_what_is_charged",
            INTEGERS + "test_the_lemma_of_the_integer_gaussian",
        ),
    ),
    # ---- sensitivity
    "F17": (
        "opendp #314",
        "an integer division truncates a sensitivity",
        (
            "mechanisms/test_means.py::test_pure_differential_privacy_is_exact",
            "mechanisms/test_means.py::test_no_neighbour_moves_a_sum_by_more_than_its_steps",
        ),
    ),
    "F18": (
        "google, changelog of 2021",
        "the same in a bounded mean",
        (
            "privacy/test_sensitivity.py::test_the_mean_is_exact_in_the_decimals_that_were_typed",
            REPLAY + "test_replacing_one_record",
        ),
    ),
    "F19": (
        "opendp #2923",
        "a rounded mean moves all deviations from it",
        (
            "mechanisms/test_moments.py::test_the_exact_privacy_loss_of_the_integer_covariance",
            "curator/source/test_moment_neighbours.py::test_a_climb_to_the_largest_move",
        ),
    ),
    "F20": (
        "opendp #2925",
        "sums in a tree wrap around",
        (
            "mechanisms/test_square_root.py::test_sums_are_exact_for_as_many_records_as_a_schema_allows",
            "curator/source/test_moments.py::test_sums_beyond_64_bits",
        ),
    ),
    "F21": (
        "google #126, #127; Casacuberta et al. 2022",
        "floating-point sums depend on order and rounding",
        (
            "curator/source/test_moments.py::test_random_records_in_every_engine",
            HOSTILE + "test_the_shape_of_a_frame_changes_nothing",
        ),
    ),
    "F22": (
        "opendp #178, #179; google #40",
        "integers overflow over many rows",
        ("curator/source/test_moments.py::test_sums_beyond_64_bits", GATE + "test_what_is_admitted_fits_64_bits"),
    ),
    "F23": (
        "smartnoise-sdk #203",
        "bounds of a variance are not squared",
        (
            "mechanisms/test_moments.py::test_the_entries_on_the_cube_have_the_noise_of_their_sensitivity",
            "curator/source/test_moment_neighbours.py::test_all_neighbours_of_small_universes",
        ),
    ),
    "F24": (
        "diffprivlib #104, #105, #110",
        "the lower bound is used twice: sensitivity 0",
        (
            "mechanisms/test_means.py::test_no_neighbour_moves_a_sum_by_more_than_its_steps",
            REPLAY + "test_what_was_paid_for_is_needed",
        ),
    ),
    "F25": (
        "diffprivlib #34",
        "bounds of two columns are mixed up",
        (
            "curator/test_moments_neighbours.py::test_a_climb_over_codes_never_passes_the_guarantee_and_comes_near_it",
            "mechanisms/test_means.py::test_the_noise_of_all_means_is_equal_after_rescaling",
        ),
    ),
    "F26": (
        "smartnoise-core #355, #356",
        "a mean under add-remove uses the true n",
        (
            "privacy/test_sensitivity.py::test_refusals",
            "curator/test_density_releases.py::test_add_remove_neighbours",
            HOSTILE + "test_the_same_integers_on_every_engine",
        ),
    ),
    "F27": (
        "smartnoise-sdk #622",
        "a clipped copy is made and the raw data used",
        (REPLAY + "test_replacing_one_record", "curator/source/test_numeric.py::test_codes_stay_in_range_and_rise"),
    ),
    "F28": (
        "smartnoise-sdk #317",
        "without bounds there is no sensitivity and no noise",
        (
            NONE + "a numeric column is declared with bounds, and a schema without them cannot be written",
            "test_schema.py::test_bounds_that_are_refused",
        ),
    ),
    "F29": (
        "smartnoise-sdk #128, PipelineDP #240, PyDP #386",
        "lower = upper: no noise, or NaN",
        ("test_schema.py::test_bounds_that_are_refused", HOSTILE + "test_the_same_integers_on_every_engine"),
    ),
    "F30": (
        "opendp #2945",
        "at most k rows is read as changes by at most k",
        (
            NONE + "a record is one row and one person, and there is no bound on contributions to be misread",
            "privacy/test_sensitivity.py::test_a_table_when_one_record_is_replaced",
        ),
    ),
    "F31": (
        "opendp #2949",
        "a truncation survives the redefinition of a column",
        (NONE + "there is no plan of queries: a column is read by a total function of one record, each time anew",),
    ),
    "F32": (
        "google PR #84",
        "bounding contributions fails where users share values",
        (NONE + "a record is one row and one person",),
    ),
    "F33": (
        "opendp changelog, make_base_stability",
        "an underestimated sensitivity of thresholded keys",
        (NONE + "keys are declared in the schema and never learnt from records",),
    ),
    "F34": (
        "opendp #2911",
        "rho of a noisy maximum is four times too small",
        (
            "mechanisms/test_selection.py::test_a_spread_that_is_too_small_would_be_found",
            "mechanisms/test_exponential_weights.py::test_the_rho_of_a_bounded_range_covers_the_renyi_divergences_of_the_worst_pairs",
        ),
    ),
    "F35": (
        "found while this package was planned",
        "counts are projected in floating point before noise",
        (
            "release/test_table_release.py::test_projection_is_exact_and_rounded_once",
            "curator/test_curator.py::test_nothing_but_the_gate_draws",
        ),
    ),
    # ---- nulls, categories, engines
    "F36": (
        "opendp #2936",
        "NaN is filled into a column that promises none",
        (NUMERIC + "test_bounds_infinities_and_what_is_missing", HOSTILE + "test_the_same_integers_on_every_engine"),
    ),
    "F37": (
        "opendp #2938",
        "a failed cast makes nulls, which are counted for free",
        (
            REPLAY + "test_replacing_one_record",
            "curator/source/test_engines.py::test_every_engine_counts_as_the_oracle",
        ),
    ),
    "F38": (
        "opendp #2939",
        "cutting into bins maps NaN to null",
        (
            NUMERIC + "test_bounds_infinities_and_what_is_missing",
            "curator/test_density_releases.py::test_hostile_values_move_the_gates_integers_no_further",
        ),
    ),
    "F39": (
        "opendp #2944",
        "codes of categories follow the order of appearance",
        (HOSTILE + "test_the_shape_of_a_frame_changes_nothing",),
    ),
    "F40": (
        "smartnoise-sdk #574",
        "infinity raises while bounds are sought",
        (NONE + "bounds are declared, never sought", HOSTILE + "test_the_same_integers_on_every_engine"),
    ),
    "F41": (
        "smartnoise-sdk #572",
        "weights of the exponential mechanism underflow",
        (
            "mechanisms/test_exponential_weights.py::test_scores_far_apart_still_have_weights_above_zero_and_the_proof_holds_at_the_cutoff",
        ),
    ),
    "F42": (
        "diffprivlib #107",
        "the same, with ties at the rank that is sought",
        (
            "curator/test_density_releases.py::test_nothing_private_finds_a_point_mass",
            "mechanisms/test_exponential_weights.py::test_the_cutoff_is_flat_and_weighs_next_to_nothing",
        ),
    ),
    "F43": (
        "diffprivlib #87",
        "bounds that are NaN come from the data",
        (NONE + "bounds come from the schema", "test_schema.py::test_bounds_that_are_refused"),
    ),
    "F44": (
        "dpmm #18",
        "the domain ends at the largest value in the data",
        (HOSTILE + "test_the_shape_of_a_frame_changes_nothing", REPLAY + "test_replacing_one_record"),
    ),
    "F45": (
        "synthcity #278, dpart #6, reprosyn #38",
        "bounds and categories come from the data",
        (HOSTILE + "test_the_shape_of_a_frame_changes_nothing", REPLAY + "test_replacing_one_record"),
    ),
    "F46": (
        "tumult-core changelog",
        "NaN and null change places in a pandas function",
        (HOSTILE + "test_the_same_integers_on_every_engine", "curator/source/test_engines.py::test_pandas_types"),
    ),
    "F47": (
        "smartnoise-sdk PR #541",
        "negative values near an edge fall into the wrong bin",
        (NUMERIC + "test_decimal_grid_points_and_ties", NUMERIC + "test_codes_are_the_nearest_in_exact_arithmetic"),
    ),
    "F48": (
        "found while this package was planned",
        "five engines clamp NaN and null in five ways",
        (HOSTILE + "test_the_same_integers_on_every_engine",),
    ),
    "F49": (
        "found while this package was planned",
        "64-bit sums wrap in some engines and raise in others",
        (
            "curator/source/test_moments.py::test_sums_beyond_64_bits",
            HOSTILE + "test_the_same_integers_on_every_engine",
        ),
    ),
    "F50": (
        "found while this package was planned",
        "an engine's floating-point sum changes from run to run",
        (
            NONE + "no engine is asked for a sum of floats",
            "curator/source/test_moments.py::test_random_records_in_every_engine",
        ),
    ),
    "F51": (
        "found while this package was planned",
        "misaligned indexes lose rows; NFC and NFD; True = 1 = 1.0",
        (
            "curator/source/test_engines.py::test_pandas_indexes_do_not_matter",
            "curator/source/test_engines.py::test_pandas_objects_that_are_equal_but_of_different_types",
            HOSTILE + "test_the_shape_of_a_frame_changes_nothing",
        ),
    ),
    "F52": (
        "found while this package was planned",
        "n = 1, a constant column, a singular matrix, an empty margin",
        (
            "mechanisms/test_moments.py::test_a_constant_column_and_few_records_give_a_finite_positive_matrix",
            HOSTILE + "test_the_same_integers_on_every_engine",
            "inference/test_limits.py::test_a_pvalue_is_a_probability_or_the_test_is_refused",
        ),
    ),
    # ---- failure, shape, time
    "F53": (
        "opendp #2942",
        "one corrupt time stamp ends the process",
        (HOSTILE + "test_the_same_integers_on_every_engine", "curator/source/test_engines.py::test_pandas_types"),
    ),
    "F54": (
        "opendp #2929",
        "an infinite bound and one NaN end the process",
        ("test_schema.py::test_bounds_that_are_refused", HOSTILE + "test_the_same_integers_on_every_engine"),
    ),
    "F55": (
        "opendp #2930",
        "an output is as long as its input",
        (REPLAY + "test_replacing_one_record", REPLAY + "test_planted_faults_are_seen"),
    ),
    "F56": (
        "opendp #2707",
        "the last bit is never randomised",
        (GATE + "test_the_low_byte_is_uniform_whatever_the_count",),
    ),
    "F57": (
        "opacus #571",
        "the number of records leaks at n = 2 or 3",
        (
            "curator/test_other_neighbours.py::test_the_cap_shows_no_number_of_records",
            REPLAY + "test_a_record_added_or_removed",
        ),
    ),
    "F58": (
        "opendp #2185, tumult-core changelog",
        "row order or partitions show in the output",
        (HOSTILE + "test_the_shape_of_a_frame_changes_nothing",),
    ),
    "F59": (
        "libprio-rs #645, opendp #1324",
        "the time of a draw shows its noise",
        (
            NONE
            + "nothing is promised about time; whole vectors are drawn at once, which hides the time of one number",
            GATE + "test_every_size_gives_as_many_integers_on_the_grid",
        ),
    ),
    "F60": (
        "found while this package was planned",
        "ten of ten errors of engines quote the value",
        (
            CANARY + "test_whatever_an_engine_raises_while_it_reads",
            CANARY + "test_an_engine_that_fails_on_a_value",
            CANARY + "test_damaged_files",
            "cli/test_confidentiality.py::test_what_an_engine_says_is_not_shown",
        ),
    ),
    # ---- randomness, budget
    "F61": (
        "diffprivlib #27, privcount #65",
        "a generator that is not cryptographic",
        (
            GATE + "test_numpy_and_python_seeds_change_nothing",
            "curator/test_curator.py::test_nothing_but_the_gate_draws",
        ),
    ),
    "F62": (
        "diffprivlib #31, #72",
        "the same seed gives the same or correlated noise",
        (
            GATE + "test_there_is_no_seed_parameter",
            GATE + "test_no_two_draws_agree",
            GATE + "test_cells_are_uncorrelated_and_counts_only_shift",
        ),
    ),
    "F63": (
        "found while this package was planned",
        "NumPy's global generator is the same in forked children",
        (INTEGERS + "test_processes_draw_different_noise", GATE + "test_forked_children_draw_different_noise"),
    ),
    "F64": (
        "tapas #101",
        "a fixed default seed",
        (INTEGERS + "test_processes_draw_different_noise", AUDIT + "test_the_check_of_noise_finds_every_planted_fault"),
    ),
    "F65": (
        "smartnoise-sdk #621",
        "a formula of composition lacks a logarithm",
        (
            "curator/ledger/test_accounting.py::test_ten_thousand_histories_are_never_below_an_exact_sum",
            "privacy/test_composed.py::test_gaussian_with_pure_against_the_exact_mixture",
        ),
    ),
    "F66": (
        "dpcreator #547",
        "a sum of floats, repaired by subtracting 1e-15",
        (
            "curator/test_curator.py::test_ten_tables_of_a_tenth_fit_one",
            RULES + "test_ten_charges_of_a_tenth_fill_one_exactly",
        ),
    ),
    "F67": (
        "PyDP #263",
        "an exhausted budget returns a number",
        (
            CANARY + "test_what_is_refused_before_the_charge",
            "curator/test_curator.py::test_a_budget_admits_a_release_equal_to_itself_and_then_no_other",
        ),
    ),
    "F68": (
        "NeMo Safe-Synthesizer #367",
        "epsilon = 0 switches privacy off",
        (HOSTILE + "test_guarantees_refuse_what_promises_nothing", GATE + "test_bad_scales_are_refused"),
    ),
    "F69": (
        "PySyft #6914",
        "less noise is charged less",
        (
            REPLAY + "test_the_declared_guarantee_is_reached_and_not_passed",
            AUDIT + "test_a_real_mechanism_with_another_claim_is_refuted",
        ),
    ),
    "F70": (
        "opendp #2789, opacus #813",
        "wrong accounting inside composite algorithms",
        (
            "mechanisms/test_moments.py::test_both_parts_together_keep_the_guarantee",
            REPLAY + "test_replacing_one_record",
        ),
    ),
    "F71": (
        "opendp's filter",
        "a query that fails is free",
        (
            CANARY + "test_whatever_an_engine_raises_while_it_reads",
            RULES + "test_what_was_spent_and_not_released_stays_spent",
            RULES + "test_there_is_no_refund",
        ),
    ),
    "F72": (
        "hiero #5633, dex #159",
        "check, then act: parallel requests overspend",
        (
            "curator/ledger/test_race.py::test_ten_races_grant_exactly_the_budget",
            "curator/ledger/test_concurrency.py::test_a_race_of_threads_grants_exactly_the_budget",
        ),
    ),
}


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_public_fault_is_covered_by_a_test_or_cannot_occur(fault: str) -> None:
    source, description, covered = FAULTS[fault]
    assert source
    assert description
    assert covered
    for each in covered:
        if each.startswith(NONE):
            assert len(each) > len(NONE) + 20
            continue
        file, _, name = each.partition("::")
        assert name in names_in(file), each


def test_all_seventy_two_are_here() -> None:
    assert list(FAULTS) == [f"F{number:02}" for number in range(1, 73)]
    cannot = [fault for fault, (_, _, covered) in FAULTS.items() if all(each.startswith(NONE) for each in covered)]
    assert len(cannot) <= 6, cannot
