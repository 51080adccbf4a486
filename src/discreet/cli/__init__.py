"""The command line `discreet ...`: the same verbs as the library, a readable table or one JSON object each."""

from __future__ import annotations

import sys

NEEDS_EXTRA = "error: the command line needs Typer and Rich: pip install 'discreet[cli]'\n"


def main() -> None:
    """Run `discreet` with the arguments of this process and end the process with its exit status."""
    try:
        import rich as _rich  # noqa: F401
        import typer as _typer  # noqa: F401
    except ImportError:
        sys.stderr.write(NEEDS_EXTRA)
        raise SystemExit(1) from None
    from discreet.cli.app import app

    app(prog_name="discreet")


__all__ = ["main"]
