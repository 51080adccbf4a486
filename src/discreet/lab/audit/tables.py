"""A table mechanism as an auditor needs it: exact counts in, released numbers out, through the very gate that protects.

The plan is that of `Curator.table`, with made-up counts in place of records; so what is audited is the code that runs, from
the calibration to the released numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from discreet.curator.releasing.count_noise import count_mechanism
from discreet.curator.releasing.plan import PublicSize
from discreet.curator.releasing.table import plan_table
from discreet.curator.source import open_source
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
    max_records: int | None = None,
) -> Callable[[Sequence[int]], Floats]:
    """The released numbers of a table of `cells` cells, as a function of its exact counts.

    With `max_records` the schema has a unit, and these are the counts once the records of each person were bounded.

    Examples
    --------
    >>> from discreet import PureDP
    >>> from discreet.lab.audit import table_mechanism
    >>> release = table_mechanism(PureDP(1), cells=3, records=60)
    >>> release([20, 30, 10]).shape
    (3,)
    """
    schema = _schema(cells, records, adjacency, max_records)
    public = PublicSize(records if schema.n_is_public else None)
    currency = {"pure": "epsilon", "gdp": "mu", "zcdp": "rho", "approx": "approx"}[guarantee.kind]
    plan = plan_table(schema, public, currency, "cell", guarantee, specification)  # type: ignore[arg-type]

    def release(counts: Sequence[int]) -> Floats:
        drawn = plan.make(_Counts(tuple(counts)))  # type: ignore[arg-type]
        return np.asarray(drawn.counts)

    return release


def _schema(cells: int, records: int, adjacency: str, max_records: int | None) -> Schema:
    unit = None if max_records is None else "person"
    return Schema(
        {"cell": list(range(cells))},
        complete=True,
        adjacency=adjacency,  # type: ignore[arg-type]
        max_rows=records,
        unit=unit,
        max_records=max_records,
    )


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
    max_records: int | None = None,
) -> TableAudit:
    """Audit a table mechanism: its outputs on two tables for each distance, and its noise; alpha is split over all.

    Tables `k` records apart: k records move from the first cell to the second (or are added to the first). With
    `max_records` persons are audited in place of records: k persons, with four times as many records as count, have all of them
    in the second cell and not in the first (or are added); the counts are those of the reader of records, so that its
    bounding is audited, too.
    """
    if cells < 2:
        raise InvalidInput(f"a table to audit has at least 2 cells, not {cells}")
    if not distances or min(distances) < 1:
        raise InvalidInput("distances are whole numbers of at least 1")
    farthest, bound = max(distances), max_records or 1
    each = 2 * farthest
    records = each * (cells + 1) if max_records is None else each * cells + 2 * farthest * bound
    schema = _schema(cells, records, adjacency, max_records)
    default = default_for_table(guarantee, "replace-one" if schema.n_is_public else "add-remove")
    chosen = default if specification is None else specification
    reached = count_mechanism(schema, guarantee, chosen)
    release = table_mechanism(
        guarantee, chosen, cells=cells, records=records, adjacency=adjacency, max_records=max_records
    )
    share = alpha / (len(distances) + 1)
    exponent = None if reached.projected else _exponent(reached)
    if max_records is None:
        base = [each] * cells
        base[0] = records - each * (cells - 1) if adjacency == "replace-one" else each
    else:
        base = _counts_of_persons(schema, each, [0] * farthest)
    certificates = []
    for distance in distances:
        if max_records is None:
            other = list(base)
            other[0] -= distance
            other[1] += distance * (adjacency == "replace-one")
        else:
            moved = [1] * (distance if adjacency == "replace-one" else 0)
            other = _counts_of_persons(schema, each, [*moved, *[0] * (farthest - distance)])
        certificates.append(audit(release, base, other, guarantee, share, max_n, distance=distance, exponent=exponent))
    noise = None
    if not reached.projected:
        law = _LAWS[reached.family][reached.integer](reached.scale)
        runs = np.array([release(base) for _ in range(max_n)]) - base
        noise = check_noise(runs, law, share, exponent=exponent)
    return TableAudit(reached, tuple(certificates), noise)


def _counts_of_persons(schema: Schema, each: int, where: Sequence[int]) -> list[int]:
    """The counts of `each` persons with one record in every cell, and of others with more records than count in one."""
    cells, number = len(schema.categorical("cell")), 4 * schema.most_records
    single = [(f"{cell} {person}", cell) for cell in range(cells) for person in range(each)]
    several = [(f"moving {person}", cell) for person, cell in enumerate(where) for _ in range(number)]
    rows = [f"{person},{cell}" for person, cell in [*single, *several]]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "made up.csv"
        file.write_text("\n".join(["person,cell", *rows, ""]), encoding="utf-8")
        source = open_source(file, schema)
        try:
            return list(source.tabulate(["cell"]))
        finally:
            source.close()


def _exponent(mechanism: TableMechanism) -> int:
    from discreet.curator.gate import grid_exponent

    return grid_exponent(mechanism.scale, integer=mechanism.integer)
