"""Better numbers out of a release: post-processing only, so an estimate has the guarantee of the release it came from."""

from discreet.estimate.estimate import Estimate
from discreet.estimate.expected_loss import expected_loss
from discreet.estimate.james_stein import JamesStein, james_stein

__all__ = ["Estimate", "JamesStein", "expected_loss", "james_stein"]
