"""What the commands for studies on tables are told alike: the test, the cell probabilities, and how to simulate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.boundary import usage_error
from discreet.cli.options import Json
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.lab import Design


class DesignName(StrEnum):
    """The tests that have a design."""

    INDEPENDENCE = "independence"
    GOODNESS_OF_FIT = "goodness-of-fit"
    HOMOGENEITY = "homogeneity"


DesignTest = Annotated[
    DesignName,
    typer.Argument(metavar="TEST", help="independence, goodness-of-fit or homogeneity.", show_default=False),
]
Rows = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="P,...",
        help="Independence: row probabilities, as 0.2,0.8 or 1/3,1/3,1/3.",
        show_default=False,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="P,...", help="Independence: column probabilities.", show_default=False),
]
Theta = Annotated[
    str | None,
    typer.Option(
        "--theta", metavar="P,...", help="The other tests: the cell probabilities under the null.", show_default=False
    ),
]
Samples = Annotated[
    str, typer.Option("--samples", metavar="K,...", help="Homogeneity: the relative sizes of the samples.")
]
Statistic = Annotated[str, typer.Option("--statistic", metavar="NAME", help="chi2, lr, projected or minp.")]
Methods = Annotated[
    str,
    typer.Option("--methods", metavar="A,B", help="Of discreet, naive, monte-carlo, output and 'no privacy'."),
]
Repetitions = Annotated[int, typer.Option("--repetitions", metavar="M", help="Simulated tables (at each setting).")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same numbers.")]
Workers = Annotated[int, typer.Option("--workers", metavar="K", help="Processes; -1 is one for each core.")]
StoreFolder = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Keep finished parts here, to go on after a stop.", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """The test, its null, and the simulation."""

    test: DesignTest
    rows: Rows = None
    columns: Columns = None
    theta: Theta = None
    samples: Samples = "1,1"
    statistic: Statistic = "chi2"
    seed: Seed = 1
    workers: Workers = 1
    store: StoreFolder = None
    as_json: Json = False

    def design(self, n: int) -> Design:
        """The design under the null, with n records in all."""
        from discreet.lab import fit_design, homogeneity_design, independence_design

        if self.test is DesignName.INDEPENDENCE:
            if self.rows is None or self.columns is None or self.theta is not None:
                raise usage_error("independence takes --rows and --columns, and no --theta")
            return independence_design(numbers("--rows", self.rows), numbers("--columns", self.columns), n)
        if self.theta is None or self.rows is not None or self.columns is not None:
            raise usage_error(f"{self.test} takes --theta, and no --rows and --columns")
        theta = numbers("--theta", self.theta)
        if self.test is DesignName.GOODNESS_OF_FIT:
            return fit_design(theta, n)
        shares = numbers("--samples", self.samples)
        if len(shares) < 2 or min(shares) <= 0:
            raise InvalidInput(f"--samples must be two or more numbers above 0, not {self.samples!r}")
        # Sizes in proportion, fine enough that the shares stay what they are.
        return homogeneity_design(theta, [max(1, round(10**6 * share / sum(shares))) for share in shares]).with_n(n)

    def simulation(self) -> dict[str, Any]:
        """How to simulate, for every study alike."""
        if self.workers == 0:
            raise InvalidInput("--workers is a number of processes, or -1 for one for each core, not 0")
        return {"seed": self.seed, "n_jobs": self.workers, "store": self.store}


def numbers(option: str, text: str) -> list[float]:
    """Numbers separated by commas, fractions among them.

    >>> numbers("--theta", "1/4, 0.25,.5")
    [0.25, 0.25, 0.5]
    """
    try:
        found = [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidInput(
            f"{option} must be numbers separated by commas, such as 0.25,0.25,1/2, not {text!r}"
        ) from None
    return found


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers of at least 1, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise InvalidInput(f"{option} must be whole numbers of at least 1, separated by commas, not {text!r}")
    return [int(part) for part in parts]


def names(option: str, text: str) -> list[str]:
    """Names separated by commas."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise InvalidInput(f"{option} must be names separated by commas, not {text!r}")
    return found
