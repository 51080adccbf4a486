"""Draws one grid point near the mean by exact integer weights."""

from __future__ import annotations

from discreet.curator.releasing.plan import Records
from discreet.errors import DiscreetError
from discreet.mechanisms.choices.mean_distance import MeanExponential
from discreet.mechanisms.choices.order_band import Choose


def draw(mechanism: MeanExponential, records: Records, column: str, choose: Choose) -> list[int]:
    """The code of the one point."""
    groups = records.sums((column,), products=False)
    n, total = mechanism.setting.n, sum(group.sums[0] for group in groups)
    if sum(group.n for group in groups) != n or not 0 <= total <= n * mechanism.setting.steps:
        raise DiscreetError("the records changed since they were counted")
    distances = [abs(total - n * code) for code in range(mechanism.setting.points)]
    nearest, weights = min(distances), mechanism.weights
    return [choose([weights.weight(distance - nearest) for distance in distances])]
