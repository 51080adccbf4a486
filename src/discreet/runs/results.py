"""The results of a plan's tests as files: a JSON object each, and one table of all of them (CSV)."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.inference import TestResult, adjust_pvalues
from discreet.runs.folder import RESULTS, TESTS, write_text
from discreet.runs.inference_step import TestStep
from discreet.runs.plan_file import RunPlan

Results = Mapping[str, TestResult | str]

COLUMNS = (
    "name",
    "kind",
    "releases",
    "test",
    "statistic_name",
    "statistic",
    "df",
    "pvalue",
    "pvalue_error",
    "pvalue_holm",
    "naive_pvalue",
    "null",
    "n",
    "n_is_public",
    "effect_name",
    "effect",
    "effect_low",
    "effect_high",
    "effect_level",
    "seed",
    "warnings",
    "not_applicable",
)


def write_results(plan: RunPlan, results: Results) -> None:
    """Write `tests/<name>.json` for each test, and `results.csv`."""
    rows = result_rows(plan, results)
    for row in rows:
        text = json.dumps(row, indent=2, ensure_ascii=False, allow_nan=False)
        write_text(plan.output / TESTS / f"{row['name']}.json", text + "\n")
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    write_text(plan.output / RESULTS, table.getvalue())


def result_rows(plan: RunPlan, results: Results) -> list[dict[str, Any]]:
    """What is to be said of each test, as plain data; a number that is not finite is None."""
    adjusted = holm(results)
    return [
        {key: _finite(value) for key, value in _row(test, results[test.name], adjusted[test.name]).items()}
        for test in plan.tests
    ]


def holm(results: Results) -> dict[str, float]:
    """The p-values adjusted for there being several (Holm); NaN where there is none."""
    pvalues = [result.pvalue if isinstance(result, TestResult) else math.nan for result in results.values()]
    return dict(zip(results, adjust_pvalues(np.array(pvalues), "holm").tolist(), strict=True)) if pvalues else {}


def _row(test: TestStep, result: TestResult | str, adjusted: float) -> dict[str, Any]:
    about = {"name": test.name, "kind": test.test, "releases": list(test.releases), "seed": test.seed}
    if isinstance(result, str):
        return {**about, "not_applicable": result}
    return {**about, **result.to_dict(), "pvalue_holm": adjusted}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value
