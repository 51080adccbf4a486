"""From drawn integers to released numbers, in exact arithmetic.

What left the gate are integers on a public grid, y_i = 2^k (true count) + noise. With M draws in all (one for each
tabulated cell, and for the `other` cell if there is one), the projected mechanism moves every tabulated cell by the same
amount, so that all of them add up to the public n:

    count_i = 2^-k (y_i + m_i (2^k n - sum y) / M),      m_i = the number of tabulated cells summed into entry i

(m_i = 1 but in a margin); the other mechanisms release count_i = 2^-k y_i. Source of the projection: Kim, Lee, Kwak and
Jung (2022), Theorem 3.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.release.table import TableRelease


def exact_entries(release: TableRelease) -> tuple[list[int], int]:
    """All entries (declared cells, then `other`) as numerators over one denominator, to be rounded once.

    Where n is None a projected table is taken to be as published: its own sum is its n.
    """
    if not release.projected or release.n is None:
        return list(release.drawn), 2**release.exponent
    size, m, total = math.prod(release.shape), release.draws_per_cell, release.total_draws
    surplus = release.n * 2**release.exponent - sum(release.drawn)
    cells = [y * total + m * surplus for y in release.drawn[:size]]
    other = [y * total + surplus for y in release.drawn[size:]]
    return cells + other, total * 2**release.exponent
