"""The curator: records behind a handle, a schema, a budget. Each verb checks, charges, reads and releases."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from types import TracebackType
from typing import Any, NoReturn, Self

from discreet.curator.ledger import Ledger
from discreet.curator.releasing.plan import Plan, Price, PublicSize, price
from discreet.curator.releasing.table import plan_table
from discreet.curator.releasing.transaction import carry_out
from discreet.curator.source import Diagnosis, Source, open_source
from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms import TableSpecification
from discreet.privacy.guarantee import Guarantee
from discreet.release import TableRelease
from discreet.schema import Schema

PLANS: dict[str, Callable[..., Plan]] = {"table": plan_table}
"""How each releasing verb is checked and priced; a new family adds its planner here."""


class Curator:
    """Holds confidential records and a privacy budget, and publishes releases.

    Parameters
    ----------
    source : dataframe or path
        pandas, Polars (eager or lazy), PyArrow, a DuckDB relation, or a path to a CSV or Parquet file, which is scanned and
        never loaded whole.
    schema : Schema
        What is public about the records: declared, never learnt from them.
    ledger : path or Ledger
        The durable budget; create it once with `Ledger.create(path, PureDP(2))`.
    budget : Guarantee
        Instead of `ledger`: a budget that lives and dies with this object.

    Examples
    --------
    >>> import pandas as pd
    >>> from discreet import Curator, PureDP, Schema
    >>> records = pd.DataFrame({"smoking": ["no", "yes"] * 50, "systolic": ["lt140", "lt140", "ge140", "lt140"] * 25})
    >>> schema = Schema({"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]})
    >>> with Curator(records, schema, budget=PureDP(2)) as curator:
    ...     table = curator.table(["smoking", "systolic"], PureDP(0.5))
    ...     curator.n, table.shape, curator.ledger.remaining
    (100, (2, 2), 1.5)
    """

    def __init__(
        self,
        source: Any,
        schema: Schema,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        budget: Guarantee | None = None,
    ) -> None:
        if not isinstance(schema, Schema):
            raise InvalidInput(f"schema must be a discreet.Schema, not a {type(schema).__name__}")
        if (ledger is None) == (budget is None):
            raise InvalidInput("give either ledger= (a durable budget) or budget= (one for this object alone)")
        self.schema = schema
        self.ledger: Ledger
        if budget is not None:
            self.ledger = Ledger.in_memory(budget)
        else:
            self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)  # type: ignore[arg-type]
        self.__records: Source = open_source(source, schema)

    @cached_property
    def n(self) -> int:
        """The number of records: public under replace-one, and the one thing that is read before a charge."""
        if self.schema.adjacency != "replace-one":
            raise NotAvailable(
                f"n is not public under adjacency={self.schema.adjacency!r}; release a noisy table instead"
            )
        n = self.__records.count_rows() if self.schema.fixed is None else sum(self.group_sizes)
        if n > self.schema.max_rows:
            raise InvalidInput(f"there are {n} records, more than the schema's max_rows = {self.schema.max_rows}")
        return n

    @cached_property
    def group_sizes(self) -> tuple[int, ...]:
        """The number of records with each label of the schema's fixed column: public, and read before a charge like n.

        In the order of the labels; then, unless the schema is complete, of the records with an undeclared label, which are
        one more group.
        """
        if self.schema.fixed is None:
            raise NotAvailable("group sizes are public only where the schema names a fixed= column; this one does not")
        if self.schema.adjacency != "replace-one":
            raise NotAvailable(f"group sizes are not public under adjacency={self.schema.adjacency!r}")
        self.__records.count_rows()  # meets every fault of the file, as it does without groups
        return tuple(self.__records.count_groups())

    @property
    def _public_size(self) -> PublicSize:
        if self.schema.adjacency != "replace-one":
            return PublicSize(None)
        return PublicSize(self.n, None if self.schema.fixed is None else self.group_sizes)

    def table(
        self,
        columns: str | Sequence[str],
        guarantee: Guarantee,
        mechanism: TableSpecification | None = None,
        *,
        request_id: str | None = None,
    ) -> TableRelease:
        """Release the table of counts of `columns` under `guarantee`; spends its cost, or refuses and spends nothing.

        Parameters
        ----------
        columns : str or sequence of str
            Categorical columns of the schema, in the order of the table's axes. With the schema's fixed column among them
            the table is by group, and the guarantee is spent once, not once a group.
        guarantee : Guarantee
            What this release promises, e.g. `PureDP(0.5)`.
        mechanism : specification, optional
            From `discreet.mechanisms`; None is the best for the guarantee: Laplace under PureDP, else the projected Gaussian.
        request_id : str, optional
            Makes the call repeatable: the same id with the same call returns the stored release and spends nothing more.

        Raises
        ------
        InvalidInput, NotAvailable, NoCost
            Before any charge; independent of the records.
        BudgetExceeded
            The budget has no room; nothing was charged.
        ReleaseFailed
            After the charge; the message is always the same.
        """
        return carry_out(self._plan("table", columns, guarantee, mechanism), self.__records, self.ledger, request_id)

    def price(self, verb: str, *args: Any, **kwargs: Any) -> Price:
        """What `verb`'s call would cost and how accurate it would be: `curator.price("table", columns, guarantee)`.

        Spends nothing and reads nothing but what is public: n, and the sizes of the groups of a fixed column.
        """
        kwargs.pop("request_id", None)
        return price(self._plan(verb, *args, **kwargs), self.ledger)

    def check(self) -> Diagnosis:
        """A CONFIDENTIAL diagnostic of records that do not match the schema, for the curator's own eyes; spends nothing."""
        return self.__records.diagnose()

    def _plan(self, verb: str, *args: Any, **kwargs: Any) -> Plan:
        if verb not in PLANS:
            raise InvalidInput(f"unknown verb {verb!r}; this curator releases: {', '.join(PLANS)}")
        try:
            return PLANS[verb](self.schema, self._public_size, self.ledger.currency, *args, **kwargs)
        except TypeError as wrong:
            if "argument" not in str(wrong):
                raise
            raise InvalidInput(f"{verb} takes other arguments: {str(wrong).replace('plan_table', 'table')}") from None

    def close(self) -> None:
        """Let go of the records."""
        self.__records.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Curator({self.schema!r}, ledger={self.ledger!r})"

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("a Curator holds confidential records and cannot be pickled or copied")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse
