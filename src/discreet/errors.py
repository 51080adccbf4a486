"""The one family of exceptions. No message ever holds a value of a record or a true count."""


class DiscreetError(Exception):
    """Base of every error that Discreet raises on purpose."""


class InvalidInput(DiscreetError, ValueError):
    """An argument, schema or file that is not allowed; the message names what was given and what is allowed."""


class NotAvailable(DiscreetError):
    """A combination that has no valid answer (or none yet); the message gives the reason."""


class NotApplicable(NotAvailable, ValueError):
    """A test that does not apply to this table: its law would be wrong, so no p-value is given."""


class MissingExtra(DiscreetError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


class SourceError(DiscreetError):
    """The records cannot be opened or read. The message is the same whatever the records are."""


class FormatError(DiscreetError, ValueError):
    """A release or ledger file that is corrupted, truncated, of another program, or of an unknown version."""


class LedgerError(DiscreetError):
    """The ledger cannot be used: missing, busy, of other neighbours; nothing was charged."""


class NoCost(DiscreetError):
    """The mechanism has no valid cost in the budget's currency; nothing was charged."""


class BudgetExceeded(DiscreetError):
    """The charge would exceed the budget; nothing was charged. The message gives requested, remaining and difference."""


class ReleaseFailed(DiscreetError):
    """A release failed after its charge. The budget is spent; the message is constant, whatever the cause."""


class DiscreetWarning(UserWarning):
    """What a call could not do for a part of its input, although it did the rest; from released numbers only."""
