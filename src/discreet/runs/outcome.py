"""What a run leaves behind: the releases, the results of the tests, and the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.curator.batch import Account, Quote
from discreet.inference import TestResult
from discreet.runs.plan_file import RunPlan


@dataclass(frozen=True, eq=False)
class RunOutcome:
    """What a plan has brought.

    Attributes
    ----------
    plan : RunPlan
    quote : Quote
        As it was before the run: which releases were made by it, and which before.
    releases : mapping from name to release
    results : mapping from name to TestResult or str
        A text says why a test does not apply to the noisy numbers.
    account : Account
        The ledger after the run, with the charge of each release.
    """

    plan: RunPlan
    quote: Quote
    releases: Mapping[str, Any]
    results: Mapping[str, TestResult | str]
    account: Account
