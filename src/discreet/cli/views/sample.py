"""A released sample on the terminal: its points where they are few, else their quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from discreet.cli.views.table import Facts, empty_table
from discreet.release.choices.sample_text import MOST, law_in_words

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import SampleRelease
    from discreet.schema import Schema

SHARES = (0, 10, 25, 50, 75, 90, 100)


def title(release: SampleRelease) -> tuple[str, str]:
    """The column, and how many points there are."""
    return release.column_name, "1 released point" if release.size == 1 else f"{release.size:,} released points"


def noise(release: SampleRelease) -> Facts:
    """How the points were drawn, and the number of records."""
    return [("points", f"{law_in_words(release)}; n = {release.n:,}")]


def numbers(release: SampleRelease) -> RenderableType:
    """The points themselves, or some of their quantiles."""
    if release.size <= MOST:
        return Text("  " + "  ".join(f"{x:.6g}" for x in release.points.tolist()))
    found = np.quantile(release.points, [share / 100 for share in SHARES], method="inverted_cdf")
    table = empty_table()
    table.add_column("share of the points", justify="right", no_wrap=True)
    table.add_column("at or below", justify="right", no_wrap=True)
    for share, x in zip(SHARES, found.tolist(), strict=True):
        table.add_row(f"{share} %", f"{x:.6g}")
    return table


def made_up(schema: Schema, name: str) -> SampleRelease:
    """A sample of the column with made-up points; a picture of more does not differ."""
    from discreet.release import SampleRelease
    from discreet.schema import Schema

    part = Schema({name: schema.numeric(name)})
    return SampleRelease(schema=part, column_name=name, codes=(0, 1), mechanism="KolmogorovExponential", n=2)


def as_data(release: SampleRelease) -> dict[str, Any]:
    """The points and what they are, as plain data."""
    return {
        "column": release.column_name,
        "size": release.size,
        "points": release.points.tolist(),
        "n": release.n,
        "adjacency": release.adjacency,
        "mechanism": release.mechanism,
        "parameters": dict(release.parameters),
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """What is expected of the points."""
    stated = dict(price.accuracy)
    size = int(stated.pop("size"))
    pairs: Facts = [("mechanism", price.mechanism), ("size", "1 point" if size == 1 else f"{size:,} points")]
    if (ks := stated.get("expected_ks")) is not None:
        pairs.append(
            ("accuracy", f"expected KS distance to the records {ks:.3g} if these are spread evenly, else larger")
        )
    if (share := stated.get("uniform_share")) is not None:
        pairs.append(("accuracy", f"a share of {share:.3g} of the points comes from the uniform distribution"))
    if (steps := stated.get("expected_steps")) is not None:
        pairs.append(("accuracy", f"expected distance to the records' mean {steps:.3g} steps of the column's grid"))
    return {"size": size, **stated}, pairs
