"""`discreet test hotelling`: are the means of two groups equal, from released means and covariances?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.boundary import usage_error
from discreet.cli.files import check_picture, save_picture
from discreet.cli.options import Json, Plot, column_names, example
from discreet.cli.output import emit
from discreet.cli.progress import working
from discreet.cli.views.result import result_view
from discreet.errors import FormatError, InvalidInput

if TYPE_CHECKING:
    from discreet.release import MomentsRelease

EPILOG = example(
    "discreet test hotelling moments.json --groups genuine,counterfeit",
    "discreet test hotelling north.json south.json --plot t.png",
    "discreet test hotelling moments.json --mean length=214.9,left=130.1",
    heading="Examples:",
)

Releases = Annotated[
    list[Path],
    typer.Argument(
        metavar="RELEASE...",
        help="One release of moments with groups (or with --mean), or two: one a sample.",
        show_default=False,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="A,B",
        help="Which two groups of one release (with --mean: which one), where it has more.",
        show_default=False,
    ),
]
Mean = Annotated[
    str | None,
    typer.Option(
        "--mean",
        metavar="X,Y,...",
        help="Compare one group with this mean: a number a column, or NAME=NUMBER for each.",
        show_default=False,
    ),
]
Null = Annotated[
    str, typer.Option("--null", metavar="METHOD", help="bootstrap, or asymptotic (for many records and little noise).")
]
Replicates = Annotated[
    int, typer.Option("--replicates", metavar="B", help="The number of simulated releases of the bootstrap.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", min=0, help="Seed of the simulation, to repeat a result exactly.", show_default=False
    ),
]


def hotelling(
    releases: Releases,
    groups: Groups = None,
    mean: Mean = None,
    null: Null = "bootstrap",
    replicates: Replicates = 1000,
    seed: Seed = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Are the means of two groups equal (or those of one as given)?"""
    if len(releases) > 2:
        raise usage_error(f"give one or two releases, not {len(releases)}")
    if len(releases) == 2 and (groups is not None or mean is not None):
        raise usage_error("--groups and --mean are for one release")
    given = None if mean is None else given_mean(mean)
    check_picture(plot, inputs=releases)
    with working("simulating releases"):
        from discreet.inference import hotelling as test

        result = test(
            *[_read(path) for path in releases],
            groups=None if groups is None else column_names(groups),
            mean=given,
            null=null,
            replicates=replicates,
            rng=seed,
        )
        effect = str(result.effect)
        if plot is not None:
            save_picture(result, plot)
    data = {
        "command": "test hotelling",
        "releases": [str(path) for path in releases],
        **result.to_dict(),
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: result_view(result, effect, plot), as_json=as_json)


def given_mean(text: str) -> list[float] | dict[str, float]:
    """Numbers in the order of the columns, or a number for each name.

    >>> given_mean("214.9, 130.1"), given_mean('"left, mm"=130.1,length=214.9')
    ([214.9, 130.1], {'left, mm': 130.1, 'length': 214.9})
    """
    wrong = InvalidInput(
        f"--mean must be numbers separated by commas, such as 214.9,130.1, or NAME=NUMBER for each column, not {text!r}"
    )
    quoted = text.split('"')
    # A quoted name may hold commas and signs of equality: these are hidden while the text is split.
    plain = '"'.join(
        part if i % 2 == 0 else part.replace(",", "\0").replace("=", "\1") for i, part in enumerate(quoted)
    )
    try:
        parts = [part.rpartition("=") for part in plain.split(",")]
        numbers = [float(number) for _, _, number in parts]
    except ValueError:
        raise wrong from None
    if not any(sign for _, sign, _ in parts):
        return numbers
    names = [name.strip().strip('"').replace("\0", ",").replace("\1", "=") for name, _, _ in parts]
    if not all(sign for _, sign, _ in parts) or len(set(names)) != len(names):
        raise wrong
    return dict(zip(names, numbers, strict=True))


def _read(path: Path) -> MomentsRelease:
    from discreet.release import MomentsRelease, load

    release = load(path)
    if not isinstance(release, MomentsRelease):
        raise FormatError(f"{str(path)!r} holds a {type(release).__name__}; this test needs a MomentsRelease")
    return release
