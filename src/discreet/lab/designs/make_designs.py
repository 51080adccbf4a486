"""Making designs: from margins or cell probabilities and the size of an effect."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.lab.designs.designs import (
    NULL,
    FitDesign,
    HomogeneityDesign,
    IndependenceDesign,
    effect_size,
    record_count,
)

Floats = NDArray[np.float64]

_SUM = 1e-8  # how far probabilities may be from a sum of 1


def independence_design(
    rows: ArrayLike, columns: ArrayLike, n: int, *, effect: ArrayLike = 0.0, pattern: ArrayLike | None = None
) -> IndependenceDesign:
    """Two-way tables of n records with these margins.

    Parameters
    ----------
    rows, columns : array
        The probabilities of the row and column categories.
    n : int
        Records.
    effect : float, or array (r, c)
        Cramer's V of the cell probabilities; 0 is the null. An array is itself added to the product of the margins.
    pattern : array (r, c), optional
        The direction of an effect given by its size: what is added to the product of the margins, up to its length. Its
        rows and columns sum to 0. Default: a trend, rows and columns numbered 1, 2, ...

    Examples
    --------
    >>> from discreet import lab
    >>> design = lab.independence_design([0.5, 0.5], [0.4, 0.6], 1000, effect=0.1)
    >>> design.theta.round(4).tolist(), round(design.effect, 12), design.df
    ([[0.2245, 0.2755], [0.1755, 0.3245]], 0.1, 1)
    >>> lab.independence_design([0.5, 0.5], [0.4, 0.6], 1000, effect=0.9)
    Traceback (most recent call last):
    discreet.errors.InvalidInput: an effect of 0.9 (Cramer's V) leaves the simplex: cell (1, 0) would have probability -0.02045
    """
    p, q = _probabilities("rows", rows), _probabilities("columns", columns)
    null = np.outer(p, q)
    size = float(effect) if np.ndim(effect) == 0 else 1.0  # type: ignore[arg-type]
    if np.ndim(effect) > 0:
        if pattern is not None:
            raise InvalidInput("an effect that is an array is its own pattern")
        pattern = _pattern(effect, null.shape)
        size = effect_size(pattern, null, np.ones(1), min(null.shape) - 1)
    given = None if pattern is None else _pattern(pattern, null.shape)
    if given is not None and max(np.abs(given.sum(0)).max(), np.abs(given.sum(1)).max()) > _SUM * np.abs(given).max():
        raise InvalidInput("the rows and columns of a pattern must sum to 0, so that the margins stay as they are")
    trend = null * np.outer(_scores(p), _scores(q)) if given is None else given
    direction = trend / effect_size(trend, null, np.ones(1), min(null.shape) - 1)
    return IndependenceDesign(null, null, (record_count(n),), direction).with_effect(size)


def fit_design(
    theta: ArrayLike, n: int, *, true: ArrayLike | None = None, effect: float = 0.0, pattern: ArrayLike | None = None
) -> FitDesign:
    """Tables of n records that are tested for the cell probabilities `theta`.

    Parameters
    ----------
    theta : array
        What is tested.
    n : int
        Records.
    true : array, optional
        What the records follow; instead of `effect` and `pattern`.
    effect : float
        Cohen's w; 0 is the null.
    pattern : array, optional
        The direction of the effect, with sum 0. Default: a trend over the cells, numbered 1, 2, ...

    Examples
    --------
    >>> from discreet import lab
    >>> design = lab.fit_design([0.25] * 4, 5000, true=[0.26, 0.24, 0.26, 0.24])
    >>> round(design.effect, 12), design.with_effect(0.02).theta.round(6).tolist()
    (0.04, [0.255, 0.245, 0.255, 0.245])
    """
    null = _probabilities("theta", theta, axes=2)
    if true is not None:
        if pattern is not None or effect != 0.0:
            raise InvalidInput("give either true= or effect= with pattern=")
        target = _probabilities("true", true, axes=2, least=0.0)
        if target.shape != null.shape:
            raise InvalidInput(f"true has shape {target.shape}, but theta {null.shape}")
        effect, pattern = effect_size(target - null, null, np.ones(1), 1.0), target - null
        if effect < NULL:
            effect, pattern = 0.0, None
    if pattern is None:
        trend = null * _scores(null.ravel()).reshape(null.shape)
    else:
        trend = _pattern(pattern, null.shape)
        if abs(trend.sum()) > _SUM * np.abs(trend).max():
            raise InvalidInput(f"a pattern must sum to 0, not {trend.sum():.6g}")
    direction = trend / effect_size(trend, null, np.ones(1), 1.0)
    return FitDesign(null, null, (record_count(n),), direction).with_effect(effect)


def homogeneity_design(
    theta: ArrayLike, sizes: Sequence[int], *, effect: float = 0.0, pattern: ArrayLike | None = None
) -> HomogeneityDesign:
    """Samples of public sizes, each with its own cell probabilities.

    Parameters
    ----------
    theta : array (p,) or (k, p)
        The probabilities that all samples have, or those of each sample (then leave out `effect` and `pattern`).
    sizes : sequence of int
        The number of records in each of the k samples.
    effect : float
        Cramer's V between samples and cells; 0 is the null.
    pattern : array (k, p), optional
        The direction of the effect: what is added to each sample; its rows sum to 0. Default: a trend over samples and cells.

    Examples
    --------
    >>> from discreet import lab
    >>> design = lab.homogeneity_design([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]], [400, 600])
    >>> design.null[0].round(4).tolist(), round(design.effect, 4), design.with_effect(0).is_null
    ([0.26, 0.3, 0.44], 0.1212, True)
    """
    counts = tuple(record_count(size) for size in sizes)
    if len(counts) < 2:
        raise InvalidInput("homogeneity needs the sizes of two samples or more")
    weights = np.array(counts, float)[:, None] / sum(counts)
    given = np.asarray(_numbers("theta", theta))
    if given.ndim == 2:
        if effect != 0.0:
            raise InvalidInput("give either the probabilities of each sample or one row of them with effect=")
        if len(given) != len(counts):
            raise InvalidInput(f"theta has {len(given)} rows, but there are {len(counts)} sizes")
        each = np.stack([_probabilities(f"theta[{g}]", row, least=0.0) for g, row in enumerate(given)])
        pooled = (weights * each).sum(0)
        if pooled.min() <= 0:
            raise InvalidInput(f"cell {int(pooled.argmin())} has probability 0 in every sample; leave it out")
    else:
        pooled = _probabilities("theta", given)
        each = np.tile(pooled, (len(counts), 1))
    null = np.tile(pooled, (len(counts), 1))
    most = min(null.shape) - 1
    trend = each - null
    if pattern is not None:
        trend = _pattern(pattern, null.shape)
        if np.abs(trend.sum(1)).max() > _SUM * np.abs(trend).max():
            raise InvalidInput("each row of a pattern must sum to 0")
        trend = trend - (weights * trend).sum(0)  # what all samples share is no difference
    own = effect_size(trend, null, weights, most) if trend.any() else 0.0
    if own < NULL:
        trend = null * np.outer(_scores(weights[:, 0]), _scores(pooled))
        effect, own = (effect if given.ndim == 1 else 0.0), effect_size(trend, null, weights, most)
    elif given.ndim == 2 and pattern is None:
        effect = own
    return HomogeneityDesign(null, null, counts, trend / own).with_effect(effect)


def _scores(p: Floats) -> Floats:
    """1, 2, ... with mean 0 and variance 1 under the probabilities p."""
    centred = np.arange(p.size) - float(p @ np.arange(p.size))
    return np.asarray(centred / math.sqrt(float(p @ centred**2)))


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be an array of numbers") from None
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must hold finite numbers")
    return array


def _probabilities(name: str, values: ArrayLike, axes: int = 1, least: float | None = None) -> Floats:
    """Two or more probabilities that sum to 1, all above 0 unless `least` allows 0; refused with the cell's place."""
    p = _numbers(name, values)
    if not 1 <= p.ndim <= axes or p.size < 2:
        raise InvalidInput(f"{name} must be two or more probabilities, not an array of shape {p.shape}")
    wrong = (p <= 0) if least is None else (p < least)
    if wrong.any():
        cell = ", ".join(str(int(k)) for k in np.unravel_index(int(p.argmin()), p.shape))
        allowed = "above 0" if least is None else "0 or more"
        raise InvalidInput(f"{name} must be {allowed}; cell ({cell}) is {p.min():.6g}")
    if abs(p.sum() - 1.0) > _SUM:
        raise InvalidInput(f"{name} must sum to 1; it sums to {p.sum():.10g}")
    return np.asarray(p / p.sum())


def _pattern(values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    pattern = _numbers("pattern", values)
    if pattern.shape != shape or not pattern.any():
        raise InvalidInput(f"a pattern has the shape {shape} of the table and is not 0 everywhere")
    return pattern
