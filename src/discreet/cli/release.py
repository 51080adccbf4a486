"""`discreet release`: publish under a guarantee. The one command group that spends; a kind of release is a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from discreet.cli.density_options import (
    Axes,
    Bins,
    Column,
    Points,
    SampleMechanism,
    SampleMechanismName,
    Score,
    SeriesTerms,
    Size,
    SmoothedCells,
    Terms,
    UniformShare,
    bins_of,
    sample_mechanism_of,
)
from discreet.cli.options import (
    By,
    Columns,
    MeanMechanism,
    Mechanism,
    MomentsMechanism,
    column_names,
    example,
    mean_mechanism_of,
    mechanism_of,
    moments_mechanism_of,
)
from discreet.cli.publish import publish
from discreet.cli.request import ReleaseOptions, SavedOptions
from discreet.cli.unfold import unfolded

if TYPE_CHECKING:
    from discreet.curator import Curator
    from discreet.release import SelectionRelease

group = typer.Typer(
    no_args_is_help=True,
    help="Publish under a guarantee. Spends its cost, or refuses and spends nothing.",
    short_help="Publish under a guarantee; spends budget.",
)


@group.command(
    "table",
    epilog=example(
        "discreet release table czech.csv --schema czech.toml --by smoking,systolic \\",
        "    --epsilon 0.5 --ledger czech.ledger -o t.json",
    ),
)
@unfolded
def table(options: ReleaseOptions, by: By, mechanism: Mechanism = None) -> None:
    """Release a table of counts with noise, and save it with all that its analysis needs."""
    from discreet.cli.views import table as table_view

    guarantee, names, noise = options.guarantee, column_names(by), mechanism_of(mechanism)
    publish(
        "table",
        options,
        table_view,
        lambda curator, identity: curator.table(names, guarantee, noise, request_id=identity),
        lambda schema: table_view.made_up(schema, names),
    )


@group.command(
    "mean",
    epilog=example(
        "discreet release mean banknote.csv --schema banknote.toml \\",
        "    --columns Length,Diagonal --epsilon 1 --ledger bank.ledger -o m.json",
    ),
)
@unfolded
def mean(options: ReleaseOptions, columns: Columns, mechanism: MeanMechanism = None) -> None:
    """Release the means of numeric columns with noise, by group where the schema has a fixed column."""
    from discreet.cli.views import means as means_view

    guarantee, names, noise = options.guarantee, column_names(columns), mean_mechanism_of(mechanism)
    publish(
        "mean",
        options,
        means_view,
        lambda curator, identity: curator.mean(names, guarantee, noise, request_id=identity),
        lambda schema: means_view.made_up(schema, names),
    )


@group.command(
    "moments",
    epilog=example(
        "discreet release moments banknote.csv --schema banknote.toml \\",
        "    --columns Length,Diagonal --epsilon 1 --ledger bank.ledger -o m.json",
    ),
)
@unfolded
def moments(options: ReleaseOptions, columns: Columns, mechanism: MomentsMechanism = None) -> None:
    """Release means and covariances with noise: what a comparison of means needs."""
    from discreet.cli.views import moments as moments_view

    guarantee, names, noise = options.guarantee, column_names(columns), moments_mechanism_of(mechanism)
    publish(
        "moments",
        options,
        moments_view,
        lambda curator, identity: curator.moments(names, guarantee, noise, request_id=identity),
        lambda schema: moments_view.made_up(schema, names),
    )


@group.command(
    "histogram",
    epilog=example(
        "discreet release histogram penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --bins 20 --epsilon 1 --ledger p.ledger -o h.json",
    ),
)
@unfolded
def histogram(options: ReleaseOptions, columns: Axes, bins: Bins, mechanism: Mechanism = None) -> None:
    """Release the counts of equal cells of a numeric column with noise, or of boxes of several columns."""
    from discreet.cli.views import histogram as histogram_view

    guarantee, names, noise, cells = options.guarantee, column_names(columns), mechanism_of(mechanism), bins_of(bins)
    publish(
        "histogram",
        options,
        histogram_view,
        lambda curator, identity: curator.histogram(names, cells, guarantee, noise, request_id=identity),
        lambda schema: histogram_view.made_up(schema, names, cells),
    )


@group.command(
    "series",
    epilog=example(
        "discreet release series penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --terms 8 --epsilon 1 --ledger p.ledger -o s.json",
    ),
)
@unfolded
def series(options: ReleaseOptions, column: Column, terms: Terms) -> None:
    """Release the first cosine coefficients of a column's density with noise: a smooth estimate."""
    from discreet.cli.views import series as series_view

    guarantee = options.guarantee
    publish(
        "series",
        options,
        series_view,
        lambda curator, identity: curator.series(column, terms, guarantee, request_id=identity),
        lambda schema: series_view.made_up(schema, column, terms),
    )


@group.command(
    "cdf",
    epilog=example(
        "discreet release cdf penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --mu 1 --ledger mu.ledger -o f.json",
    ),
)
@unfolded
def cdf(options: ReleaseOptions, column: Column, points: Points = None) -> None:
    """Release a column's distribution function with Gaussian noise: for quantiles and bands."""
    from discreet.cli.views import cdf as cdf_view

    guarantee = options.guarantee
    publish(
        "cdf",
        options,
        cdf_view,
        lambda curator, identity: curator.cdf(column, guarantee, points, request_id=identity),
        lambda schema: cdf_view.made_up(schema, column, points),
    )


@group.command(
    "sample",
    epilog=example(
        "discreet release sample penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --epsilon 1 --ledger p.ledger -o z.json",
    ),
)
@unfolded
def sample(
    options: ReleaseOptions,
    column: Column,
    size: Size = None,
    mechanism: SampleMechanism = SampleMechanismName.KS,
    terms: SeriesTerms = None,
    cells: SmoothedCells = None,
    uniform_share: UniformShare = None,
) -> None:
    """Release made-up values of a column that are distributed like the records, nearly."""
    from discreet.cli.views import sample as sample_view

    guarantee, chosen = options.guarantee, sample_mechanism_of(mechanism, terms, cells, uniform_share)
    publish(
        "sample",
        options,
        sample_view,
        lambda curator, identity: curator.sample(column, size, guarantee, chosen, request_id=identity),
        lambda schema: sample_view.made_up(schema, column),
    )


@group.command(
    "select",
    epilog=example(
        "discreet release select penguins.csv --schema penguins.toml \\",
        "    --by island,sex --epsilon 1 --ledger p.ledger -o best.json",
    ),
)
@unfolded
def select(options: SavedOptions, by: By, score: Score = None) -> None:
    """Release which cell of a table is the most frequent, nearly, or which candidate of a list scores best."""
    from discreet.cli.score_file import read_candidates
    from discreet.cli.views import selection as selection_view

    guarantee, names = options.guarantee, column_names(by)

    def make(curator: Curator, identity: str) -> SelectionRelease:
        given = read_candidates(score, curator.schema, names)
        return curator.select(names, guarantee, given.names, given.score, request_id=identity)

    publish("select", options, selection_view, make, inputs=() if score is None else (score,))
