"""The curator: records behind a handle, a schema, a budget. Each verb checks, charges, reads and releases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from discreet.curator.ledger import Ledger
from discreet.curator.releasing.plan import Plan, Price, PublicSize, price
from discreet.curator.releasing.transaction import carry_out, take_up
from discreet.curator.source import Diagnosis, Source, open_source
from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy.guarantee import Guarantee
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.mechanisms import MeanSpecification, MomentsSpecification, SampleSpecification, TableSpecification
    from discreet.release import (
        CdfRelease,
        HistogramRelease,
        MeanRelease,
        MomentsRelease,
        SampleRelease,
        SelectionRelease,
        SeriesRelease,
        TableRelease,
    )

FAMILIES = {
    "table": "table",
    "mean": "moments",
    "moments": "moments",
    "histogram": "histogram",
    "series": "series",
    "cdf": "cdf",
    "sample": "sample",
    "select": "selection",
}
"""The file in `releasing` that checks and prices a verb (`plan_<verb>`), loaded on first use; a new family adds its own."""


OF_PERSONS = ("table", "histogram")
"""The verbs whose sensitivity is known where a person has several records."""


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
        if not self.schema.n_is_public:
            why = f"adjacency={self.schema.adjacency!r}" if self.schema.unit is None else f"unit={self.schema.unit!r}"
            raise NotAvailable(f"n is not public under {why}; release a noisy table instead")
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
        if not self.schema.n_is_public:
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
        release: TableRelease = self._release(request_id, "table", columns, guarantee, mechanism)
        return release

    def mean(
        self,
        columns: str | Sequence[str],
        guarantee: Guarantee,
        mechanism: MeanSpecification | None = None,
        *,
        request_id: str | None = None,
    ) -> MeanRelease:
        """Release the means of numeric columns under `guarantee`; spends its cost, or refuses and spends nothing.

        Parameters
        ----------
        columns : str or sequence of str
            Numeric columns (`Bounded`) of the schema. Where the schema has a fixed column the means are by group, and the
            guarantee is spent once, not once a group.
        guarantee, request_id
            As in `table`.
        mechanism : specification, optional
            `discreet.mechanisms.Laplace()` or `Gaussian()`; None is the best for the guarantee.

        Raises
        ------
        As `table`.

        Examples
        --------
        >>> import pandas as pd
        >>> from discreet import Bounded, Curator, PureDP, Schema
        >>> records = pd.DataFrame({"sex": ["f", "m"] * 100, "age": [30, 50] * 100})
        >>> schema = Schema({"sex": ["f", "m"], "age": Bounded(0, 100, step=1)}, fixed="sex", complete=True)
        >>> with Curator(records, schema, budget=PureDP(1)) as curator:
        ...     curator.mean("age", PureDP(1)).shape
        (2, 1)
        """
        release: MeanRelease = self._release(request_id, "mean", columns, guarantee, mechanism)
        return release

    def moments(
        self,
        columns: str | Sequence[str],
        guarantee: Guarantee,
        mechanism: MomentsSpecification | None = None,
        *,
        request_id: str | None = None,
    ) -> MomentsRelease:
        """Release means and covariances of numeric columns: what comparisons of means, and their intervals, are made from.

        Parameters
        ----------
        columns, guarantee, request_id
            As in `mean`. Every declared group needs two records.
        mechanism : specification, optional
            `discreet.mechanisms.EntrywiseLaplace()`, `EntrywiseGaussian()` or `ED()`, which is idealised and never the
            default; None is the best of the first two for the guarantee.

        Raises
        ------
        As `table`.
        """
        release: MomentsRelease = self._release(request_id, "moments", columns, guarantee, mechanism)
        return release

    def histogram(
        self,
        column: str | Sequence[str],
        bins: int | Sequence[int],
        guarantee: Guarantee,
        mechanism: TableSpecification | None = None,
        *,
        request_id: str | None = None,
    ) -> HistogramRelease:
        """Release the counts of equal cells of a column's declared bounds; spends its cost, or refuses and spends nothing.

        Parameters
        ----------
        column : str or sequence of str
            A numeric column, or several, whose boxes are then counted. A missing value counts as the column's declared
            `missing=` value (by default the middle of its bounds), a value outside of the bounds as the nearer bound.
        bins : int or sequence of int
            The number of cells, the same for every column or one for each; chosen without looking at the records.
        guarantee : Guarantee
        mechanism : specification, optional
            As for `table`: Laplace under PureDP by default, else the projected Gaussian.
        request_id : str, optional
            See `table`, also for the errors.
        """
        release: HistogramRelease = self._release(request_id, "histogram", column, bins, guarantee, mechanism)
        return release

    def series(self, column: str, terms: int, guarantee: Guarantee, *, request_id: str | None = None) -> SeriesRelease:
        """Release the first `terms` coefficients of a column's density in the cosine basis of its declared bounds.

        Parameters
        ----------
        column : str
            A numeric column; missing values and values outside of the bounds count as in `histogram`.
        terms : int
            m, from 1 to 100; chosen without looking at the records.
        guarantee : Guarantee
            Laplace noise under PureDP, else Gaussian, scaled to the exact sensitivity of all m coefficients together. The
            number of records must be public (not under add-remove).
        request_id : str, optional
            See `table`, also for the errors.
        """
        release: SeriesRelease = self._release(request_id, "series", column, terms, guarantee)
        return release

    def cdf(
        self, column: str, guarantee: Guarantee, points: int | None = None, *, request_id: str | None = None
    ) -> CdfRelease:
        """Release a column's distribution function at the edges of `points` equal cells of its declared bounds.

        Parameters
        ----------
        column : str
            A numeric column; missing values and values outside of the bounds count as in `histogram`.
        guarantee : Guarantee
            GaussianDP, ZeroConcentratedDP or ApproxDP: the noise is Gaussian. The number of records must be public.
        points : int, optional
            From 2 to 8,192; the noise grows with its logarithm only. None: 1,024, or the column's grid steps if fewer.
        request_id : str, optional
            See `table`, also for the errors.
        """
        release: CdfRelease = self._release(request_id, "cdf", column, guarantee, points)
        return release

    def sample(
        self,
        column: str,
        size: int | None,
        guarantee: Guarantee,
        mechanism: SampleSpecification | None = None,
        *,
        request_id: str | None = None,
    ) -> SampleRelease:
        """Release synthetic values of a column, drawn as a whole from a private law near the records' distribution.

        Parameters
        ----------
        column : str
            A numeric column; missing values and values outside of the bounds count as in `histogram`.
        size : int or None
            How many points; None: a public default from the number of records and epsilon.
        guarantee : PureDP
            It is kept exactly. A budget of another kind is charged what this epsilon implies. The number of records must be
            public (not under add-remove).
        mechanism : specification, optional
            `discreet.mechanisms.Exponential(...)`, by default with the KS distance, or `SmoothedHistogram(...)`.
        request_id : str, optional
            See `table`, also for the errors.
        """
        release: SampleRelease = self._release(request_id, "sample", column, size, guarantee, mechanism)
        return release

    def select(
        self,
        columns: str | Sequence[str],
        guarantee: Guarantee,
        candidates: Sequence[str] | None = None,
        score: Any = None,
        *,
        sensitivity: int | None = None,
        request_id: str | None = None,
    ) -> SelectionRelease:
        """Release which of a public list of candidates scores best, or nearly so: the exponential mechanism.

        Parameters
        ----------
        columns : str or sequence of str
            Categorical columns, whose table of counts is scored.
        guarantee : PureDP
            It is kept exactly. A budget of another kind is charged what this epsilon implies.
        candidates : sequence of str, optional
            The names of the candidates. None, without a score: the cells of the table, each scored by its count, so that the
            most frequent one is sought.
        score : matrix of whole numbers, or function, optional
            A matrix has one row a candidate and one column a cell (row-major; then one for the other cell, or 0 is taken), and
            a score is the sum of its row's entries over the records. A function takes the tuple of all counts (the other cell
            last) and returns the whole-number scores; it is asked for all tables of n records, and refused where these are too
            many. Either way the exact sensitivity is computed.
        sensitivity : int, optional
            The sensitivity that is believed to hold; where the exact one is larger, the call is refused.
        request_id : str, optional
            See `table`, also for the errors.
        """
        release: SelectionRelease = self._release(
            request_id, "select", columns, guarantee, candidates, score, sensitivity
        )
        return release

    def price(self, verb: str, *args: Any, **kwargs: Any) -> Price:
        """What `verb`'s call would cost and how accurate it would be: `curator.price("table", columns, guarantee)`.

        Spends nothing and reads nothing but what is public: n, and the sizes of the groups of a fixed column.
        """
        kwargs.pop("request_id", None)
        return price(self._plan(verb, *args, **kwargs), self.ledger)

    def check(self) -> Diagnosis:
        """A CONFIDENTIAL diagnostic of records that do not match the schema, for the curator's own eyes; spends nothing."""
        return self.__records.diagnose()

    def _release(self, request_id: str | None, verb: str, *args: Any) -> Any:
        return carry_out(self._plan(verb, *args), self.__records, self.ledger, request_id)

    def _make(self, plan: Plan, request_id: str, *, charged: bool) -> Any:
        """A plan that `discreet.curator.batch` has priced; `charged`: its process died after its charge."""
        return (take_up if charged else carry_out)(plan, self.__records, self.ledger, request_id)

    def _plan(self, verb: str, *args: Any, **kwargs: Any) -> Plan:
        if verb not in FAMILIES:
            raise InvalidInput(f"unknown verb {verb!r}; this curator releases: {', '.join(FAMILIES)}")
        if self.schema.unit is not None and verb not in OF_PERSONS:
            raise NotAvailable(
                f"{verb} is for records of one person each; with unit={self.schema.unit!r} there are {', '.join(OF_PERSONS)}"
            )
        planner = getattr(import_module(f"discreet.curator.releasing.{FAMILIES[verb]}"), f"plan_{verb}")
        try:
            plan: Plan = planner(self.schema, self._public_size, self.ledger.currency, *args, **kwargs)
        except TypeError as wrong:
            if "argument" not in str(wrong):
                raise
            raise InvalidInput(f"{verb} takes other arguments: {str(wrong).replace(f'plan_{verb}', verb)}") from None
        return plan

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
