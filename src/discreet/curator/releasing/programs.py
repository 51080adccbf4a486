"""The programs that make a release; looked up once, since reading a package's metadata takes a millisecond."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from discreet.curator import gate


@cache
def versions() -> dict[str, str]:
    """This package and OpenDP, with their versions."""
    return {"discreet": version("discreet"), "opendp": gate.opendp_version()}
