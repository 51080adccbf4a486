"""The selection release: one of a public list of candidates, by scores of a table's exact counts."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import product
from typing import Any

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms.choices.pure import pure_only
from discreet.mechanisms.choices.selection import (
    CountScore,
    LinearScore,
    Score,
    Selection,
    TabulatedScore,
    linear_score,
    tabulated_score,
)
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.parameters import whole
from discreet.release import SelectionRelease
from discreet.schema import Schema

MOST_CANDIDATES = 10**5


def plan_select(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    columns: str | Sequence[str],
    guarantee: Guarantee,
    candidates: Sequence[str] | None = None,
    score: Any = None,
    sensitivity: int | None = None,
) -> Plan:
    """Check and price a selection before anything is charged; every error here is free and data-independent."""
    if not isinstance(columns, Sequence):
        raise InvalidInput(f"columns must be a name or a list of names, not {columns!r}")
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not names or len(set(names)) < len(names):
        raise InvalidInput(f"columns must be one or more different names, not {list(names)}")
    part = schema.select(names)
    shape = tuple(len(part.categorical(name).categories) for name in names)
    cells, other = math.prod(shape), not schema.complete
    if cells > MOST_CANDIDATES:
        raise InvalidInput(f"a table of {cells:,} cells; a selection weighs at most {MOST_CANDIDATES:,}")
    pure = pure_only(Selection.name, guarantee)
    labels = _labels(part, names, candidates, own=score is None)
    scored = _score(score, len(labels), cells, other, schema.adjacency, public.n)
    if sensitivity is not None and whole("sensitivity", sensitivity) < scored.sensitivity:
        raise InvalidInput(
            f"the declared sensitivity {sensitivity} is exceeded: one record can move a score by {scored.sensitivity}"
        )
    mechanism = Selection(pure, scored)
    cost = mechanism.cost(currency)
    cap = schema.max_rows if public.n is None else public.n

    def make(records: Records) -> SelectionRelease:
        exact = records.tabulate(names)
        if len(exact) < cells + other or (public.n is not None and sum(exact) != public.n):
            raise DiscreetError("the records changed since they were counted")
        counts = [min(x, cap) for x in exact[:cells]] + [min(sum(exact[cells:]), cap)] * other
        return SelectionRelease(
            schema=part,
            column_names=names,
            candidates=labels,
            chosen=gate.choose(mechanism.weigh(counts)),
            spread=mechanism.weights.spread,
            guarantee=guarantee,
            cost=cost,
            n=public.n,
            versions=_versions(),
        )

    public_parts = {
        "columns": names,
        "guarantee": guarantee.to_dict(),
        "candidates": hashlib.sha256(repr(labels).encode()).hexdigest(),
        "score": _identity(scored),
    }
    return Plan(
        verb="select",
        specification=specification("select", part, **public_parts),
        schema=schema,
        cost=cost,
        accuracy=mechanism.accuracy,
        mechanism=mechanism.name,
        make=make,
    )


@cache
def _versions() -> dict[str, str]:
    return {"discreet": version("discreet")}


def _labels(part: Schema, names: Sequence[str], candidates: Sequence[str] | None, *, own: bool) -> tuple[str, ...]:
    if candidates is None:
        if not own:
            raise InvalidInput("a score needs candidates: a list of different names, one a row of the score")
        return tuple(" & ".join(cell) for cell in product(*(part.categorical(name).labels for name in names)))
    if own:
        raise InvalidInput(
            "candidates need a score; without both, the candidates are the table's cells and the scores its counts"
        )
    if isinstance(candidates, str) or not all(isinstance(label, str) and label for label in candidates):
        raise InvalidInput("candidates must be a list of names in text")
    labels = tuple(candidates)
    if not 1 <= len(labels) <= MOST_CANDIDATES or len(set(labels)) < len(labels):
        raise InvalidInput(f"candidates must be from 1 to {MOST_CANDIDATES:,} different names")
    return labels


def _score(score: Any, candidates: int, cells: int, other: bool, adjacency: str, n: int | None) -> Score:
    if score is None:
        return CountScore(candidates, adjacency)
    if callable(score):
        return tabulated_score(score, candidates, cells + other, n)
    return linear_score(score, candidates, cells, other, adjacency)


def _identity(score: Score) -> str:
    """What tells one score from another in the ledger."""
    if isinstance(score, LinearScore):
        return hashlib.sha256(repr(score.matrix.tolist()).encode()).hexdigest()
    if isinstance(score, TabulatedScore):
        return hashlib.sha256(repr(sorted(score.scores.items())).encode()).hexdigest()
    return "counts"
