"""Options that many commands share, declared once: a dataclass whose fields are options of every command that takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is a dataclass, with that dataclass's fields as options of its own.

    On the help page what must be given comes first: the dataclass's, then the command's own; then what may be given: the
    command's own, then the dataclass's.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Shared:
    ...     data: str
    ...     loud: bool = False
    >>> @unfolded
    ... def say(shared: Shared, word: str) -> None:
    ...     print(word.upper() if shared.loud else word, shared.data)
    >>> import inspect
    >>> list(inspect.signature(say).parameters)
    ['data', 'word', 'loud']
    >>> say(data="x", word="hi", loud=True)
    HI x
    """
    first, *own = signature(command).parameters.values()
    hints = get_type_hints(command, include_extras=True)
    shared = hints[first.name]
    names = [field.name for field in fields(shared)]
    shared_hints = get_type_hints(shared, include_extras=True)
    given = {parameter.name: parameter.default for parameter in signature(shared).parameters.values()}
    of_all = [_option(name, given[name], shared_hints[name]) for name in names]
    of_this = [_option(parameter.name, parameter.default, hints[parameter.name]) for parameter in own]
    parameters = sorted([*of_this, *of_all], key=_may_be_left_out)  # sorting keeps the order of equals
    parameters.sort(key=lambda option: not (option in of_all and not _may_be_left_out(option)))

    @wraps(command)
    def run(**values: Any) -> None:
        command(shared(**{name: values.pop(name) for name in names}), **values)

    # Typer asks for the signature and for the annotations, and would follow __wrapped__ to the command's own.
    del run.__wrapped__
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _may_be_left_out(option: Parameter) -> bool:
    return option.default is not Parameter.empty


def _option(name: str, default: Any, annotation: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
