"""How an auditor looks at everything that reaches the gate: a watcher gets the exact integers, and its answer is returned.

A replay on made-up records (`discreet.lab.audit.replay`) must see what a release hands to the gate, and must answer with
the same numbers on both of two neighbouring data sets. So the gate asks here before it draws. The watcher belongs to one
thread and context: what others release meanwhile is drawn as ever. And no release can be made of a watcher's answers:
`carry_out`, through which every verb of a curator passes, refuses to begin while one looks on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from discreet.errors import DiscreetError


class Watcher(Protocol):
    """What stands in for the gate's randomness during a replay."""

    def draw_noise(self, exact: Sequence[int], exponent: int, public: Mapping[str, Any]) -> Sequence[int]:
        """Integers in place of the noisy ones, as many as `exact`."""
        ...

    def choose(self, weights: Sequence[int]) -> int:
        """An index in place of the drawn one."""
        ...


_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def watcher() -> Watcher | None:
    """Who looks on in this context: None in every release."""
    return _WATCHER.get()


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """The gate asks `by` inside this block, in this context only."""
    token = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def refuse_if_watched() -> None:
    """A release is made with noise or not at all: refused before its charge while a watcher looks on."""
    if _WATCHER.get() is not None:
        raise DiscreetError("no release is made during a replay: its numbers would carry no noise; nothing was charged")
