"""The only rooms that see records: source, gate, ledger, and the release families."""

try:
    import duckdb as _duckdb  # noqa: F401
    import opendp.measurements as _noise  # noqa: F401
except ImportError as missing:
    from discreet.errors import MissingExtra

    raise MissingExtra(
        f"a curator needs OpenDP and DuckDB ({missing.name} is missing): pip install 'discreet[curator]'"
    ) from None

from discreet.curator.curator import Curator
from discreet.curator.ledger import Ledger
from discreet.curator.releasing.plan import Price

__all__ = ["Curator", "Ledger", "Price"]
