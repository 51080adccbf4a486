"""Charge, then read, then release: the one boundary between the ledger, the records and the caller.

1. The plan was validated before; the charge is committed durably, or refused and nothing happens.
2. Only then are records read. Whatever goes wrong from here on, the budget is spent and the caller sees one constant
   message without cause, context or frames: an error that depended on a record would be a release without noise.
3. The released document is stored beside its charge, so that a retry with the same request id returns it.
"""

from __future__ import annotations

import secrets
import warnings

from discreet.curator.ledger import Ledger
from discreet.curator.releasing.plan import UNIT, Plan, Records
from discreet.errors import ReleaseFailed
from discreet.release import TableRelease
from discreet.release.io import dumps, loads

FAILED = (
    "the release failed after its charge: the budget is spent and nothing was released. Check that the records are "
    "readable and unchanged, then make a new request"
)


def carry_out(plan: Plan, records: Records, ledger: Ledger, request_id: str | None) -> TableRelease:
    """Charge the ledger, make the release, store it; a finished request is answered from the ledger."""
    identity = request_id if request_id is not None else secrets.token_hex(16)
    entry = ledger.charge(
        plan.cost,
        request_id=identity,
        specification=plan.specification,
        adjacency=plan.schema.adjacency,
        unit=UNIT,
        fixed=plan.schema.fixed,
    )
    if entry.released:
        stored: TableRelease = loads(ledger.payload(identity))
        return stored
    release, interrupted = None, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an engine's warning may quote a value
            made = plan.make(records)
        ledger.record_release(identity, dumps(made))
        release = made
    except BaseException as failure:  # noqa: BLE001  some engines' panics are not Exceptions; none may show its text
        interrupted = isinstance(failure, KeyboardInterrupt)
    if release is None:  # raised outside of the handler, so that no cause, context or frame hangs on it
        raise KeyboardInterrupt if interrupted else ReleaseFailed(FAILED)
    return release
