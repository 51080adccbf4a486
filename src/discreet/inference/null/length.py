"""The length of the noise, drawn where it matters: for draws that are Laplace ones rounded, so that it cannot be integrated.

As in `radial`, R = |Z_1| + ... + |Z_M| follows the gamma law of shape M, with density g, whatever the direction of M Laplace
draws Z. If the noise is Z rounded (`kinds`), the tail given the noise still is close to that without the rounding,

    S(R) = P(ncx2(df, R^2 lambda) > t - R^2 kappa),

and R is drawn from nine parts of a density near to g S and one part of g, so that no weight g/q exceeds 10. The density near
to g S has 24 bins of equal chance in each of which it is constant. Their ends follow from Chernoff's bound of S, on a grid of
lambda and kappa, and between its points from linear interpolation: a density need only be known, not be best.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

_TINY = 1e-300
_ORDINARY = 0.1
_BINS = 24
_LENGTHS, _SHARES = 32, 6  # the grid: of lengths, and of how they divide into lambda and kappa
_COARSE, _FINE = 128, 129
_MATTERS = 25.0  # where g S is below e^-25 of its maximum there is no bin


def draw_lengths(
    t: float, df: int, draws: int, noncentrality: Floats, added: Floats | None, uniforms: Floats
) -> tuple[Floats, Floats]:
    """R and the weight g/q for each direction.

    Parameters
    ----------
    t, df, draws : float, int, int
        The statistic, above 0, its degrees of freedom, and the number M of draws.
    noncentrality, added : ndarray
        lambda and kappa at R = 1 (None: 0), of one shape.
    uniforms : ndarray
        Of that shape, strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.inference.null.length import draw_lengths
    >>> u = (np.arange(4096) + 0.5) / 4096
    >>> lengths, weights = draw_lengths(90.0, 4, 12, np.full(4096, 0.2), None, u)
    >>> float(weights.max()) <= 10.0, bool(abs((weights * (lengths > 20.0)).mean() / 0.0214 - 1) < 0.02)
    (True, True)
    """
    total = noncentrality if added is None else noncentrality + added
    logs = np.log(np.maximum(total, _TINY))
    on_lengths = np.linspace(max(float(logs.min()), float(logs.max()) - 14.0), float(logs.max()) + 1e-6, _LENGTHS)
    shares = np.zeros_like(total) if added is None else added / np.maximum(total, _TINY)
    on_shares = np.linspace(float(shares.min()), float(shares.max()) + 1e-6, 1 if added is None else _SHARES)
    squares = np.exp(on_lengths)
    table = np.stack([_bin_ends(t, df, draws, squares * (1.0 - s), squares * s) for s in np.minimum(on_shares, 1.0)])
    ends = _between(table, (on_shares, shares.ravel()), (on_lengths, logs.ravel()))
    u = uniforms.ravel()
    # The first tenth of the unit interval is for g, the rest for the bins.
    place = np.maximum(u - _ORDINARY, 0.0) / (1.0 - _ORDINARY) * _BINS
    which = np.minimum(place.astype(np.intp), _BINS - 1)
    points = np.arange(u.size)
    low, high = ends[points, which], ends[points, which + 1]
    lengths = low + (place - which) * (high - low)
    ordinary = u < _ORDINARY
    lengths[ordinary] = special.gammaincinv(draws, u[ordinary] / _ORDINARY)
    at = (ends <= lengths[:, None]).sum(-1)
    inside = (at > 0) & (at <= _BINS)
    at = np.clip(at, 1, _BINS)
    width = np.maximum(ends[points, at] - ends[points, at - 1], _TINY)
    density = np.exp(special.xlogy(draws - 1.0, lengths) - lengths - special.gammaln(draws))
    proposed = np.where(inside, (1.0 - _ORDINARY) / (_BINS * width), 0.0)
    weights = density / (_ORDINARY * density + proposed + _TINY)
    return lengths.reshape(uniforms.shape), weights.reshape(uniforms.shape)


def log_tail_bound(t: float, df: int, noncentrality: Floats, added: Floats) -> Floats:
    """Chernoff's bound of log P(ncx2(df, noncentrality) > t - added), 0 from the mean on (see `tails.noncentral`)."""
    y, mu, a = 0.5 * np.maximum(t - added, _TINY), 0.5 * noncentrality, 0.5 * df
    w = np.minimum((a + np.hypot(a, 2.0 * np.sqrt(y * mu))) / (2.0 * y), 1.0)
    return np.asarray((w - 1.0) * y - a * np.log(w) - mu * (w - 1.0) / w)


def _bin_ends(t: float, df: int, draws: int, noncentrality: Floats, added: Floats) -> Floats:
    """The ends of bins of equal chance under g S, of shape (problems, bins + 1)."""
    lam, kappa = noncentrality[:, None], added[:, None]

    def log_density(r: Floats) -> Floats:
        return np.asarray(special.xlogy(draws - 1.0, r) - r + log_tail_bound(t, df, r * r * lam, r * r * kappa))

    # Ordinary lengths, those up to where the noise alone is t, and some beyond.
    needed = np.sqrt(t / np.maximum(lam + kappa, _TINY))
    last = np.maximum(np.minimum(needed, 1e6 + t) + 60.0, draws + 12.0 * np.sqrt(draws) + 60.0)
    coarse = last * np.linspace(0.0, 1.0, _COARSE + 1)[1:]
    found = log_density(coarse)
    matters = found > found.max(-1, keepdims=True) - _MATTERS
    first = np.argmax(matters, -1)
    final = _COARSE - 1 - np.argmax(matters[:, ::-1], -1)
    step = last[:, 0] / _COARSE
    start, stop = first * step, (final + 2) * step
    fine = start[:, None] + (stop - start)[:, None] * np.linspace(0.0, 1.0, _FINE)
    density = log_density(np.maximum(fine, _TINY))
    density = np.exp(density - density.max(-1, keepdims=True)) + 1e-12
    masses = np.cumsum(0.5 * (density[:, 1:] + density[:, :-1]), -1)
    masses = np.concatenate([np.zeros((len(masses), 1)), masses / masses[:, -1:]], -1)
    levels = np.linspace(0.0, 1.0, _BINS + 1)
    return np.stack([np.interp(levels, mass, r) for mass, r in zip(masses, fine, strict=True)])


def _between(table: Floats, rows: tuple[Floats, Floats], columns: tuple[Floats, Floats]) -> Floats:
    """Linear interpolation of table[row, column] on even grids, constant beyond: `rows` and `columns` are (grid, where)."""
    at, part = _place(*columns)
    if table.shape[0] == 1:
        return np.asarray(table[0, at] + part * (table[0, at + 1] - table[0, at]))
    on, of = _place(*rows)
    low = table[on, at] + part * (table[on, at + 1] - table[on, at])
    high = table[on + 1, at] + part * (table[on + 1, at + 1] - table[on + 1, at])
    return np.asarray(low + of * (high - low))


def _place(grid: Floats, where: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The grid point before each place, and how far on it is to the next, as a column."""
    place = np.clip((where - grid[0]) / (grid[1] - grid[0]), 0.0, grid.size - 1.0)
    at = np.minimum(place.astype(np.intp), grid.size - 2)
    return at, (place - at)[:, None]
