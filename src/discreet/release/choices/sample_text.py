"""Samples and selections in words, for terminals and logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.release.labels import shortened

if TYPE_CHECKING:
    from discreet.release.choices.sample import SampleRelease
    from discreet.release.choices.selection import SelectionRelease

MOST = 12

_LAWS = {
    "KolmogorovExponential": "drawn near the records in KS distance (exponential mechanism)",
    "MeanExponential": "drawn near the records' mean (exponential mechanism)",
    "SeriesExponential": "drawn near the records' cosine series of {terms} terms (exponential mechanism)",
    "SmoothedHistogram": "drawn from a histogram of {cells} cells, mixed with {delta:.3g} of the uniform distribution",
}


def law_in_words(release: SampleRelease) -> str:
    """How the points were drawn."""
    return _LAWS[release.mechanism].format(**release.parameters)


def as_text(release: SampleRelease) -> str:
    """The heading, then the points where they are few, else their quantiles."""
    points = "1 point" if release.size == 1 else f"{release.size} points"
    heading = f"sample of {shortened(release.column_name)}: {points}\n{law_in_words(release)}; {release.facts}\n\n"
    if release.size <= MOST:
        return heading + "  ".join(f"{x:.6g}" for x in release.points.tolist())
    shares = (0, 10, 25, 50, 75, 90, 100)
    found = np.quantile(release.points, [share / 100 for share in shares], method="inverted_cdf")
    return heading + "\n".join(f"{share:>4} %  {x:.6g}" for share, x in zip(shares, found.tolist(), strict=True))


def selection_text(release: SelectionRelease) -> str:
    """The chosen candidate, and among how many."""
    among = f"one of {len(release.candidates)} candidates by {' x '.join(map(shortened, release.column_names))}"
    return f"selected: {shortened(release.candidate, 60)}\n{among}; {release.facts}"
