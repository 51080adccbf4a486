"""What every command that prices or makes a release is told, whatever the kind of release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import Data, Delta, Epsilon, Json, LedgerFile, Mu, Plot, Rho, SchemaFile, guarantee_of

if TYPE_CHECKING:
    from discreet.privacy.guarantee import Guarantee

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where the release is saved: JSON, or .parquet, .arrow.",
        show_default=False,
    ),
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="A name for this request: the same command with the same name gets the same release and spends nothing more.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]


@dataclass(frozen=True, kw_only=True)
class PriceOptions:
    """The records, what is public about them, the budget, and what is promised."""

    data: Data
    schema: SchemaFile
    ledger: LedgerFile
    epsilon: Epsilon = None
    delta: Delta = None
    mu: Mu = None
    rho: Rho = None
    as_json: Json = False

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee that the options name."""
        return guarantee_of(self.epsilon, self.delta, self.mu, self.rho)


@dataclass(frozen=True, kw_only=True)
class SavedOptions:
    """The same, and where the release goes."""

    data: Data
    schema: SchemaFile
    ledger: LedgerFile
    output: Output
    epsilon: Epsilon = None
    delta: Delta = None
    mu: Mu = None
    rho: Rho = None
    request_id: RequestId = None
    force: Force = False
    as_json: Json = False

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee that the options name."""
        return guarantee_of(self.epsilon, self.delta, self.mu, self.rho)


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(SavedOptions):
    """The same, and where a picture of the release goes."""

    plot: Plot = None
