"""Studies of methods: what they cost, how they would perform. Nothing here protects records, or needs any."""

from discreet.lab.cost import CostStudy, cost

__all__ = ["CostStudy", "cost"]
