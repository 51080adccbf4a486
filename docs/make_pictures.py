"""Draws the pictures of docs/tradeoff.md into docs/pictures: python docs/make_pictures.py [FOLDER]"""

from __future__ import annotations

import sys
from pathlib import Path

from discreet.noise import calibrate
from discreet.privacy import GaussianDP, PureDP, TradeOff, compose

DOTS_PER_INCH = 110


def pictures() -> dict[str, tuple[list[TradeOff], list[str]]]:
    """Name: the curves, and what each is called."""
    mu = GaussianDP(1)
    scale = calibrate.laplace_table(mu)
    by_l1 = calibrate.laplace_table_l1_rule(mu)
    return {
        "tradeoff_mechanisms": (
            [
                TradeOff.laplace_table(scale),
                TradeOff.laplace_table(by_l1),
                PureDP(2 / scale).tradeoff(),
            ],
            [
                f"Laplace table, b = {scale:.3f} (smallest for mu = 1)",
                f"Laplace table, b = {by_l1:.3f} (by the L1 rule)",
                f"what pure DP says of the first: epsilon = {2 / scale:.3f}",
            ],
        ),
        "tradeoff_composition": (
            [
                compose(mu, PureDP(0.5)).tradeoff(),
                mu.tradeoff(),
                PureDP(0.5).tradeoff(),
            ],
            [
                "both releases together",
                "one release, mu = 1",
                "another, epsilon = 0.5",
            ],
        ),
    }


def main(folder: Path) -> None:
    """Write every picture."""
    for name, (curves, labels) in pictures().items():
        first, *others = curves
        first.plot(*others, labels=labels).savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
