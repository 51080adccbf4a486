"""Released means and covariances in words and as plain text, for terminals, logs and the saved file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.release.labels import shortened
from discreet.release.neighbours import neighbours
from discreet.release.text import aligned, number

if TYPE_CHECKING:
    from discreet.release.moments.means import MeanRelease
    from discreet.release.moments.moments import MomentsRelease

TALLEST, WIDEST = 12, 6  # rows and groups that are still printed

IDEALISED = (
    "idealised: the noise of the covariances was drawn in floating point, not by exact integer arithmetic; the guarantee "
    "holds for the mechanism on real numbers"
)


def measured(value: float, sd: float) -> str:
    """A number with as many decimals as its noise leaves meaningful, in plain notation where that is short.

    >>> measured(214.9673, 0.12), measured(1.5e-9, 2e-11), measured(4201.7, 350.0)
    ('214.97', '1.5e-09', '4202')
    """
    if sd > 1e-6 and max(abs(value), sd) < 1e9:
        return number(value, sd)
    return f"{value:.4g}"


def plus_minus(value: float, half: float, sd: float) -> str:
    """E.g. "214.97 ± 0.24"."""
    return f"{measured(value, sd)} ± {measured(half, sd)}"


def noise_in_words(release: MeanRelease) -> str:
    """E.g. "Laplace noise"."""
    return f"{release.mechanism} noise"


def size_in_words(release: MeanRelease | MomentsRelease) -> str:
    """E.g. "n = 200: genuine 100, counterfeit 100"."""
    text = f"n = {release.n}"
    if release.labels is None:
        return text
    sizes = [f"{shortened(label)} {size}" for label, size in zip(release.labels, release.groups.sizes, strict=False)]
    shown = sizes[:WIDEST] + ([f"{len(sizes) - WIDEST} more groups"] if len(sizes) > WIDEST else [])
    return f"{text}: {', '.join(shown)}"


def statement(release: MeanRelease) -> str:
    """One sentence: what is guaranteed for released means, and under which assumptions."""
    return _promise(release, "All means", "", {release.mechanism})


def moments_statement(release: MomentsRelease) -> str:
    """The same for means and covariances together."""
    aside = f" ({IDEALISED})" if release.idealised else ""
    families = {release.mean.mechanism, getattr(release.covariance, "family", None)}
    return _promise(release.mean, "All means and covariances together", aside, families)


def _promise(release: MeanRelease, what: str, aside: str, families: set[str | None]) -> str:
    if release.guarantee is None:
        return "No privacy guarantee is recorded for this release; only the law of its noise is."
    promise = (
        f"{what} satisfy {release.guarantee} with respect to neighbours in which {neighbours(release.schema)}{aside}"
    )
    if "Gaussian" in families:
        # The sampler draws on a grid: its law and the continuous one differ by this much and no more.
        promise += "; mu-GDP (and what follows from it) holds up to a max-divergence below 1e-70 per number"
    return promise + "."


def means_text(release: MeanRelease, level: float = 0.95) -> str:
    """The heading, then one line a column: its noisy mean with the half width of its interval, in each group."""
    heading = [
        f"{_names(release)}: noisy means, each with its {100 * level:g}% interval",
        f"{noise_in_words(release)}; {size_in_words(release)}; {release.guarantee or 'no guarantee recorded'}",
    ]
    return "\n".join([*heading, "", *_means(release, level)])


def moments_text(release: MomentsRelease, level: float = 0.95) -> str:
    """The same, with the released standard deviation of each column, and what is said of its covariances."""
    how = f"covariances by {release.mechanism}" + (" (idealised)" if release.idealised else "")
    heading = [
        f"{_names(release.mean)}: noisy means, each with its {100 * level:g}% interval, and covariances",
        f"{noise_in_words(release.mean)}; {how}; {size_in_words(release)}; {release.guarantee or 'no guarantee recorded'}",
    ]
    sds = release.standard_deviations.reshape(len(release.groups.names), -1)
    deviations = _by_column("standard deviation", release.mean, [[f"{x:.3g}" for x in line] for line in sds.tolist()])
    return "\n".join([*heading, "", *_means(release.mean, level), "", *deviations])


def _names(release: MeanRelease) -> str:
    names = [shortened(name) for name in release.column_names]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    by = "" if release.schema.fixed is None else f" by {shortened(release.schema.fixed)}"
    return ", ".join(shown) + by


def _means(release: MeanRelease, level: float) -> list[str]:
    shape = (len(release.groups.names), len(release.column_names))
    numbers = (release.values, release.half_width(level), release.sd)
    values, halves, sds = (np.reshape(array, shape).tolist() for array in numbers)
    cells = [list(map(plus_minus, *line)) for line in zip(values, halves, sds, strict=True)]
    return _by_column("mean", release, cells)


def _by_column(what: str, release: MeanRelease, cells: list[list[str]]) -> list[str]:
    """One line a column of the records, one entry a group; `cells` has one row a group."""
    corner, labels = ("", [what]) if release.labels is None else (what, list(release.labels))
    groups, columns = len(labels), len(release.column_names)
    shown = columns if columns <= TALLEST else TALLEST - 2
    lines = [
        [name, *(cells[g][i] for g in range(min(groups, WIDEST)))]
        for i, name in enumerate(release.column_names[:shown])
    ]
    text = aligned([[corner, *labels[:WIDEST]], *lines])
    if groups > WIDEST:
        text.append(f"... {groups - WIDEST} more groups")
    return text + ([f"... {columns - shown} more columns"] if shown < columns else [])
