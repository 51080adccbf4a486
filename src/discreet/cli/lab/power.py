"""`discreet lab power`: how often a test detects an effect, over records, effects and guarantees."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.boundary import usage_error
from discreet.cli.counted import counted
from discreet.cli.files import check_picture, save_picture
from discreet.cli.lab.design import DesignOptions, Methods, Repetitions, names, numbers, whole_numbers
from discreet.cli.options import Plot, example
from discreet.cli.output import emit, heading
from discreet.cli.unfold import unfolded

if TYPE_CHECKING:
    from discreet.lab import PowerRow, PowerStudy

EXAMPLE = example(
    "discreet lab power independence --rows 0.5,0.5 --columns 0.5,0.5 --effect 0.1 --n 500,1000,2000 --epsilon 0.2,1 "
    "--plot power.png"
)

Records = Annotated[
    str, typer.Option("--n", metavar="N,...", help="Numbers of records (of all samples).", show_default=False)
]
Effects = Annotated[
    str,
    typer.Option("--effect", metavar="V,...", help="Cramer's V; for goodness of fit Cohen's w.", show_default=False),
]
Epsilons = Annotated[
    str | None, typer.Option("--epsilon", metavar="X,...", help="Pure DP, Laplace noise.", show_default=False)
]
Mus = Annotated[
    str | None, typer.Option("--mu", metavar="X,...", help="Gaussian DP, Gaussian noise.", show_default=False)
]
Level = Annotated[float, typer.Option("--level", metavar="X", help="The nominal level of the test.")]


@unfolded
def power(
    options: DesignOptions,
    n: Records,
    effect: Effects,
    epsilon: Epsilons = None,
    mu: Mus = None,
    methods: Methods = "discreet",
    level: Level = 0.05,
    repetitions: Repetitions = 2000,
    plot: Plot = None,
) -> None:
    """Simulate the power of tests, beside what it would be without privacy."""
    if (epsilon is None) == (mu is None):
        raise usage_error("give one of --epsilon and --mu")
    check_picture(plot)
    with counted("simulating power") as progress:
        from discreet.lab import power as study_of
        from discreet.privacy import GaussianDP, PureDP

        guarantees: list[Any] = (
            [PureDP(x) for x in numbers("--epsilon", epsilon)]
            if epsilon is not None
            else [GaussianDP(x) for x in numbers("--mu", str(mu))]
        )
        sizes = whole_numbers("--n", n)
        study = study_of(
            options.design(sizes[0]),
            guarantees,
            n=sizes,
            effects=numbers("--effect", effect),
            methods=names("--methods", methods),
            statistic=options.statistic,
            level=level,
            repetitions=repetitions,
            progress=progress,
            **options.simulation(),
        )
        if plot is not None:
            save_picture(study, plot)
    data = {
        "command": "lab power",
        "test": options.test.value,
        "statistic": options.statistic,
        "level": level,
        "repetitions": repetitions,
        "seed": options.seed,
        "amount": study.amount_name,
        "effect": study.effect_name,
        "rows": [asdict(row) for row in study.rows],
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: _view(study, str(plot) if plot else None), as_json=options.as_json)


def _view(study: PowerStudy, plot: str | None) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 1), pad_edge=False, header_style="dim")
    for text in ("n", study.effect_name, study.amount_name):
        table.add_column(text, justify="right", no_wrap=True)
    for name in study.methods:
        table.add_column(name, justify="right", overflow="fold")
    found: dict[tuple[int, float, float], dict[str, PowerRow]] = {}
    for row in study.rows:
        found.setdefault((row.n, row.effect, row.amount), {})[row.method] = row
    for (n, effect, amount), rows in found.items():
        table.add_row(
            f"{n:,}",
            f"{effect:g}",
            f"{amount:g}",
            *(f"{rows[name].power:.3f}" if name in rows else "-" for name in study.methods),
        )
    largest = max(row.error for row in study.rows)
    parts: list[RenderableType] = [
        heading("Power", study.title.partition(": ")[2]),
        *(
            Text(f"  {line}", "dim")
            for line in study.settings.replace("; bars: 95 % binomial intervals", "").split("\n")
        ),
        Text(f"  simulated powers have standard errors of at most {largest:.3f}", "dim"),
        "",
        table,
    ]
    if plot is not None:
        parts += ["", Text(f"  saved {plot}", "dim")]
    return Group(*parts)
