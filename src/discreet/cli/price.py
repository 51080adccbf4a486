"""`discreet price`: what a release would cost and how accurate it would be, before anything is spent."""

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
from discreet.cli.quote import quote
from discreet.cli.request import PriceOptions
from discreet.cli.unfold import unfolded

if TYPE_CHECKING:
    from discreet.curator import Curator, Price

group = typer.Typer(
    no_args_is_help=True,
    help="What a release would cost, and how accurate it would be. Spends nothing.",
    short_help="What a release would cost, and its accuracy.",
)


@group.command(
    "table",
    epilog=example(
        "discreet price table czech.csv --schema czech.toml --by smoking,systolic \\",
        "    --epsilon 0.5 --ledger czech.ledger",
    ),
)
@unfolded
def table(options: PriceOptions, by: By, mechanism: Mechanism = None) -> None:
    """The price of a table of counts. Reads nothing but the number of records, which is public."""
    from discreet.cli.views import table as table_view

    guarantee, names, noise = options.guarantee, column_names(by), mechanism_of(mechanism)
    quote(
        "table",
        options,
        names,
        lambda curator: curator.price("table", names, guarantee, noise),
        what=" by ".join(names),
        accuracy=table_view.accuracy,
    )


@group.command(
    "mean",
    epilog=example(
        "discreet price mean banknote.csv --schema banknote.toml \\",
        "    --columns Length,Diagonal --epsilon 1 --ledger bank.ledger",
    ),
)
@unfolded
def mean(options: PriceOptions, columns: Columns, mechanism: MeanMechanism = None) -> None:
    """The price of means. Reads nothing but the number of records, or of those in each group of a fixed column."""
    from discreet.cli.views import means as means_view

    guarantee, names, noise = options.guarantee, column_names(columns), mean_mechanism_of(mechanism)
    quote(
        "mean",
        options,
        names,
        lambda curator: curator.price("mean", names, guarantee, noise),
        what=f"the means of {', '.join(names)}",
        accuracy=means_view.accuracy,
    )


@group.command(
    "moments",
    epilog=example(
        "discreet price moments banknote.csv --schema banknote.toml \\",
        "    --columns Length,Diagonal --epsilon 1 --ledger bank.ledger",
    ),
)
@unfolded
def moments(options: PriceOptions, columns: Columns, mechanism: MomentsMechanism = None) -> None:
    """The price of means and covariances, and whether another mechanism would be more accurate."""
    from discreet.cli.views import moments as moments_view

    guarantee, names, noise = options.guarantee, column_names(columns), moments_mechanism_of(mechanism)
    quote(
        "moments",
        options,
        names,
        lambda curator: curator.price("moments", names, guarantee, noise),
        what=f"means and covariances of {', '.join(names)}",
        accuracy=moments_view.accuracy,
    )


@group.command(
    "histogram",
    epilog=example(
        "discreet price histogram penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --bins 20 --epsilon 1 --ledger p.ledger",
    ),
)
@unfolded
def histogram(options: PriceOptions, columns: Axes, bins: Bins, mechanism: Mechanism = None) -> None:
    """The price of a histogram."""
    from discreet.cli.views import histogram as histogram_view

    guarantee, names, noise, cells = options.guarantee, column_names(columns), mechanism_of(mechanism), bins_of(bins)
    quote(
        "histogram",
        options,
        names,
        lambda curator: curator.price("histogram", names, cells, guarantee, noise),
        what=f"a histogram of {' by '.join(names)}",
        accuracy=histogram_view.accuracy,
    )


@group.command(
    "series",
    epilog=example(
        "discreet price series penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --terms 8 --epsilon 1 --ledger p.ledger",
    ),
)
@unfolded
def series(options: PriceOptions, column: Column, terms: Terms) -> None:
    """The price of a cosine series."""
    from discreet.cli.views import series as series_view

    guarantee = options.guarantee
    quote(
        "series",
        options,
        [column],
        lambda curator: curator.price("series", column, terms, guarantee),
        what=f"a cosine series of {column}",
        accuracy=series_view.accuracy,
    )


@group.command(
    "cdf",
    epilog=example(
        "discreet price cdf penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --mu 1 --ledger mu.ledger",
    ),
)
@unfolded
def cdf(options: PriceOptions, column: Column, points: Points = None) -> None:
    """The price of a distribution function."""
    from discreet.cli.views import cdf as cdf_view

    guarantee = options.guarantee
    quote(
        "cdf",
        options,
        [column],
        lambda curator: curator.price("cdf", column, guarantee, points),
        what=f"a distribution function of {column}",
        accuracy=cdf_view.accuracy,
    )


@group.command(
    "sample",
    epilog=example(
        "discreet price sample penguins.csv --schema penguins.toml \\",
        "    --column body_mass_g --epsilon 1 --ledger p.ledger",
    ),
)
@unfolded
def sample(
    options: PriceOptions,
    column: Column,
    size: Size = None,
    mechanism: SampleMechanism = SampleMechanismName.KS,
    terms: SeriesTerms = None,
    cells: SmoothedCells = None,
    uniform_share: UniformShare = None,
) -> None:
    """The price of a sample, and how many points it would have."""
    from discreet.cli.views import sample as sample_view

    guarantee, chosen = options.guarantee, sample_mechanism_of(mechanism, terms, cells, uniform_share)
    quote(
        "sample",
        options,
        [column],
        lambda curator: curator.price("sample", column, size, guarantee, chosen),
        what=f"a sample of {column}",
        accuracy=sample_view.accuracy,
    )


@group.command(
    "select",
    epilog=example(
        "discreet price select penguins.csv --schema penguins.toml \\",
        "    --by island,sex --epsilon 1 --ledger p.ledger",
    ),
)
@unfolded
def select(options: PriceOptions, by: By, score: Score = None) -> None:
    """The price of a selection, and how far the chosen one may be from the best."""
    from discreet.cli.score_file import read_candidates
    from discreet.cli.views import selection as selection_view

    guarantee, names = options.guarantee, column_names(by)

    def ask(curator: Curator) -> Price:
        given = read_candidates(score, curator.schema, names)
        return curator.price("select", names, guarantee, given.names, given.score)

    quote("select", options, names, ask, what=f"a selection by {', '.join(names)}", accuracy=selection_view.accuracy)
