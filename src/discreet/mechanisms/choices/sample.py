"""What a mechanism that releases a sample of grid points states before any record is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.pure import pure_cost, pure_only
from discreet.privacy import Cost, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee

MOST_POINTS = 10**6


@dataclass(frozen=True)
class Setting:
    """The public facts that a sample is drawn under.

    Attributes
    ----------
    steps : int
        J: the column's codes are 0 ... J.
    n : int
        The number of records.
    guarantee : PureDP
    """

    steps: int
    n: int
    guarantee: PureDP

    @property
    def points(self) -> int:
        """G = J + 1, the number of grid points."""
        return self.steps + 1


@dataclass(frozen=True)
class SampleMechanism:
    """A mechanism for k points of one column under one guarantee.

    Attributes
    ----------
    setting : Setting
    size : int
        k, the number of points released.
    """

    name: ClassVar[str]
    sampler: ClassVar[str]
    """The module of the curator's samplers that draws it."""
    bounded_range: ClassVar[bool] = True

    setting: Setting
    size: int

    @property
    def guarantee(self) -> PureDP:
        """What the release promises."""
        return self.setting.guarantee

    @property
    def parameters(self) -> Mapping[str, int | float]:
        """The public numbers that decide the law, beside size and guarantee; they are stored in the release."""
        return {}

    @property
    def accuracy(self) -> dict[str, float]:
        """What a price states."""
        return {"size": float(self.size)}

    def cost(self, currency: Currency) -> Cost:
        """The cost in a budget's currency: that of a mechanism of pure epsilon."""
        return pure_cost(self, currency, bounded_range=self.bounded_range)


class SampleSpecification(Protocol):
    """What `mechanism=` of a sample takes."""

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> SampleMechanism: ...


@dataclass(frozen=True)
class Checked:
    """The arguments of `for_sample` after the checks that all samples share."""

    setting: Setting
    size: int | None = field(default=None)


def checked(name: str, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str) -> Checked:
    """A whole number of points from 1 to 10^6, a public number of records, a pure guarantee; or the reason why not."""
    if adjacency != "replace-one" or n is None:
        raise NotAvailable(
            f"{name} compares distributions that divide by n, the number of records, which is not public under "
            f"adjacency={adjacency!r}: one record more would change every frequency at once. Release a histogram instead"
        )
    pure = pure_only(name, guarantee)
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidInput(f"{name} needs at least one record, not n = {n!r}")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_POINTS):
        raise InvalidInput(
            f"size, the number of points to release, must be a whole number from 1 to {MOST_POINTS:,}, not {size!r}"
        )
    return Checked(Setting(steps, n, pure), size)
