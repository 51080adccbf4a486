"""p-values adjusted for there being many of them: which tests survive when a level is to hold for all together.

With the p-values in rising order p_(1) <= ... <= p_(m), c_m = 1 + 1/2 + ... + 1/m:

    holm                    max over j <= i of (m + 1 - j) p_(j)      the chance of any false rejection, always
    benjamini-hochberg      min over j >= i of m p_(j) / j            the share of false rejections, where the
                                                                      tests are independent or depend positively
    benjamini-yekutieli     c_m times that                            the same under any dependence

all cut at 1. Adjusting is post-processing: it spends no budget.

Sources: Holm (1979); Benjamini and Hochberg (1995); Benjamini and Yekutieli (2001).
"""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]

METHODS = ("benjamini-hochberg", "benjamini-yekutieli", "holm")


def adjust_pvalues(pvalues: ArrayLike, method: str = "benjamini-hochberg") -> Floats:
    """Adjusted p-values: rejecting where they are at most alpha holds alpha for all tests together.

    Parameters
    ----------
    pvalues : array_like
        In [0, 1], of any shape. A NaN stands for a test that could not be made: it stays NaN and is not counted.
    method : "benjamini-hochberg", "benjamini-yekutieli" or "holm"
        What is kept below alpha: the expected share of false rejections, under independence or positive dependence
        (Benjamini-Hochberg) or under any dependence (Benjamini-Yekutieli); or the probability of a single false
        rejection (Holm). Tests on margins of one release share their noise and are not independent.

    Returns
    -------
    ndarray
        In the shape of `pvalues`, in their order, and never below them.

    Raises
    ------
    InvalidInput
        For an unknown method, or numbers outside of [0, 1].

    Examples
    --------
    >>> from discreet.inference import adjust_pvalues
    >>> adjust_pvalues([0.01, 0.04, float("nan"), 0.03], "holm")
    array([0.03, 0.06,  nan, 0.06])
    """
    if method not in METHODS:
        near = get_close_matches(str(method), METHODS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"method must be one of {', '.join(METHODS)}, not {method!r}{hint}")
    try:
        p = np.asarray(pvalues, float)
    except (TypeError, ValueError):
        raise InvalidInput("pvalues must be an array of numbers") from None
    known = ~np.isnan(p)
    if ((p[known] < 0) | (p[known] > 1)).any():
        raise InvalidInput("p-values must lie in [0, 1]; give NaN for a test that could not be made")
    adjusted = np.full(p.shape, np.nan)
    adjusted[known] = _adjust(p[known], method)
    return adjusted


def _adjust(p: Floats, method: str) -> Floats:
    order = np.argsort(p)
    rank = np.arange(1, p.size + 1)
    if method == "holm":
        rising = np.maximum.accumulate(p[order] * rank[::-1])
    else:
        share = p[order] * (p.size / rank)
        if method == "benjamini-yekutieli":
            share *= (1.0 / rank).sum()
        rising = np.minimum.accumulate(share[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(rising, 1.0)
    return adjusted
