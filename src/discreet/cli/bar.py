"""Numbers as bars, beside the numbers: what a distribution looks like, without a picture."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

WIDTH = 24


def bars(numbers: Sequence[float], width: int = WIDTH) -> list[Text]:
    """One bar a number, the largest as long as `width`; none for what is not above 0.

    >>> [bar.plain for bar in bars([4.0, 1.0, 0.5, -2.0], width=4)]
    ['━━━━', '━', '╸', '']
    """
    largest = max(numbers, default=0.0)
    if largest <= 0:
        return [Text("") for _ in numbers]
    halves = [round(2 * width * max(x, 0.0) / largest) for x in numbers]
    return [Text("━" * (half // 2) + "╸" * (half % 2), "cyan") for half in halves]
