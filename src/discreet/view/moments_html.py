"""Released means and covariances as HTML for notebooks: one line a column, one column a group."""

from __future__ import annotations

import numpy as np

from discreet.display import painter
from discreet.release.moments.means import MeanRelease
from discreet.release.moments.means_text import moments_statement, noise_in_words, plus_minus, size_in_words, statement
from discreet.release.moments.moments import MomentsRelease
from discreet.view.html import MOST_COLUMNS, MOST_LINES, table


@painter("html", MeanRelease)
def means_html(release: MeanRelease, *, level: float = 0.95) -> str:
    """Each mean with the half width of its interval."""
    notes = [_interval(level), noise_in_words(release), size_in_words(release), _guarantee(release)]
    head, lines = _means(release, level)
    return table(_title(release, "noisy means"), " · ".join(notes), head, lines, left=1, hover=statement(release))


@painter("html", MomentsRelease)
def moments_html(release: MomentsRelease, *, level: float = 0.95) -> str:
    """Means as above, each with the released standard deviation in brackets."""
    covariances = f"covariances by {release.mechanism}" + (" (idealised)" if release.idealised else "")
    notes = [
        _interval(level),
        "in brackets the standard deviation",
        noise_in_words(release.mean),
        covariances,
        size_in_words(release),
        _guarantee(release.mean),
    ]
    head, lines = _means(release.mean, level)
    deviations = release.standard_deviations.reshape(len(release.groups.names), -1)
    for i, line in enumerate(lines[:MOST_LINES]):
        if i < len(release.column_names):
            line[1:] = [f"{cell} ({sd:.3g})" for cell, sd in zip(line[1:], deviations[:, i].tolist(), strict=False)]
    title = _title(release.mean, "noisy means and covariances")
    return table(title, " · ".join(notes), head, lines, left=1, hover=moments_statement(release))


def _means(release: MeanRelease, level: float) -> tuple[list[str], list[list[str]]]:
    groups, names = release.groups.names, release.column_names
    numbers = (release.values, release.half_width(level), release.sd)
    values, halves, sds = (np.reshape(array, (len(groups), -1)) for array in numbers)
    shown = range(min(len(groups), MOST_COLUMNS))
    head = ["column", *("mean" if groups[g] is None else str(groups[g]) for g in shown)]
    lines = [
        [name, *(plus_minus(float(values[g, i]), float(halves[g, i]), float(sds[g, i])) for g in shown)]
        for i, name in enumerate(names[:MOST_LINES])
    ]
    if len(names) > MOST_LINES:
        lines.append([f"... {len(names) - MOST_LINES} more"])
    return head, lines


def _title(release: MeanRelease, what: str) -> str:
    by = "" if release.schema.fixed is None else f" by {release.schema.fixed}"
    return f"{', '.join(release.column_names)}{by}: {what}"


def _interval(level: float) -> str:
    return f"each mean ± half of its {100 * level:g}% interval under the noise"


def _guarantee(release: MeanRelease) -> str:
    return str(release.guarantee or "no guarantee recorded")
