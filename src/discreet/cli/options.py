"""The options that several commands share, and how their texts become values."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.boundary import usage_error
from discreet.cli.files import ledger_place

if TYPE_CHECKING:
    from discreet.mechanisms import MeanSpecification, MomentsSpecification, TableSpecification
    from discreet.privacy.guarantee import Guarantee


class MechanismName(StrEnum):
    """What `--mechanism` may be."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    PROJECTED = "projected"


class MeanMechanismName(StrEnum):
    """What `--mechanism` of means may be."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"


class MomentsMechanismName(StrEnum):
    """What `--mechanism` of moments may be."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    ED = "ed"


DATA_HELP = "The confidential records: a CSV or Parquet file."

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP, show_default=False)]
SchemaFile = Annotated[
    Path, typer.Option("--schema", metavar="FILE", help="The public schema (TOML).", show_default=False)
]
LedgerFile = Annotated[
    Path,
    typer.Option(
        "--ledger",
        metavar="FILE",
        parser=ledger_place,
        help="The ledger that holds the budget: its file, or postgresql://...",
        show_default=False,
    ),
]
By = Annotated[
    str, typer.Option("--by", metavar="A,B", help="The columns to tabulate, separated by commas.", show_default=False)
]
Mechanism = Annotated[
    MechanismName | None,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="laplace, gaussian or projected; without it, the best for the guarantee.",
        show_default=False,
    ),
]
MeanMechanism = Annotated[
    MeanMechanismName | None,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="laplace or gaussian; without it, the best for the guarantee.",
        show_default=False,
    ),
]
MomentsMechanism = Annotated[
    MomentsMechanismName | None,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="laplace or gaussian (noise on every entry; without it, the best for the guarantee), or ed, which is idealised.",
        show_default=False,
    ),
]
Columns = Annotated[
    str,
    typer.Option("--columns", metavar="A,B", help="The numeric columns, separated by commas.", show_default=False),
]
Epsilon = Annotated[float | None, typer.Option("--epsilon", metavar="X", help="Pure DP; with --delta, approximate DP.")]
Delta = Annotated[float | None, typer.Option("--delta", metavar="X", help="The delta beside --epsilon.")]
Mu = Annotated[float | None, typer.Option("--mu", metavar="X", help="Gaussian DP (instead of --epsilon).")]
Rho = Annotated[float | None, typer.Option("--rho", metavar="X", help="Zero-concentrated DP (instead of --epsilon).")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also save a picture (.png, .pdf or .svg).", show_default=False),
]


def example(*lines: str, heading: str = "Example:") -> str:
    """Shell commands at the end of a help text, each on its own line."""
    return "\n".join([heading, "", "\b", *(f"  {line}" for line in lines)])


def guarantee_of(epsilon: float | None, delta: float | None, mu: float | None, rho: float | None) -> Guarantee:
    """The guarantee that the options name."""
    from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

    if sum(number is not None for number in (epsilon, mu, rho)) != 1:
        raise usage_error("give one of --epsilon, --mu and --rho")
    if delta is not None and epsilon is None:
        raise usage_error("--delta goes with --epsilon only")
    if epsilon is not None:
        return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)
    if mu is not None:
        return GaussianDP(mu)
    assert rho is not None
    return ZeroConcentratedDP(rho)


def column_names(text: str) -> list[str]:
    """Names separated by commas; one that has a comma itself is put in double quotes.

    >>> column_names('smoking, "pressure, systolic"')
    ['smoking', 'pressure, systolic']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip()]


def mechanism_of(name: MechanismName | None) -> TableSpecification | None:
    """The specification of that name; None leaves the choice to the library."""
    from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian

    if name is None:
        return None
    known: dict[MechanismName, TableSpecification] = {
        MechanismName.LAPLACE: Laplace(),
        MechanismName.GAUSSIAN: Gaussian(),
        MechanismName.PROJECTED: ProjectedGaussian(),
    }
    return known[name]


def mean_mechanism_of(name: MeanMechanismName | None) -> MeanSpecification | None:
    """The specification of that name; None leaves the choice to the library."""
    from discreet.mechanisms import Gaussian, Laplace

    if name is None:
        return None
    return Laplace() if name is MeanMechanismName.LAPLACE else Gaussian()


def moments_mechanism_of(name: MomentsMechanismName | None) -> MomentsSpecification | None:
    """The specification of that name; None leaves the choice to the library."""
    from discreet.mechanisms import ED, EntrywiseGaussian, EntrywiseLaplace

    if name is None:
        return None
    known: dict[MomentsMechanismName, MomentsSpecification] = {
        MomentsMechanismName.LAPLACE: EntrywiseLaplace(),
        MomentsMechanismName.GAUSSIAN: EntrywiseGaussian(),
        MomentsMechanismName.ED: ED(),
    }
    return known[name]
