"""The declared sensitivity of a table is the largest that neighbours reach, no more and no less."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import Sensitivity
from discreet.privacy.sensitivity import table


def test_no_pair_of_neighbours_moves_a_table_further() -> None:
    rng = np.random.default_rng(7)
    l1, l2_squared = 0, 0
    for _ in range(4000):
        cells = int(rng.integers(1, 8))  # declared cells; the last index, `cells`, is the other cell
        records = rng.integers(0, cells + 1, rng.integers(1, 12))
        neighbour = records.copy()
        neighbour[rng.integers(len(records))] = rng.integers(0, cells + 1)
        moved = np.bincount(neighbour, minlength=cells + 1) - np.bincount(records, minlength=cells + 1)
        l1, l2_squared = max(l1, int(np.abs(moved).sum())), max(l2_squared, int((moved**2).sum()))
    declared = table("replace-one")
    assert (l1, l2_squared) == (declared.l1, declared.l2_squared)


def test_declared() -> None:
    assert table("replace-one") == Sensitivity(l1=2, l2_squared=2)
    assert table("replace-one").l2 == 2**0.5
    with pytest.raises(NotAvailable, match="not available yet for this release"):
        table("add-remove")
    with pytest.raises(InvalidInput, match="replace-one"):
        table("swap")
