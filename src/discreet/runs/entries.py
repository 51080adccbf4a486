"""One table of a plan, read strictly: every entry is taken once, by name and type, and what is left over is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from discreet.errors import InvalidInput
from discreet.schema import unknown_name

T = TypeVar("T")

_KINDS: dict[type, str] = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "a table"}


class Entries:
    """The entries of the table `where`, of which `known` may be there.

    Examples
    --------
    >>> entries = Entries("release 'a'", {"bins": 20}, ("bins", "column"))
    >>> entries.take("bins", int)
    20
    >>> entries.need("column", str)
    Traceback (most recent call last):
    ...
    discreet.errors.InvalidInput: release 'a' needs the entry 'column'
    """

    def __init__(self, where: str, given: object, known: tuple[str, ...]) -> None:
        self.where = where
        if not isinstance(given, Mapping):
            raise InvalidInput(f"{where} must be a table with the entries {', '.join(known)}, not {short(given)}")
        for key in given:
            if key not in known:
                raise unknown_name(f"entry of {where}", key, known)
        self._given: Mapping[str, Any] = given

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def take(self, key: str, kind: type[T]) -> T | None:
        """The entry, of that type, or None where there is none. A whole number is a number; true and false are not."""
        if key not in self._given:
            return None
        value = self._given[key]
        allowed = (int, float) if kind is float else (kind,)
        if not isinstance(value, allowed) or isinstance(value, bool):
            raise InvalidInput(f"{self.where}: {key} must be {_KINDS[kind]}, not {short(value)}")
        return value  # type: ignore[return-value]

    def need(self, key: str, kind: type[T]) -> T:
        """The entry, which must be there."""
        value = self.take(key, kind)
        if value is None:
            raise InvalidInput(f"{self.where} needs the entry {key!r}")
        return value

    def texts(self, key: str) -> list[str] | None:
        """A list of texts; a single text stands for a list of one."""
        if isinstance(self._given.get(key), str):
            return [self.need(key, str)]
        return self.items(key, lambda item: isinstance(item, str), "texts")

    def items(self, key: str, fits: Callable[[Any], bool], what: str) -> list[Any] | None:
        """A list whose items all fit."""
        values = self.take(key, list)
        if values is not None and not (values and all(map(fits, values))):
            raise InvalidInput(f"{self.where}: {key} must be a list of {what}, not {short(values)}")
        return values

    def one_of(self, key: str, known: tuple[str, ...], default: str | None = None) -> str | None:
        """A text out of a list."""
        value = self.take(key, str)
        if value is not None and value not in known:
            raise unknown_name(f"{key} of {self.where}", value, known)
        return default if value is None else value


def short(value: object) -> str:
    """What was given, on one line of bounded length."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
