"""What histogram, series and distribution function releases share: integers off the gate, one law, one promise.

A drawn number is y = 2^k x + noise, x a whole number that the records sum up to; each kind of release says what x counts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.release.io import Document
from discreet.release.neighbours import check_n
from discreet.release.parts import (
    cost_document,
    cost_part,
    guarantee_part,
    keys,
    number,
    schema_part,
    typed,
    versions_part,
    whole_numbers,
)
from discreet.release.tables.table import LAWS
from discreet.release.validation import LARGEST_BITS, LARGEST_EXPONENT, whole_number
from discreet.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.privacy.cost import Cost
    from discreet.privacy.guarantee import Guarantee

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DrawnRelease:
    """The common part of such a release.

    Parameters
    ----------
    schema : Schema
        The public part of the records concerned.
    drawn : sequence of int
        The integers as they left the gate.
    exponent : int
        k >= 0: the grid has the step 2^-k in the units of x.
    mechanism : str
        The law of the noise, e.g. "Laplace".
    scale : float
        Its scale in the units of x: b or sigma, before projection.
    guarantee, cost : Guarantee, Cost, optional
        What was promised and what it took from the budget.
    n : int, optional
        The number of records where it is public.
    versions : mapping of str to str
        The programs that made the release.
    """

    what: ClassVar[str] = "release"
    laws: ClassVar[tuple[str, ...]] = tuple(LAWS)

    schema: Schema
    drawn: tuple[int, ...]
    exponent: int
    mechanism: str
    scale: float
    guarantee: Guarantee | None = None
    cost: Cost | None = None
    n: int | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {"discreet": version("discreet")}, hash=False)

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("drawn", tuple(whole_number("a drawn number", y) for y in self.drawn))
        set_field("exponent", whole_number("the grid exponent", self.exponent))
        set_field("versions", MappingProxyType(dict(self.versions)))
        if self.n is not None:
            set_field("n", whole_number("n", self.n))
        if self.mechanism not in self.laws:
            raise InvalidInput(f"unknown mechanism {self.mechanism!r} of a {self.what}: one of {', '.join(self.laws)}")
        set_field("scale", LAWS[self.mechanism](self.scale).scale)
        check_n(self.schema, self.n)
        if self.n is not None and not 0 <= self.n < 2**63:
            raise InvalidInput("n, the number of records, must lie in 0 ... 2^63 - 1")
        if not 0 <= self.exponent <= LARGEST_EXPONENT:
            raise InvalidInput(f"the grid exponent must lie in 0 ... {LARGEST_EXPONENT}")
        if any(abs(y).bit_length() - self.exponent > LARGEST_BITS for y in self.drawn):
            raise InvalidInput("a released number is too large for a floating-point number")

    def __reduce__(self) -> tuple[Any, ...]:
        # The read-only view of `versions` cannot be pickled; cached numbers need not be.
        kept = {f.name: getattr(self, f.name) for f in fields(self)} | {"versions": dict(self.versions)}
        return partial(type(self), **kept), ()

    @property
    def adjacency(self) -> str:
        """Which sets of records count as neighbours, e.g. "replace-one"."""
        return self.schema.adjacency

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the release to a JSON file, exactly and all at once; `discreet.load` reads it back."""
        from discreet.release.io import save

        save(self, path)

    def _repr_html_(self) -> str:
        return str(display.draw("html", self))

    def plot(self, **options: Any) -> Figure:
        """A picture of the released numbers with their uncertainty (needs `discreet[plot]`)."""
        figure: Figure = display.draw("plot", self, **options)
        return figure


SHARED = ("schema", "noise", "guarantee", "cost", "n", "versions", "exponent", "drawn")


def shared_document(release: DrawnRelease) -> Document:
    """The common parts as plain data. The integers are text because other languages read JSON numbers as floats."""
    return {
        "schema": release.schema.to_dict(),
        "noise": {"mechanism": release.mechanism, "scale": release.scale},
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "cost": cost_document(release.cost),
        "n": release.n,
        "versions": dict(release.versions),
        "exponent": release.exponent,
        "drawn": [str(y) for y in release.drawn],
    }


def shared_parts(document: Document) -> dict[str, Any]:
    """The common arguments that a document holds, each checked."""
    noise = typed("noise", document["noise"], dict)
    keys("noise", noise, ("mechanism", "scale"))
    return {
        "schema": schema_part(document["schema"]),
        "drawn": whole_numbers(document["drawn"]),
        "exponent": typed("exponent", document["exponent"], int),
        "mechanism": typed("noise.mechanism", noise["mechanism"], str),
        "scale": number("noise.scale", noise["scale"]),
        "guarantee": guarantee_part(document["guarantee"]),
        "cost": cost_part(document["cost"]),
        "n": None if document["n"] is None else typed("n", document["n"], int),
        "versions": versions_part(document["versions"]),
    }
