"""Signs that published numbers were changed after the noise was added: cut off at zero, rounded, or counted elsewhere.

The limit law is that of the noise as it was drawn. What some programs do to it afterwards makes it wrong: a cell that is set to
0 whenever it is negative is too large on average, and the test is biased. Only the released numbers are looked at.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.noise import JointNoise

Floats = NDArray[np.float64]

FALSE_ALARM = 0.002  # the largest chance of the signs in a table whose noise was left as it is


def signs_of_postprocessing(cells: Floats, noises: tuple[JointNoise, ...], n: float | None) -> tuple[str, ...]:
    """Warnings for the noisy cells (flat, one release after the other) of a table with the public total `n`, if it has one."""
    found = []
    start = 0
    for noise in noises:
        part = cells.ravel()[start : start + noise.size]
        start += noise.size
        found += [sign for sign in (_clamped(part, noise), _rounded(part, noise)) if sign is not None]
    if n is not None:
        found += _missing(float(cells.sum()), noises, n)
    return tuple(dict.fromkeys(found))


def _clamped(cells: Floats, noise: JointNoise) -> str | None:
    """Several exact zeros and nothing below: for noise that was left as it is, a zero is as likely as a few numbers below.

    Of a noisy cell at or below 0, rounded to whole numbers, the chance that it is exactly 0 is

        1 - P(V > x + 1/2) / P(V > x - 1/2)

    where x is the true count; it rises with x, and x beyond three standard deviations is not met. Where the cells are no
    whole numbers, a single exact 0 is a cut.
    """
    zeros = int((cells == 0).sum())
    if not zeros or (cells < 0).any() or noise.cell_sd < 0.5:
        return None
    whole = bool((cells == np.floor(cells)).all())
    if whole:
        x = min(3.0 * noise.cell_sd, 1e6)
        beyond, reached = noise.sf([x + 0.5, x - 0.5])
        if (1.0 - float(beyond / reached)) ** zeros > FALSE_ALARM:
            return None
    return (
        f"{zeros} of {cells.size} noisy cells {'is' if zeros == 1 else 'are'} exactly 0 and none is negative, as if the "
        "counts had been cut off at 0 after the noise; that biases the test: switch it off (signed counts), or ask for the "
        "numbers before"
    )


def _rounded(cells: Floats, noise: JointNoise) -> str | None:
    """All cells multiples of some base, although the law is continuous, or of a base above 1."""
    if not (cells == np.floor(cells)).all() or np.abs(cells).max() >= 2.0**53 or noise.draws_per_cell > 1:
        return None
    base = math.gcd(*(int(c) for c in cells))
    sd = noise.cell_sd
    if base <= 1:
        # Noise this small is undone by the rounding; noise this large hides it: the variance 1/12 is below 1 % of its own.
        if noise.law.on_integers or not 0.2 < sd < 3.0:
            return None
        return (
            f"all cells are whole numbers, but {noise.law} is a continuous law: if the noise was drawn as whole numbers, name "
            "its own law (DiscreteLaplace, DiscreteGaussian); if the cells were rounded, ask for the numbers before"
        )
    others = int((cells != 0).sum()) - 1
    if float(base) ** -others > FALSE_ALARM or base**2 / 12.0 < 0.05 * sd**2 or sd < 0.2:
        return None
    return (
        f"all cells are multiples of {base}, as if they had been rounded after the noise; the law of the noise does not know "
        "of that: ask for the numbers before"
    )


def _missing(total: float, noises: tuple[JointNoise, ...], n: float) -> list[str]:
    """A public n far above the sum of the cells: some of the n records are not in the table."""
    variance = sum(noise.total_variance for noise in noises)
    cells = sum(noise.size for noise in noises)
    if n - total <= 8.0 * math.sqrt(variance) + cells + 1e-9 * n:
        return []
    return [
        f"the noisy cells sum to {total:.6g}, far below n = {n:.10g}: if some of these records are not in the table (missing "
        "values, other categories), leave n out, or the test rejects too often"
    ]
