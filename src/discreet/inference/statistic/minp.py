"""The smaller of two p-values for Laplace noise, calibrated as one statistic: projected statistic and Bayes factor.

Neither of the two is best everywhere. The Bayes factor (`likelihood`) knows that a large residual may be one Laplace draw,
and wins where several cells deviate; but where one rare cell jumps it takes the jump for noise, and the projected statistic
wins. The observed pair is therefore ranked among the pairs of m reference draws, each statistic on its own:

    p_s(i) = #{j : T_s(j) >= T_s(i)} / (m + 1),    s = 1, 2,  i, j = 0 (observed) ... m,
    p      = #{i : min_s p_s(i) <= min_s p_s(0)} / (m + 1).

Observed and reference pairs are treated alike, so under the null p is a valid p-value whatever the dependence of the two
statistics. Of either statistic at most k pairs have rank k or less, so that min_s p_s(0) <= p <= 2 min_s p_s(0): at a level
alpha p rejects wherever one of the two does at alpha/2 (Bonferroni).

The reference draws are A + V, counts and noise about their expectation; where the null has unknowns, the Bayes factor sees the
residual H x after refitting them, x - G (G' I G)^-1 G' I x with I the information of each cell, and every reference draw is
refitted by the same H. (Where all probabilities are given and n is public, the draws are multinomial tables with fresh noise,
and p is valid at every n.) Cells whose noise is a sum of draws, or centred, are given the Laplace law of the same variance
inside the Bayes factor; this costs power only, since the draws have the true law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.statistic.fitted import FittedNull
from discreet.inference.statistic.likelihood import information, log_bayes_factor
from discreet.inference.statistic.projected import Projected

Floats = NDArray[np.float64]

_CHUNK = 1 << 19  # numbers held at once; the Bayes factor needs about ten such arrays


@dataclass(frozen=True, eq=False)
class Ranked:
    """The smaller of the two marginal p-values: the observed one, those of the reference draws, and the p-value of it."""

    observed: float
    reference: Floats

    @property
    def pvalue(self) -> float:
        """(1 + #{reference <= observed}) / (1 + m)."""
        return float((1 + (self.reference <= self.observed).sum()) / (1 + self.reference.size))


def refitted(fitted: FittedNull) -> Floats:
    """H' = (I - G (G' I G)^-1 G' I)', so that residuals x in rows become x H'; G: every total free, and the tangents."""
    cells = fitted.cells.size
    open_directions = np.concatenate([fitted.by_sample(fitted.expected), fitted.tangents], axis=1)
    root = np.sqrt(information(fitted.expected, fitted.noise_sds / np.sqrt(2.0)))[:, None]
    q = np.linalg.qr(root * open_directions)[0]
    return np.asarray((np.eye(cells) - (q / root) @ (q * root).T).T)


def rank_pair(statistic: Projected, points: int, generator: np.random.Generator) -> Ranked:
    """Rank the observed pair of statistics among those of `points` reference draws."""
    fitted = statistic.fitted
    h = refitted(fitted)
    v, b = fitted.expected, fitted.noise_sds / np.sqrt(2.0)

    def pair(residuals: Floats) -> Floats:
        return np.stack([statistic.statistic(residuals), log_bayes_factor(residuals @ h, v, b)])

    step = max(1, _CHUNK // v.size)
    sizes = [min(step, points - start) for start in range(0, points, step)]
    drawn = [pair(fitted.draw_residuals(size, generator)) for size in sizes]
    return rank_smaller(np.concatenate([pair(fitted.residual[None]), *drawn], axis=1))


def rank_smaller(pairs: Floats) -> Ranked:
    """From statistics of shape (2, 1 + m), the observed first, to the smaller p-value of each column.

    Examples
    --------
    >>> ranked = rank_smaller(np.array([[5.0, 1.0, 2.0, 3.0], [1.0, 2.0, 9.0, 0.0]]))
    >>> ranked.observed, ranked.reference, ranked.pvalue
    (0.25, array([0.5 , 0.25, 0.5 ]), 0.5)
    """
    size = pairs.shape[1]
    ordered = np.sort(pairs, axis=1)
    at_least = [size - np.searchsorted(line, own, side="left") for line, own in zip(ordered, pairs, strict=True)]
    smaller = np.min(at_least, axis=0) / size
    return Ranked(float(smaller[0]), smaller[1:])
