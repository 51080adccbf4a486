"""A study in one file: its releases are priced together, paid once each, tested and reported; a crash costs nothing more."""

from discreet.runs.detectable import SmallestEffect
from discreet.runs.execute import run_plan
from discreet.runs.outcome import RunOutcome
from discreet.runs.plan_file import RunPlan, read_plan
from discreet.runs.price import PlanQuote, price_plan

__all__ = ["PlanQuote", "RunOutcome", "RunPlan", "SmallestEffect", "price_plan", "read_plan", "run_plan"]
