"""`discreet lab sample-size`: how many records, or how much epsilon or mu, a test needs for a target power."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.boundary import usage_error
from discreet.cli.counted import counted
from discreet.cli.lab.design import DesignOptions
from discreet.cli.lab.power import Level
from discreet.cli.options import Delta, Epsilon, Mu, Rho, example, guarantee_of
from discreet.cli.output import emit, facts, heading
from discreet.cli.unfold import unfolded

if TYPE_CHECKING:
    from discreet.lab import SampleSize


class Varied(StrEnum):
    """What `--vary` may be."""

    N = "n"
    EPSILON = "epsilon"
    MU = "mu"


EXAMPLE = example(
    "discreet lab sample-size independence --rows 0.5,0.5 --columns 0.5,0.5 --effect 0.1 --epsilon 0.5",
    "discreet lab sample-size goodness-of-fit --theta 0.25,0.25,0.5 --effect 0.2 --vary epsilon --n 1000",
    heading="Examples:",
)

Effect = Annotated[
    float, typer.Option("--effect", metavar="V", help="Cramer's V; for goodness of fit Cohen's w.", show_default=False)
]
Vary = Annotated[Varied, typer.Option("--vary", metavar="NAME", help="What is sought: n, epsilon or mu.")]
Records = Annotated[
    int | None, typer.Option("--n", metavar="N", help="Records, where epsilon or mu is sought.", show_default=False)
]
Target = Annotated[float, typer.Option("--target", metavar="X", help="The power wanted.")]
Tolerance = Annotated[
    float, typer.Option("--tolerance", metavar="X", help="Relative width of the interval to stop at.")
]
Confidence = Annotated[float, typer.Option("--confidence", metavar="X", help="With which the interval holds.")]
Repetitions = Annotated[int, typer.Option("--repetitions", metavar="M", help="Simulated tables a candidate at most.")]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="As in 'discreet lab power', one.")]


@unfolded
def sample_size(
    options: DesignOptions,
    effect: Effect,
    n: Records = None,
    vary: Vary = Varied.N,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    method: Method = "discreet",
    target: Target = 0.8,
    level: Level = 0.05,
    tolerance: Tolerance = 0.05,
    confidence: Confidence = 0.99,
    repetitions: Repetitions = 8000,
) -> None:
    """Find the number of records, epsilon or mu that gives a test a power."""
    if (n is None) != (vary is Varied.N):
        raise usage_error("give --n where epsilon or mu is sought, and only there")
    if vary is Varied.N:
        guarantee = guarantee_of(epsilon, delta, mu, rho)
    elif any(number is not None for number in (epsilon, delta, mu, rho)):
        raise usage_error(f"with --vary {vary} no guarantee is given: it is what is sought")
    else:
        guarantee = None
    with counted("searching") as progress:
        from discreet.lab import sample_size as search

        found = search(
            options.design(1000 if n is None else n).with_effect(effect),
            guarantee,
            target=target,
            vary=vary.value,
            method=method,
            statistic=options.statistic,
            level=level,
            tolerance=tolerance,
            confidence=confidence,
            repetitions=repetitions,
            progress=progress,
            **options.simulation(),
        )
    data = {
        "command": "lab sample-size",
        "test": options.test.value,
        "guarantee": None if guarantee is None else guarantee.to_dict(),
        "statistic": options.statistic,
        "seed": options.seed,
        **asdict(found),
    }
    emit(data, lambda: _view(found), as_json=options.as_json)


def _view(found: SampleSize) -> RenderableType:
    def show(x: float) -> str:
        return f"{x:,.0f}" if found.vary == "n" else f"{x:.4g}"

    rows: list[tuple[str, RenderableType]] = [
        (found.vary, show(found.value)),
        ("by", "the noncentral formula of the projected statistic, a limit law"),
    ]
    if found.how == "simulation":
        tables = sum(candidate.repetitions for candidate in found.candidates)
        rows = [
            (found.vary, show(found.value)),
            ("between", f"{show(found.low)} and {show(found.high)}, with {found.confidence:.0%} confidence"),
            ("by", f"{tables:,} simulated tables at {len(found.candidates)} values"),
        ]
    return Group(
        heading(f"For a power of {found.target:g}", f"at level {found.level:g}, {found.method}"),
        Text(f"  {found.design}", "dim"),
        "",
        facts(rows),
    )
