"""Mechanism specifications: which noise, which sensitivity, which guarantee, which cost. They see no records."""

from __future__ import annotations

from typing import Protocol

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.projected import ProjectedGaussian
from discreet.mechanisms.table import TableMechanism
from discreet.privacy import PureDP
from discreet.privacy.guarantee import Guarantee


class TableSpecification(Protocol):
    """What `mechanism=` of a table takes."""

    def for_table(self, guarantee: Guarantee, adjacency: str = "replace-one") -> TableMechanism: ...


def default_for_table(guarantee: Guarantee, adjacency: str = "replace-one") -> TableSpecification:
    """The best mechanism for the guarantee: Laplace for pure DP, else Gaussian, projected where the total is public."""
    if isinstance(guarantee, PureDP):
        return Laplace()
    return ProjectedGaussian() if adjacency == "replace-one" else Gaussian()


__all__ = [
    "Gaussian",
    "Laplace",
    "ProjectedGaussian",
    "TableMechanism",
    "TableSpecification",
    "default_for_table",
]
