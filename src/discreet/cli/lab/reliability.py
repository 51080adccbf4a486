"""`discreet lab reliability`: are the p-values of a test uniform under its null?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.counted import counted
from discreet.cli.files import check_picture, save_picture
from discreet.cli.lab.design import DesignOptions, Methods, Repetitions, names
from discreet.cli.options import Delta, Epsilon, Mu, Plot, Rho, example, guarantee_of
from discreet.cli.output import emit, heading, probability
from discreet.cli.unfold import unfolded

if TYPE_CHECKING:
    from discreet.lab import ReliabilityStudy

EXAMPLE = example(
    "discreet lab reliability independence --rows 1/3,1/3,1/3 --columns 1/3,1/3,1/3 --n 2000 --epsilon 0.2 --workers 2 "
    "--plot qq.png"
)

Records = Annotated[int, typer.Option("--n", metavar="N", help="Records (of all samples).", show_default=False)]


@unfolded
def reliability(
    options: DesignOptions,
    n: Records,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    methods: Methods = "discreet,naive",
    repetitions: Repetitions = 10_000,
    plot: Plot = None,
) -> None:
    """Simulate a true null and see how often each method rejects it, with exact binomial intervals."""
    guarantee = guarantee_of(epsilon, delta, mu, rho)
    check_picture(plot)
    with counted("testing null tables") as progress:
        from discreet.lab import reliability as study_of

        study = study_of(
            options.design(n),
            guarantee,
            methods=names("--methods", methods),
            statistic=options.statistic,
            repetitions=repetitions,
            progress=progress,
            **options.simulation(),
        )
        if plot is not None:
            save_picture(study, plot)
    data = {
        "command": "lab reliability",
        "test": options.test.value,
        "n": n,
        "guarantee": guarantee.to_dict(),
        "statistic": options.statistic,
        "repetitions": repetitions,
        "seed": options.seed,
        "levels": [asdict(row) for row in study.levels()],
        "uniformity": [asdict(row) for row in study.uniformity()],
        "refused": study.refused,
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: _view(study, str(plot) if plot else None), as_json=options.as_json)


def _view(study: ReliabilityStudy, plot: str | None) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 1), pad_edge=False, header_style="dim")
    table.add_column("method", overflow="fold")
    for text in ("nominal", "rejected", "95 % interval", "KS p"):
        table.add_column(text, justify="right", no_wrap=True)
    tests = {test.method: test for test in study.uniformity()}
    said = ""
    for row in study.levels():
        first, said = row.method != said, row.method
        style = "" if row.agrees else "yellow"
        table.add_row(
            row.method if first else "",
            f"{row.alpha:g}",
            Text(f"{row.level:.4f}", style),
            f"{row.low:.4f} to {row.high:.4f}",
            probability(tests[row.method].pvalue) if first else "",
        )
    title, _, what = study.title.partition(": ")
    parts: list[RenderableType] = [heading(title, what), Text(f"  {study.settings}", "dim"), "", table]
    refused = {name: count for name, count in study.refused.items() if count}
    if refused:
        words = ", ".join(f"{name} {count:,}" for name, count in refused.items())
        parts += ["", Text(f"  not applicable (and so not rejected): {words}", "dim")]
    if plot is not None:
        parts += ["", Text(f"  saved {plot}", "dim")]
    return Group(*parts)
