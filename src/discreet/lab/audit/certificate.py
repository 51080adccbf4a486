"""What an audit of outputs says: a lower bound on the privacy loss, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.lab.audit.bounds import lower_limit, upper_limit
from discreet.lab.audit.statistic import rates
from discreet.privacy.guarantee import Guarantee

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_CURVE_POINTS = 240


@dataclass(frozen=True)
class Certificate:
    """What an audit found.

    Attributes
    ----------
    claim : Guarantee
        For one record.
    lower_bound : float
        The level (epsilon, mu or rho, as in the claim) that the outputs refute: the true one is larger.
    violated : bool
        Whether the claim is refuted, or the outputs themselves have a fault.
    faults : tuple of str
        What is wrong with the outputs themselves, e.g. "not on the grid of step 2^-18".
    test, statistic : str
        The test that gave the bound, and the score that it used.
    n : int
        The number of outputs drawn.
    alpha : float
        The probability that a true claim is refuted is at most this.
    distance : int
        How many records apart the two data sets were.
    curve : arrays
        The empirical trade-off of the score on the certifying outputs: type I and type II errors, and for each the limits
        of a pointwise interval at level 1 - alpha (not used for the bound).
    """

    claim: Guarantee
    lower_bound: float
    violated: bool
    faults: tuple[str, ...]
    test: str
    statistic: str
    n: int
    alpha: float
    distance: int = 1
    curve: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        if self.faults:
            return f"VIOLATED: {'; '.join(self.faults)} ({self.n:,} outputs)"
        word = "VIOLATED" if self.violated else "not refuted"
        return f"{word}: at least {self.lower_bound:.4g}, claimed {self.claim} ({self.n:,} outputs, alpha = {self.alpha:.2g})"

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain data, without the curve."""
        names = ("lower_bound", "violated", "test", "statistic", "n", "alpha", "distance")
        return {
            "claim": self.claim.to_dict(),
            **{name: getattr(self, name) for name in names},
            "faults": list(self.faults),
        }

    def plot(self) -> Figure:
        """The empirical trade-off against the claimed curve (needs `discreet[plot]`)."""
        from discreet.view.audit_plot import audit_plot

        claimed = self.claim if self.distance == 1 else self.claim.group(self.distance)
        apart = "" if self.distance == 1 else f", {self.distance} records apart"
        return audit_plot(claimed.tradeoff(), self.curve, str(self), f"{self.claim}{apart}")


def empirical_curve(zeros: Floats, ones: Floats, alpha: float) -> dict[str, Floats]:
    thresholds, false_alarms, hits = rates(zeros, ones)
    chosen = np.unique(np.linspace(0, thresholds.size - 1, _CURVE_POINTS).astype(int))
    first = np.concatenate([false_alarms[chosen], [0.0]])
    second = np.concatenate([1.0 - hits[chosen], [1.0]])
    limits = [
        (
            upper_limit(round(a * zeros.size), zeros.size, alpha / 2),
            upper_limit(round(b * ones.size), ones.size, alpha / 2),
        )
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    lows = [
        (
            lower_limit(round(a * zeros.size), zeros.size, alpha / 2),
            lower_limit(round(b * ones.size), ones.size, alpha / 2),
        )
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    high, low = np.array(limits), np.array(lows)
    return {
        "type_1": first, "type_2": second,
        "type_1_high": high[:, 0], "type_2_high": high[:, 1], "type_1_low": low[:, 0], "type_2_low": low[:, 1],
    }  # fmt: skip
