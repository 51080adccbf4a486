"""Draws from a smoothed histogram: a cell by exact integer weights, then one of its grid points."""

from __future__ import annotations

from discreet.curator.releasing.plan import Records
from discreet.errors import DiscreetError
from discreet.mechanisms.choices.order_band import Choose, uniform
from discreet.mechanisms.choices.smoothed_histogram import SmoothedDraws


def draw(mechanism: SmoothedDraws, records: Records, column: str, choose: Choose) -> list[int]:
    """The codes of k independent draws, sorted."""
    counts = records.count_bins((column,), (mechanism.cells,))
    if len(counts) != mechanism.cells or sum(counts) != mechanism.setting.n:
        raise DiscreetError("the records changed since they were counted")
    weights, steps, cells = mechanism.weights(counts), mechanism.setting.steps, mechanism.cells
    codes = []
    for _ in range(mechanism.size):
        cell = choose(weights)
        first = -(-cell * steps // cells)  # the first code j with j cells // steps = cell
        after = -(-(cell + 1) * steps // cells) if cell + 1 < cells else steps + 1
        codes.append(first + uniform(choose, after - first))
    return sorted(codes)
