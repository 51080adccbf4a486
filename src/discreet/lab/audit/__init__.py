"""Audits: a deterministic replay through the gate, and statistical tests of outputs and of noise. For made-up records only."""

from discreet.lab.audit.black_box import audit
from discreet.lab.audit.certificate import Certificate
from discreet.lab.audit.noise import NoiseCheck, check_noise
from discreet.lab.audit.replay import Call, Replay, replay
from discreet.lab.audit.tables import TableAudit, audit_table, table_mechanism

__all__ = [
    "Call",
    "Certificate",
    "NoiseCheck",
    "Replay",
    "TableAudit",
    "audit",
    "audit_table",
    "check_noise",
    "replay",
    "table_mechanism",
]
