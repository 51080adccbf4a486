"""The far tail under Laplace noise: one large draw among ordinary ones, sought where it matters.

Write y for the noise draws in units of their scales and a_j for what draw j adds to the scaled table, so that w = sum_j
a_j y_j. Q is large where w is long. Q has no exponential moments, but its components along fixed directions have: along
u_j = a_j/||a_j|| the noise grows cheapest by draw j, and by those that share its direction. Proposal j is the exponentially
tilted law of the draws for which u_j'(g + w) has its mean on the threshold,

    q_j(y) = p(y) exp(tau_j'y - K_j),    tau_jk = theta_j u_j'a_k,    K_j = sum_k log E exp(tau_jk y_k),
    d/dtheta (K_j + theta^2 s_j/2) = x_j,    x_j^2 = t - E(Q off u_j),    s_j = ||Pi u_j||^2,

chosen with a chance alpha_j proportional to e^(K_j + theta^2 s_j/2 - theta x_j), Chernoff's bound of P(u_j'(g + w) >= x_j).
No long w escapes all of these half spaces, as max_k |a_k'w| >= ||w||^2 / sum_j |y_j|. Between one large draw and none lie
several rather large ones: a fifth of the points come from proposals r_m in which the m largest draws share the way, whichever
they are (`largest`), or, in small margins of wider releases, there are half spaces for each pair of cells as well. The law of
the draws itself is proposal 0 with a chance alpha_0 of at least 1/10, and Q is even in y, so that tau_j stands for -tau_j as
well and a point counts with

    p/q = 1 / (alpha_0 + sum_j alpha_j e^-K_j cosh(tau_j'y) + sum_m beta_m r_m(y)/p(y))  <=  10.

Where every draw is Laplace, only the direction of y is used and its length is integrated out (`radial`): the density of the
direction under q_j is that under p, times e^-K_j (1 - tau_j'y/|y|)^-M with |y| the sum of the M absolute values, and the
same holds for r_m.

Discrete Laplace noise is Laplace noise rounded (`kinds`). Its length cannot be integrated out, but is drawn (`length`), and
what the rounding changes, S(noise) - S(noise before rounding), is averaged and added to the integral for what is not rounded:
the rounding changes little, so that this adds little to the error.

Source: Asmussen and Glynn (2007), Stochastic Simulation, chapters V-VI; Sadowsky and Bucklew (1990) for the half spaces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.length import draw_lengths
from discreet.inference.null.points import uniform_chunks
from discreet.inference.null.proposals import Proposals
from discreet.inference.null.radial import TABLE_ERROR, tail_along
from discreet.inference.null.tilted import can_tilt
from discreet.inference.tails.noncentral import LARGEST
from discreet.inference.tails.saddlepoint import quick_noncentral_chi2_sf

Floats = NDArray[np.float64]

_IN_CACHE = 1 << 15  # numbers: a quarter of a megabyte


def can_jump(law: LimitLaw) -> bool:
    """Whether the draws can be tilted, and some of them have exponential tails, so that single draws make the far tail."""
    laws = [noise.law for noise in law.noises]
    return all(can_tilt(draw) for draw in laws) and not all(math.isinf(draw.mgf_radius) for draw in laws)


def big_jump_tail(law: LimitLaw, t: float, points: int, generator: np.random.Generator) -> tuple[float, float]:
    """P(Q >= t) and its standard error over independent scramblings, for a law that `can_jump`.

    The relative error at 4,096 points is at most 3 to 3.5 % for tables of up to 100 cells, at any p from 1 to 1e-12. In margins
    of more than 16 cells with several draws of heavy noise in each it may be ten times as large.
    """
    if t <= 0:
        return 1.0, 0.0
    proposals = Proposals.towards(law, t)
    fixed_totals = bool(law.geometry.fixed_totals_diagonal.any())
    # Unweighted averages with fixed totals are smoother in y itself: there the totals respond to single draws.
    directions = proposals.kinds.all_laplace and not (fixed_totals and proposals.ordinary == 1.0)
    rounded = directions and bool(proposals.kinds.rounding)
    if rounded and proposals.ordinary == 1.0:
        directions = rounded = False
    means = []
    for uniforms in uniform_chunks(proposals.dimension + rounded, points, generator):
        flat = uniforms.reshape(-1, uniforms.shape[-1])
        tails = _rounded(law, t, proposals, flat) if rounded else _tails(law, t, proposals, flat, directions)
        means.append(tails.reshape(uniforms.shape[:2]).mean(-1))
    found = np.concatenate(means)
    pvalue, error = float(found.mean()), float(found.std(ddof=1) / math.sqrt(found.size))
    return min(1.0, pvalue), math.hypot(error, TABLE_ERROR * pvalue)


def _tails(law: LimitLaw, t: float, proposals: Proposals, uniforms: Floats, directions: bool) -> Floats:
    """The weighted conditional tails at each point, given the noise or, integrated over its length, its direction only."""
    weights, noncentrality = np.empty(len(uniforms)), np.empty(len(uniforms))
    added = np.empty_like(weights) if law.geometry.fixed_totals_diagonal.any() else None
    kinds = proposals.kinds
    for some in _in_cache(uniforms):
        y = proposals.draws(uniforms[some])
        if directions:
            y /= np.abs(y).sum(-1, keepdims=True)
        weights[some] = proposals.weights(y, directions)
        noncentrality[some], extra = law.given(law.scaled_draws(y * kinds.scales if directions else kinds.noise(y)))
        if added is not None:
            added[some] = extra
    if directions:
        return weights * tail_along(t, law.df, law.dimension, noncentrality, added)
    return weights * _sf(t, law.df, noncentrality, added)


def _rounded(law: LimitLaw, t: float, proposals: Proposals, uniforms: Floats) -> Floats:
    """The weighted conditional tails where Laplace draws are rounded: the length is drawn too, by the first coordinate."""
    kinds, points = proposals.kinds, len(uniforms)
    y, weights, along = np.empty((points, law.dimension)), np.empty(points), np.empty(points)
    added = np.empty(points) if law.geometry.fixed_totals_diagonal.any() else None
    for some in _in_cache(uniforms):
        part = proposals.draws(uniforms[some, 1:])
        part /= np.abs(part).sum(-1, keepdims=True)
        weights[some] = proposals.weights(part, True)
        along[some], extra = law.given(law.scaled_draws(part * kinds.scales))
        if added is not None:
            added[some] = extra
        y[some] = part
    lengths, ratios = draw_lengths(t, law.df, law.dimension, along, added, uniforms[:, 0])
    squares = lengths**2
    smooth = tail_along(t, law.df, law.dimension, along, added)
    smooth -= ratios * _sf(t, law.df, squares * along, None if added is None else squares * added)
    for some in _in_cache(uniforms):
        along[some], extra = law.given(law.scaled_draws(kinds.noise(lengths[some, None] * y[some])))
        if added is not None:
            added[some] = extra
    return weights * (smooth + ratios * _sf(t, law.df, along, added))


def _in_cache(points: Floats) -> Iterator[slice]:
    """So many points at a time that what is computed of them stays in the processor's cache."""
    step = max(1, _IN_CACHE // points.shape[-1])
    return (slice(start, start + step) for start in range(0, len(points), step))


def _sf(t: float, df: int, noncentrality: Floats, added: Floats | None) -> Floats:
    return quick_noncentral_chi2_sf(t if added is None else t - added, df, np.minimum(noncentrality, LARGEST))
