"""Noise with a scale of its own on each coordinate of a vector: one call of the gate for all coordinates of one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.curator import gate
from discreet.errors import InvalidInput, MissingExtra


@dataclass(frozen=True)
class Coordinates:
    """What the gate is asked for: all of it public.

    Attributes
    ----------
    family : "laplace" or "gaussian"
    scales : tuple of float
        Of each coordinate.
    caps : tuple of int
        A public bound on the absolute value of each coordinate.
    signed : bool
        Whether coordinates may be negative.
    names : tuple of str
        What each coordinate is, for messages.
    """

    family: gate.Family
    scales: tuple[float, ...]
    caps: tuple[int, ...]
    signed: bool
    names: tuple[str, ...]

    def check(self) -> None:
        """All that could prevent a draw, before a charge."""
        for scale, cap, name in zip(self.scales, self.caps, self.names, strict=True):
            try:
                gate.check_draw(family=self.family, scale=scale, cap=cap)
            except MissingExtra:
                raise
            except InvalidInput as problem:
                raise InvalidInput(
                    f"{name} (at most {cap}): {problem}; a coarser step= in the schema makes it smaller"
                ) from None

    def draw(self, rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Noise on every coordinate of every row: the drawn integers, row by row, and each coordinate's grid exponent."""
        drawn = [[0] * len(self.scales) for _ in rows]
        exponents = [0] * len(self.scales)
        for scale in dict.fromkeys(self.scales):
            places = [i for i, other in enumerate(self.scales) if other == scale]
            noisy = gate.draw_noise(
                [row[i] for row in rows for i in places],
                family=self.family,
                scale=scale,
                cap=max(self.caps[i] for i in places),
                signed=self.signed,
            )
            integers = iter(noisy.integers)
            for line in drawn:
                for i in places:
                    line[i] = next(integers)
            for i in places:
                exponents[i] = noisy.exponent
        return tuple(y for line in drawn for y in line), tuple(exponents)
