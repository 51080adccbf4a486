"""Several releases as one: priced together before the first is charged, and taken up again where a process died."""

from discreet.curator.batch.account import Account, account
from discreet.curator.batch.made_up import rehearse
from discreet.curator.batch.quote import Call, Line, Quote, make, quote

__all__ = ["Account", "Call", "Line", "Quote", "account", "make", "quote", "rehearse"]
