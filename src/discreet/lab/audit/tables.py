"""A table mechanism as an auditor needs it: exact counts in, released numbers out, through the very gate that protects.

The plan is that of `Curator.table`, with made-up counts in place of records; so what is audited is the code that runs, from
the calibration to the released numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.curator.releasing.plan import PublicSize
from discreet.curator.releasing.table import plan_table
from discreet.errors import InvalidInput
from discreet.lab.audit.black_box import audit
from discreet.lab.audit.certificate import Certificate
from discreet.lab.audit.noise import NoiseCheck, check_noise
from discreet.mechanisms import TableMechanism, TableSpecification, default_for_table
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from discreet.noise.draw_law import DrawLaw
from discreet.privacy.guarantee import Guarantee
from discreet.schema import Schema

Floats = NDArray[np.float64]

_LAWS: Mapping[str, tuple[Callable[[float], DrawLaw], Callable[[float], DrawLaw]]] = {
    "laplace": (Laplace, DiscreteLaplace),
    "gaussian": (Gaussian, DiscreteGaussian),
}


@dataclass(frozen=True)
class _Counts:
    """Made-up counts in the place of records."""

    counts: tuple[int, ...]

    def tabulate(self, columns: tuple[str, ...]) -> list[int]:
        return list(self.counts)


def table_mechanism(
    guarantee: Guarantee,
    specification: TableSpecification | None = None,
    *,
    cells: int = 4,
    records: int = 100,
    adjacency: str = "replace-one",
) -> Callable[[Sequence[int]], Floats]:
    """The released numbers of a table of `cells` cells, as a function of its exact counts.

    Examples
    --------
    >>> from discreet import PureDP
    >>> from discreet.lab.audit import table_mechanism
    >>> release = table_mechanism(PureDP(1), cells=3, records=60)
    >>> release([20, 30, 10]).shape
    (3,)
    """
    schema = Schema({"cell": list(range(cells))}, complete=True, adjacency=adjacency, max_rows=records)  # type: ignore[arg-type]
    public = PublicSize(records if adjacency == "replace-one" else None)
    currency = {"pure": "epsilon", "gdp": "mu", "zcdp": "rho", "approx": "approx"}[guarantee.kind]
    plan = plan_table(schema, public, currency, "cell", guarantee, specification)  # type: ignore[arg-type]

    def release(counts: Sequence[int]) -> Floats:
        drawn = plan.make(_Counts(tuple(counts)))  # type: ignore[arg-type]
        return np.asarray(drawn.counts)

    return release


@dataclass(frozen=True)
class TableAudit:
    """The audit of one table mechanism: a certificate for each distance, and the check of its noise."""

    mechanism: TableMechanism
    certificates: tuple[Certificate, ...]
    noise: NoiseCheck | None

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not any(each.violated for each in self.certificates) and (self.noise is None or self.noise.sound)


def audit_table(
    guarantee: Guarantee,
    specification: TableSpecification | None = None,
    *,
    cells: int = 4,
    distances: Sequence[int] = (1,),
    alpha: float = 1e-6,
    max_n: int = 3000,
    adjacency: str = "replace-one",
) -> TableAudit:
    """Audit a table mechanism: its outputs on two tables for each distance, and its noise; alpha is split over all.

    Tables `k` records apart: k records move from the first cell to the second (or are added to the first).
    """
    if cells < 2:
        raise InvalidInput(f"a table to audit has at least 2 cells, not {cells}")
    if not distances or min(distances) < 1:
        raise InvalidInput("distances are whole numbers of at least 1")
    chosen = default_for_table(guarantee, adjacency) if specification is None else specification
    reached = chosen.for_table(guarantee, adjacency)
    each, records = 2 * max(distances), 2 * max(distances) * (cells + 1)
    release = table_mechanism(guarantee, chosen, cells=cells, records=records, adjacency=adjacency)
    base = [each] * cells
    base[0] = records - each * (cells - 1) if adjacency == "replace-one" else each
    share = alpha / (len(distances) + 1)
    exponent = None if reached.projected else _exponent(reached)
    certificates = []
    for distance in distances:
        other = list(base)
        other[0] -= distance
        other[1] += distance * (adjacency == "replace-one")
        certificates.append(audit(release, base, other, guarantee, share, max_n, distance=distance, exponent=exponent))
    noise = None
    if not reached.projected:
        law = _LAWS[reached.family][reached.integer](reached.scale)
        runs = np.array([release(base) for _ in range(max_n)]) - base
        noise = check_noise(runs, law, share, exponent=exponent)
    return TableAudit(reached, tuple(certificates), noise)


def _exponent(mechanism: TableMechanism) -> int:
    from discreet.curator.gate import grid_exponent

    return grid_exponent(mechanism.scale, integer=mechanism.integer)
