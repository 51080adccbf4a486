"""How a value is drawn: the hook through which the rooms below hand their values up to `discreet.view`.

A release or a test result must be able to draw itself, but nothing below `view` may import it. So `view` registers a
painter for each type here, and a value asks for its painter by type; `view` is loaded by name on the first request.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

_PAINTERS: dict[tuple[str, type], Callable[..., Any]] = {}
_Painter = TypeVar("_Painter", bound=Callable[..., Any])


def painter(kind: str, subject: type) -> Callable[[_Painter], _Painter]:
    """Register the decorated function as the one that draws a `subject` in the way `kind` ("plot" or "html")."""

    def register(function: _Painter) -> _Painter:
        _PAINTERS[kind, subject] = function
        return function

    return register


def draw(kind: str, subject: object, **options: Any) -> Any:
    """Draw `subject` by its registered painter; raises `TypeError` where no painter knows its type."""
    import_module("discreet.view")
    for ancestor in type(subject).__mro__:
        if (kind, ancestor) in _PAINTERS:
            return _PAINTERS[kind, ancestor](subject, **options)
    raise TypeError(f"nothing draws a {type(subject).__name__} as {kind}")
