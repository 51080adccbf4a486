"""Noisy means and covariances on the terminal: the means as in `means_view`, with the standard deviation of each column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from discreet.cli.output import warning
from discreet.cli.views import means as means_view
from discreet.cli.views.table import LEVEL, Facts
from discreet.release.moments.means_text import IDEALISED

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import MomentsRelease
    from discreet.schema import Schema


def title(release: MomentsRelease) -> tuple[str, str]:
    """The columns, and how their numbers are to be read."""
    aside = f"noisy means with {LEVEL:.0%} intervals, standard deviations"
    return means_view.columns_in_words(release.mean), aside


def noise(release: MomentsRelease) -> list[tuple[str, RenderableType]]:
    """The laws of the noise, and the number of records."""
    pairs = [*means_view.noise(release.mean), ("covariance", release.mechanism)]
    return [*pairs, ("beware", warning(IDEALISED))] if release.idealised else pairs


def numbers(release: MomentsRelease) -> RenderableType:
    """Means with half the width of their intervals, and released standard deviations."""
    return means_view.lines_of(release.mean, release.standard_deviations.reshape(len(release.groups.names), -1))


def made_up(schema: Schema, names: list[str]) -> MomentsRelease:
    """Moments of these columns with made-up numbers."""
    from discreet.release import MomentsRelease
    from discreet.release.moments.covariance_draws import EntryDraws, triangle

    means = means_view.made_up(schema, names)
    places = len(triangle(len(names)))
    drawn = (1,) * (places * len(means.groups.sizes))
    return MomentsRelease(means, EntryDraws("made up", "Laplace", (1.0,) * places, (0,) * places, drawn))


def as_data(release: MomentsRelease) -> dict[str, Any]:
    """The noisy means and covariances and what they are, as plain data."""
    return {
        **means_view.as_data(release.mean),
        "mechanism": release.mechanism,
        "idealised": release.idealised,
        "standard_deviations": release.standard_deviations.tolist(),
        "covariances": release.covariances.tolist(),
        "correlations": release.correlations.tolist(),
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How accurate the means and the covariance would be."""
    data, pairs = means_view.accuracy(price)
    error = price.accuracy["covariance_error"]
    text = f"expected Frobenius error of the covariance, columns rescaled to [-1, 1]: {error:.4g}"
    return {**data, "covariance_error": error}, [*pairs, ("accuracy", text)]
