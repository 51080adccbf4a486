"""Where errors end: one line on stderr and an exit status, no traceback, and no text that could quote a record.

The exit status is 0 (done), 1 (refused: by the budget, the records, the schema, a file, or a value that is not allowed)
or 2 (usage: a command, option or argument that does not exist, is missing, or is not of its kind).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import typer
from typer.core import TyperGroup

from discreet.cli.output import complain, note
from discreet.errors import DiscreetError

REFUSED, USAGE, INTERRUPTED = 1, 2, 130

SEE_LEDGER = "'discreet ledger show' tells whether anything was charged"
UNEXPECTED = f"the command failed on these records; the cause is not shown, because it could quote one; {SEE_LEDGER}"


@contextmanager
def confidential() -> Iterator[None]:
    """Around everything that can see a record: lets Discreet's own errors through, replaces all others by one constant.

    Discreet's messages hold no record. What an engine underneath says, in an exception or a warning, might.
    """
    failed = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except DiscreetError:
            raise
        except KeyboardInterrupt:
            note(SEE_LEDGER)
            raise
        except BaseException:  # noqa: BLE001  some engines' panics are not Exceptions; none may show its text
            failed = True
    if failed:
        raise DiscreetError(UNEXPECTED) from None


def usage_error(text: str) -> typer.BadParameter:
    """What to raise for options that do not go together; exit status 2."""
    return typer.BadParameter(text)


class CommandGroup(TyperGroup):
    """The root command: runs a command and reports how it ended."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """As Typer's, with every error on one line."""
        run = partial(super().main, args, prog_name, complete_var, False, windows_expand_args, **extra)
        if not standalone_mode:
            return run()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal without some character gets "?" instead of a traceback
                stream.reconfigure(errors="replace")
        sys.exit(_status(run))


def _status(run: Callable[[], Any]) -> int:
    """The exit status of a command, after its error, if there was one, has been printed."""
    try:
        outcome = run()
    except DiscreetError as refused:
        complain(str(refused))
        return REFUSED
    except OSError as problem:  # the output itself: a full disk, a closed stream
        complain(f"cannot write the output: {problem.strerror}")
        return REFUSED
    except typer.Abort:
        outcome = INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _explain(error)
        return USAGE
    status = outcome if isinstance(outcome, int) else 0
    if status == INTERRUPTED:
        note("interrupted")
    return status


def _explain(error: Any) -> None:
    """Typer's message on one line, with the command whose help to read; that help itself where nothing was asked."""
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{context.get_help()}\n")
        return
    message = error.format_message().strip().removeprefix("Invalid value: ").rstrip(".")
    command = "discreet" if context is None else context.command_path
    complain(f"{message[:1].lower()}{message[1:]} (see {command} --help)")
