"""Charge, then read, then release: the one boundary between the ledger, the records and the caller.

1. The plan was validated before; the charge is committed durably, or refused and nothing happens.
2. Only then are records read. Whatever goes wrong from here on, the budget is spent and the caller sees one constant
   message without cause, context or frames: an error that depended on a record would be a release without noise.
3. The released document is stored beside its charge, so that a retry with the same request id returns it.
"""

from __future__ import annotations

import secrets
import warnings
from typing import Any

from discreet.curator.ledger import Ledger, Neighbours
from discreet.curator.releasing.plan import Plan, Records
from discreet.curator.watching import refuse_if_watched
from discreet.errors import LedgerError, ReleaseFailed
from discreet.release.io import dumps, loads

FAILED = (
    "the release failed after its charge: the budget is spent and nothing was released. Check that the records are "
    "readable and unchanged, then make a new request"
)


def carry_out(plan: Plan, records: Records, ledger: Ledger, request_id: str | None) -> Any:
    """Charge the ledger, make the release, store it; a finished request is answered from the ledger."""
    refuse_if_watched()
    identity = request_id if request_id is not None else secrets.token_hex(16)
    entry = ledger.charge(
        plan.cost,
        request_id=identity,
        specification=plan.specification,
        adjacency=plan.schema.adjacency,
        unit=plan.schema.protected,
        fixed=plan.schema.fixed,
    )
    if entry.released:
        return loads(ledger.payload(identity))
    return _make(plan, records, ledger, identity)


def take_up(plan: Plan, records: Records, ledger: Ledger, request_id: str) -> Any:
    """Make the release of a charge whose process died before it had one; nothing more is charged.

    A charge buys one published draw. A process that died between its charge and its release published none (step 3 comes
    before anything is returned), so the draw made here is the first that anyone sees. Only the caller can know that the
    process died: where a release *failed*, the failure was seen, and is what the charge has bought.

    Raises
    ------
    LedgerError
        There is no such charge, or it is another request's; nothing was read.
    ReleaseFailed
        As in `carry_out`.
    """
    refuse_if_watched()
    entry = next((entry for entry in ledger.entries() if entry.request_id == request_id), None)
    given = (plan.specification, plan.cost, Neighbours(plan.schema.adjacency, plan.schema.protected, plan.schema.fixed))
    if entry is None or (entry.specification, entry.cost, entry.neighbours) != given:
        raise LedgerError(f"the ledger has no charge {request_id!r} for this very request")
    if entry.released:
        return loads(ledger.payload(request_id))
    return _make(plan, records, ledger, request_id)


def _make(plan: Plan, records: Records, ledger: Ledger, identity: str) -> Any:
    """What follows a charge: read, release, store."""
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
