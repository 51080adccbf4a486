"""How far one record can move a statistic: exact integers, with their proofs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from discreet.errors import InvalidInput, NotAvailable


@dataclass(frozen=True)
class Sensitivity:
    """The largest distance between the statistics of two neighbouring sets of records.

    Parameters
    ----------
    l1 : int
        In the L1 norm: what Laplace noise is scaled to.
    l2_squared : int
        The square of that in the L2 norm, an integer where the L2 sensitivity itself is irrational.

    Examples
    --------
    >>> from discreet.privacy.sensitivity import table
    >>> table("replace-one")
    Sensitivity(l1=2, l2_squared=2)
    """

    l1: int
    l2_squared: int

    @property
    def l2(self) -> float:
        """The L2 sensitivity, what Gaussian noise is scaled to."""
        return math.sqrt(self.l2_squared)


def table(adjacency: str) -> Sensitivity:
    """The sensitivity of a table of counts, whatever its number of cells, its other cell included.

    Proof for "replace-one". Each record falls into exactly one cell (a stray into the other cell, or into the first
    where the schema is complete), by a function of that record alone. So records of cells i and j, one in place of the
    other, move the table by e_j - e_i: nothing if i = j, else -1 in one cell and +1 in another. L1 = 1 + 1 = 2 and
    L2^2 = 1 + 1 = 2, both attained as soon as the table has two cells.

    Parameters
    ----------
    adjacency : "replace-one"
        Which sets of records are neighbours; "add-remove" is not available yet for this release.

    Examples
    --------
    >>> table("replace-one").l1
    2
    """
    if adjacency == "add-remove":
        raise NotAvailable('adjacency "add-remove" is not available yet for this release; use "replace-one"')
    if adjacency != "replace-one":
        raise InvalidInput(f'adjacency must be "replace-one" or "add-remove", not {adjacency!r}')
    return Sensitivity(l1=2, l2_squared=2)
