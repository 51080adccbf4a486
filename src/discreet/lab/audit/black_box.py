"""The statistical audit: from outputs alone, a lower bound on the privacy loss that holds with probability 1 - alpha.

A fair coin picks one of two neighbouring data sets, the mechanism runs on it, and the auditor guesses. One fifth of the
outputs train the guess; the others, never used before, certify. The bound comes from exact binomial limits, with alpha
split over a guessing game, an extreme event in either direction and, for pure DP, guesses made only where one is sure.
Before any statistics the outputs themselves are looked at: their shape and type, NaN, exceptions, the public grid, and
whether the same numbers come twice.

A bound above the claim disproves it, but for a probability of alpha; a bound below proves nothing. What a certificate says
is "audited: at least x, claimed y".
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.lab.audit.bounds import (
    level,
    per_record,
    refuted_by_bold_guesses,
    refuted_by_event,
    refuted_by_guesses,
)
from discreet.lab.audit.certificate import Certificate, empirical_curve
from discreet.lab.audit.outputs import draw_outputs, look_at
from discreet.lab.audit.statistic import Candidate, best_guess, candidates, rates
from discreet.privacy.guarantee import GaussianDP, Guarantee, PureDP, ZeroConcentratedDP

Floats = NDArray[np.float64]

TRAINING = 0.2
_CURVE_POINTS = 60


def audit(
    mechanism: Callable[..., ArrayLike],
    d0: Any,
    d1: Any,
    claim: Guarantee,
    alpha: float = 1e-6,
    max_n: int = 20_000,
    *,
    distance: int = 1,
    exponent: int | None = None,
    batched: bool = False,
) -> Certificate:
    """Audit a mechanism on two data sets from its outputs alone.

    Parameters
    ----------
    mechanism : callable
        data -> numbers, of the same shape every time; with `batched` (data, size) -> `size` outputs, one a row.
    d0, d1
        Two made-up data sets, `distance` records apart.
    claim : Guarantee
        What the mechanism promises for one record. A level that is small is hard to refute: data sets k records apart
        show k times the mu, and the number of outputs needed depends on k mu only (k mu of 1.5 to 2 is best).
    alpha : float
        The probability of refuting a true claim.
    max_n : int
        The number of outputs. At k mu = 1.5, 3,000 find a scale that is too small by sqrt 2, at alpha = 1e-6.
    distance : int
        k.
    exponent : int, optional
        The outputs must be multiples of 2^-exponent; where that grid is fine, the same output must not come twice.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import GaussianDP
    >>> from discreet.lab.audit import audit
    >>> rng = np.random.default_rng()
    >>> half_the_noise = lambda x, size: np.round(x + rng.normal(0, 0.5, size=(size, 1)), 3)
    >>> found = audit(half_the_noise, 0, 1, GaussianDP(1), max_n=4000, batched=True)
    >>> found.violated, found.lower_bound > 1.2
    (True, True)

    References
    ----------
    Clopper and Pearson (1934); Ding et al. (2018), StatDP; Bichsel et al. (2021), DP-Sniper, for learning the event;
    Nasr et al. (2023), for mu from false positive and false negative rates.
    """
    stated = level(claim)
    per_record(claim, 1.0, distance)
    if not (isinstance(alpha, float) and 0 < alpha < 0.5):
        raise InvalidInput(f"alpha must be above 0 and below 0.5, not {alpha!r}")
    if isinstance(max_n, bool) or not isinstance(max_n, int) or max_n < 100:
        raise InvalidInput(f"max_n must be a whole number of at least 100, not {max_n!r}")
    coins = np.unpackbits(np.frombuffer(os.urandom(-(-max_n // 8)), np.uint8))[:max_n].astype(bool)
    outputs, faults = draw_outputs(mechanism, d0, d1, coins, batched)
    faults += look_at(outputs, exponent)
    if faults:
        return Certificate(claim, 0.0, True, tuple(faults), "outputs", "", max_n, alpha, distance)
    half = int(max_n * TRAINING)
    score, guess = _train(outputs[:half], coins[:half], claim, alpha, max_n - half)
    values, coins = guess.score.score(outputs[half:]), coins[half:]
    zeros, ones = values[~coins], values[coins]
    share = alpha / (4 if isinstance(claim, PureDP) else 3)
    right = int(((values >= guess.threshold) == coins).sum())
    found = {"guessing game": (refuted_by_guesses(claim, right, values.size, share), guess.score.name)}
    for name, event in score.items():
        seen = event.score.score(outputs[half:])
        counted = [int((seen[side] >= event.threshold).sum()) for side in (~coins, coins)]
        trials = [int((~coins).sum()), int(coins.sum())]
        if name == "second":
            pair, of = (counted[0], counted[1]), (trials[0], trials[1])
        else:
            pair, of = (trials[1] - counted[1], trials[0] - counted[0]), (trials[1], trials[0])
        found[f"extreme event ({name} data set)"] = (refuted_by_event(claim, pair, of, share), event.score.name)
    if isinstance(claim, PureDP):
        bold = score["second"].score.score(outputs[half:]) >= score["second"].threshold
        timid = score["first"].score.score(outputs[half:]) < score["first"].threshold
        right = int((bold & coins).sum() + (timid & ~bold & ~coins).sum())
        made = int((bold | timid).sum())
        found["abstaining game"] = (refuted_by_bold_guesses(claim, right, made, share), score["second"].score.name)
    test = max(found, key=lambda name: found[name][0])
    bound = per_record(claim, found[test][0], distance)
    curve = empirical_curve(zeros, ones, alpha)
    return Certificate(claim, bound, bound > stated, (), test, found[test][1], max_n, alpha, distance, curve)


@dataclass(frozen=True)
class _Event:
    """score >= threshold."""

    score: Candidate
    threshold: float


def _train(
    outputs: Floats, coins: NDArray[np.bool_], claim: Guarantee, alpha: float, n: int
) -> tuple[dict[str, _Event], _Event]:
    """The best guess, and the best event in either direction, judged on outputs that did not form the score."""
    half = outputs.shape[0] // 2
    found = candidates(outputs[:half][~coins[:half]], outputs[:half][coins[:half]])
    judge = GaussianDP(1.0) if isinstance(claim, ZeroConcentratedDP) else claim  # whose bound is quickly computed
    guesses: list[tuple[float, _Event]] = []
    events: dict[str, list[tuple[float, _Event]]] = {"first": [], "second": []}
    for candidate in found:
        scores = candidate.score(outputs[half:])
        zeros, ones = scores[~coins[half:]], scores[coins[half:]]
        threshold, share = best_guess(zeros, ones)
        guesses.append((share, _Event(candidate, threshold)))
        thresholds, false_alarms, hits = rates(zeros, ones)
        chosen = np.unique(np.linspace(0, thresholds.size - 1, _CURVE_POINTS).astype(int))
        for i in chosen:
            p, q = _expected(false_alarms[i], zeros.size), _expected(hits[i], ones.size)
            m = n // 2
            second = refuted_by_event(judge, (round(p * m), round(q * m)), (m, m), alpha / 4)
            first = refuted_by_event(judge, (round((1 - q) * m), round((1 - p) * m)), (m, m), alpha / 4)
            events["second"].append((second, _Event(candidate, float(thresholds[i]))))
            events["first"].append((first, _Event(candidate, float(thresholds[i]))))
    best = {name: max(each, key=lambda pair: pair[0])[1] for name, each in events.items()}
    return best, max(guesses, key=lambda pair: pair[0])[1]


def _expected(share: float, trials: int) -> float:
    """A probability estimated from a share, away from 0 and 1: no event is trusted to be impossible."""
    return (share * trials + 0.5) / (trials + 1)
