"""The deterministic audit: a release replayed on two neighbouring data sets, with a recorder in place of the noise.

Every random number of a release comes through the gate, so the gate sees all that a release can give away: which noise it
is asked for, of which scale, on which exact integers. The replay makes the release on both data sets with the same
answers, which know nothing of the records, and compares. Anything public that differs is a fault; so is any difference
between the two finished releases, because it did not come through the gate. What is left are the distances of the exact
integers, and with the scales of the noise they are the privacy loss between these two data sets, exactly and in milliseconds.

It shows distances between confidential integers: for made-up records only.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.curator.curator import Curator
from discreet.curator.source import open_source
from discreet.curator.watching import watched
from discreet.errors import DiscreetError, InvalidInput
from discreet.lab.audit.recorder import Recorder
from discreet.privacy import ApproxDP, Cost, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.gaussian_curve import delta as gaussian_delta
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import laplace_table_mu, shift_mu
from discreet.release.io import dumps
from discreet.schema import Schema

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Call:
    """One call of the gate on both data sets: what is public about it, and how far apart the exact integers are.

    Attributes
    ----------
    kind : "laplace", "gaussian" or "choice"
    scale : float
        Of the noise, in the units of the integers; 0 for a choice.
    cells : int
        The number of integers.
    l1, l2_squared, largest : int
        The distances between the two data sets' integers: sum of |x - y|, sum of (x - y)^2, max of |x - y|.
    epsilon : float
        The privacy loss of this call between the two, in pure DP: l1/scale for Laplace noise, the largest log ratio of a
        probability for a choice; infinite for Gaussian noise, unless the integers are equal.
    mu : float
        The same in Gaussian DP: sqrt(l2_squared)/scale for Gaussian noise; for Laplace noise by its own curve, where the
        integers that fall, and those that rise, count as one each.
    """

    kind: str
    scale: float
    cells: int
    l1: int
    l2_squared: int
    largest: int
    epsilon: float
    mu: float


@dataclass(frozen=True)
class Replay:
    """What a replay found.

    Attributes
    ----------
    differences : tuple of str
        What is not the same on both data sets though it must be, or fails after the charge; empty for a sound release. It
        names no value.
    calls : tuple of Call
        The gate's calls in order (those of the first data set, as far as both agree).
    cost : Cost or None
        What the release is charged; None where it is refused.
    refusal : str or None
        Why it is refused on both, before its charge.
    """

    verb: str
    differences: tuple[str, ...]
    calls: tuple[Call, ...]
    cost: Cost | None
    refusal: str | None

    @property
    def epsilon(self) -> float:
        """The privacy loss between the two data sets in pure DP: the calls' sum."""
        return sum((call.epsilon for call in self.calls), 0.0)

    @property
    def mu(self) -> float:
        """The same in Gaussian DP: the root of the sum of squares."""
        return math.sqrt(sum((call.mu**2 for call in self.calls), 0.0))

    @property
    def rho(self) -> float:
        """The same in zCDP: mu^2/2 of a Gaussian call, epsilon tanh(epsilon/2) of another."""
        return sum(
            (c.mu**2 / 2 if c.kind == "gaussian" else c.epsilon * math.tanh(c.epsilon / 2) for c in self.calls), 0.0
        )

    def sound(self, guarantee: Guarantee) -> bool:
        """Whether nothing differs and the loss between these two data sets is within `guarantee`."""
        return not self.differences and self.share(guarantee) <= 1 + _TOLERANCE

    def share(self, guarantee: Guarantee) -> float:
        """The loss between these two data sets as a share of what `guarantee` allows: above 1 it is broken.

        A share that stays far below 1 on every pair of neighbours means that more noise is added than is needed.
        """
        if isinstance(guarantee, PureDP):
            return self.epsilon / guarantee.epsilon
        if isinstance(guarantee, GaussianDP):
            return self.mu / guarantee.mu
        if isinstance(guarantee, ZeroConcentratedDP):
            return self.rho / guarantee.rho
        if isinstance(guarantee, ApproxDP):
            pure = self.epsilon / guarantee.epsilon
            mu = self.mu
            return min(pure, float(gaussian_delta(mu, float(guarantee.epsilon))) / guarantee.delta if mu > 0 else 0.0)
        raise InvalidInput(f"a guarantee is needed, such as PureDP(0.5), not {guarantee!r}")


def replay(verb: str, first: Any, second: Any, schema: Schema, *args: Any, **kwargs: Any) -> Replay:
    """Make a release on two data sets without randomness, and compare all that reaches the gate.

    Parameters
    ----------
    verb : str
        A verb of `Curator`, e.g. "table".
    first, second : data frame or path
        Two made-up data sets, neighbours under the schema's adjacency.
    schema : Schema
    *args, **kwargs
        The arguments of the verb. The budget is the guarantee among them.

    Returns
    -------
    Replay
        With `differences` (none, for a sound release) and the distances of every call.

    Examples
    --------
    >>> import pandas as pd
    >>> from discreet import PureDP, Schema
    >>> from discreet.lab.audit import replay
    >>> schema = Schema({"smoking": ["no", "yes"]})
    >>> first = pd.DataFrame({"smoking": ["no", "no", "yes"]})
    >>> second = pd.DataFrame({"smoking": ["no", "yes", "yes"]})
    >>> found = replay("table", first, second, schema, "smoking", PureDP(0.5))
    >>> found.differences, found.calls[0].l1, found.epsilon, found.sound(PureDP(0.5))
    ((), 2, 0.5, True)
    """
    if not isinstance(schema, Schema):
        raise InvalidInput(f"schema must be a discreet.Schema, not a {type(schema).__name__}")
    guarantees = [value for value in (*args, *kwargs.values()) if isinstance(value, Guarantee)]
    if not guarantees:
        raise InvalidInput("a replay needs the release's guarantee among its arguments, such as PureDP(0.5)")
    one, other = (_observe(verb, data, schema, guarantees[0], args, kwargs) for data in (first, second))
    differences = [name for name in one.public if one.public[name] != other.public.get(name)]
    differences += [name for name in other.public if name not in one.public]
    if one.failed and other.failed:
        differences.append(f"the release fails on both ({one.failed})")
    same_calls = [call for call, _ in one.calls] == [call for call, _ in other.calls]
    if not same_calls:
        differences.append("the calls of the gate")
    pairs = zip(one.calls, other.calls, strict=False)
    calls = tuple(_compare(public, x, y) for (public, x), (shape, y) in pairs if public == shape)
    return Replay(verb, tuple(differences), calls, one.cost, one.refusal)


@dataclass(frozen=True)
class _Observation:
    """All that one run shows, and the exact integers."""

    public: dict[str, Any]
    calls: list[tuple[dict[str, Any], list[int]]]
    cost: Cost | None
    refusal: str | None
    failed: str = ""


def _observe(
    verb: str, data: Any, schema: Schema, budget: Guarantee, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Observation:
    recorder = Recorder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Curator(data, schema, budget=budget) as curator:
            try:
                plan = curator._plan(verb, *args, **kwargs)
            except DiscreetError as refused:
                return _Observation({"the refusal": f"{type(refused).__name__}: {refused}"}, [], None, str(refused))
        records = open_source(data, schema)
        failed = ""
        try:
            with watched(recorder):
                released = dumps(plan.make(records))
        except Exception as failure:  # noqa: BLE001  its kind is compared, and its text, which may hold a value, is dropped
            released = failed = type(failure).__name__
        finally:
            records.close()
    public = {
        "the specification": plan.specification,
        "the cost": plan.cost,
        "the stated accuracy": (plan.accuracy, plan.mechanism, plan.notes),
        "the warnings": [type(each.message).__name__ for each in caught],
        "the release beyond the gate's answers": released,
    }
    return _Observation(public, recorder.calls, plan.cost, None, failed)


def _compare(public: dict[str, Any], x: list[int], y: list[int]) -> Call:
    kind, scale = public["kind"], public["scale"]
    moved = [abs(a - b) for a, b in zip(x, y, strict=True)]
    l1, l2_squared, largest = sum(moved), sum(d * d for d in moved), max(moved)
    if kind == "choice":
        epsilon = _log_ratio(x, y)
        mu = PureDP(epsilon).to_gaussian().mu if 0 < epsilon <= 500 else epsilon
    elif kind == "gaussian":
        epsilon, mu = (math.inf if l1 else 0.0), math.sqrt(l2_squared) / scale
    else:
        epsilon = l1 / scale
        fallen = sum(max(a - b, 0) for a, b in zip(x, y, strict=True))
        mu = 0.0 if l1 == 0 else shift_mu(epsilon)
        if 0 < fallen < l1:  # as far as they fell in one cell, and as far as they rose in another: `laplace_vector`
            mu = min(mu, laplace_table_mu(max(fallen, l1 - fallen) / scale))
    return Call(kind, scale, public["cells"], l1, l2_squared, largest, epsilon, mu)


def _log_ratio(x: list[int], y: list[int]) -> float:
    """max over i of |log (x_i/sum x) - log (y_i/sum y)|, in exact ratios."""
    total_x, total_y = sum(x), sum(y)
    if any((a == 0) != (b == 0) for a, b in zip(x, y, strict=True)):
        return math.inf
    ratios = [Fraction(a * total_y, b * total_x) for a, b in zip(x, y, strict=True) if b]
    return max(_log(max(ratio, 1 / ratio)) for ratio in ratios)


def _log(ratio: Fraction) -> float:
    """log of a fraction of any size, at least 1."""
    near_one = ratio - 1
    return math.log1p(float(near_one)) if near_one < 1 else math.log(ratio.numerator) - math.log(ratio.denominator)
