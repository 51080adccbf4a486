"""A study in one file: its releases are priced together, paid once each, tested and reported; a crash costs nothing more."""

from discreet.runs.execute import price_plan, run_plan
from discreet.runs.outcome import RunOutcome
from discreet.runs.plan_file import RunPlan, read_plan

__all__ = ["RunOutcome", "RunPlan", "price_plan", "read_plan", "run_plan"]
