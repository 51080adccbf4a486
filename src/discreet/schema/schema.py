"""What is public about the records: the columns with their categories or bounds, the row cap, and what a neighbour is.

A schema is declared by the curator and never learnt from the data, because a category, a bound or a column that is taken
from the records tells something about them before any noise is added. It also says which two tables are *neighbours*
(`adjacency`, `fixed`), and who is protected (`unit`, `max_records`), for that decides what every guarantee means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from discreet.errors import InvalidInput
from discreet.schema import toml
from discreet.schema.canonical import Category
from discreet.schema.checks import check_unit, known_keys, unknown_name, whole
from discreet.schema.columns import Bounded, Categorical

__all__ = ["Adjacency", "Bounded", "Categorical", "Column", "Schema"]

Adjacency = Literal["replace-one", "add-remove"]
_ADJACENCIES = ("replace-one", "add-remove")
_MAX_ROWS = 2**40

Column = Categorical | Bounded

_OPTIONS = ("complete", "fixed", "adjacency", "max_rows", "unit", "max_records")


@dataclass(frozen=True, eq=False)
class Schema:
    """The public description of the records; frozen, hashable, and exact in TOML and JSON.

    Parameters
    ----------
    columns : mapping
        From each column's name to its `Categorical`, `Bounded`, or a list of categories.
    complete : bool
        The public promise that no value is a stray: tables have no extra cell, and a stray counts as the first category.
    fixed : str, optional
        A categorical column whose labels are public: neighbours differ in one record with the same label there.
    adjacency : "replace-one" or "add-remove"
        Whether neighbours differ by replacing one record (n is public) or by one record more (n is not).
    max_rows : int
        A public cap on the number of records, at most 2**40.
    unit : str, optional
        The column that says whose record it is, e.g. "patient_id": text or whole numbers, and none of `columns`. Then a person
        is protected with all of her records, and `adjacency` speaks of persons. None: every record is a person of its own.
    max_records : int, optional
        k, with `unit` only, from 1 to 2**20: how many records of one person count. Of more, k are taken by a pseudo-random
        order, which is a function of that person's records alone.

    Examples
    --------
    >>> from discreet import Bounded, Schema
    >>> schema = Schema({"smoking": ["no", "yes"], "age": Bounded(0, 120, step=1)})
    >>> schema.columns["smoking"].labels
    ('no', 'yes')
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    columns: Mapping[str, Column]
    complete: bool
    fixed: str | None
    adjacency: Adjacency
    max_rows: int
    unit: str | None
    max_records: int | None

    def __init__(
        self,
        columns: Mapping[str, Column | Sequence[Category]],
        *,
        complete: bool = False,
        fixed: str | None = None,
        adjacency: Adjacency = "replace-one",
        max_rows: int = _MAX_ROWS,
        unit: str | None = None,
        max_records: int | None = None,
    ) -> None:
        if not isinstance(columns, Mapping) or not columns:
            raise InvalidInput("columns must be a mapping such as {'smoking': ['no', 'yes']} with at least one column")
        if not isinstance(complete, bool):
            raise InvalidInput(f"complete must be True or False, got {complete!r}")
        if adjacency not in _ADJACENCIES:
            raise InvalidInput(f"adjacency must be one of {', '.join(map(repr, _ADJACENCIES))}, got {adjacency!r}")
        whole("max_rows", max_rows, 40)
        declared = {_column_name(name): _column(name, column) for name, column in columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(declared))
        object.__setattr__(self, "complete", complete)
        object.__setattr__(self, "adjacency", adjacency)
        object.__setattr__(self, "max_rows", max_rows)
        if fixed is not None:
            self.categorical(fixed)
        object.__setattr__(self, "fixed", fixed)
        check_unit(unit, max_records, declared, fixed)
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "max_records", max_records)

    @property
    def n_is_public(self) -> bool:
        """Whether the number of records is: not where one may be added, nor where a replaced person may have another number."""
        return self.adjacency == "replace-one" and self.unit is None

    @property
    def protected(self) -> str:
        """Who is protected, as a ledger notes it: "record", or the persons of the unit, however many records count."""
        return "record" if self.unit is None else f"person: {self.unit}"

    @property
    def most_records(self) -> int:
        """How many records a neighbour can differ in: k of a person, or 1."""
        return 1 if self.max_records is None else self.max_records

    def categorical(self, name: str) -> Categorical:
        """The categorical column `name`; `InvalidInput` where it is not declared or numeric."""
        column = self.columns.get(name) if isinstance(name, str) else None
        if column is None:
            raise unknown_name("column", name, self.columns)
        if not isinstance(column, Categorical):
            raise InvalidInput(f"column {name!r} is numeric (Bounded); this needs a categorical column")
        return column

    def numeric(self, name: str) -> Bounded:
        """The numeric column `name`, fit for exact sums; `InvalidInput` where it is not declared or categorical.

        Its grid must be one that doubles can tell apart and whose sums fit 128 bits: see `Bounded.grid_refusal`.
        """
        column = self.columns.get(name) if isinstance(name, str) else None
        if column is None:
            raise unknown_name("column", name, self.columns)
        if not isinstance(column, Bounded):
            raise InvalidInput(f"column {name!r} is categorical; this needs a numeric column: Bounded(lower, upper)")
        if refusal := column.grid_refusal:
            raise InvalidInput(f"column {name!r}: {refusal}")
        return column

    def select(self, names: Iterable[str]) -> Schema:
        """The part of the schema that concerns `names`, in their order (and the fixed column, which no part can lack)."""
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            if name not in self.columns:
                raise unknown_name("column", name, self.columns)
        if self.fixed is not None and self.fixed not in wanted:
            wanted.append(self.fixed)
        return self._with({name: self.columns[name] for name in wanted})

    def _with(self, columns: Mapping[str, Column]) -> Schema:
        return Schema(columns, **{name: getattr(self, name) for name in _OPTIONS})

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON and TOML hold exactly."""
        columns: dict[str, Any] = {}
        for name, column in self.columns.items():
            if isinstance(column, Categorical):
                columns[name] = list(column.categories)
            else:
                numbers = {key: getattr(column, key) for key in ("lower", "upper", "step", "missing")}
                columns[name] = {key: value for key, value in numbers.items() if value is not None}
        return {
            "complete": self.complete,
            **({} if self.fixed is None else {"fixed": self.fixed}),
            "adjacency": self.adjacency,
            "max_rows": self.max_rows,
            **({} if self.unit is None else {"unit": self.unit, "max_records": self.max_records}),
            "columns": columns,
        }

    @classmethod
    def from_dict(cls, declared: Mapping[str, Any]) -> Schema:
        """The schema that `to_dict` wrote."""
        options = known_keys("the schema", declared, ("columns", *_OPTIONS))
        columns = options.pop("columns", None)
        if not isinstance(columns, Mapping):
            raise InvalidInput("the schema needs a table 'columns' that maps each name to its categories or bounds")
        parsed: dict[str, Column | Sequence[Category]] = {}
        for name, column in columns.items():
            if isinstance(column, Mapping):
                bounds = known_keys(f"column {name!r}", column, ("lower", "upper", "step", "missing"))
                if not {"lower", "upper"} <= set(bounds):
                    raise InvalidInput(f"column {name!r}: bounds need both lower and upper")
                parsed[name] = Bounded(**bounds)
            else:
                parsed[name] = column
        return cls(parsed, **options)

    @classmethod
    def from_toml(cls, path: str | Path) -> Schema:
        """Read a schema file: `complete = true`, then a table [columns] with `smoking = ["no", "yes"]`."""
        return cls.from_dict(toml.read(path))

    def to_toml(self, path: str | Path) -> None:
        """Write the schema file that `from_toml` reads."""
        toml.write(path, self.to_dict())

    @property
    def _identity(self) -> tuple[object, ...]:
        return (tuple(self.columns.items()), *(getattr(self, name) for name in _OPTIONS))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema.from_dict, (self.to_dict(),)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __repr__(self) -> str:
        columns = ", ".join(
            f"{name!r}: {list(column.categories) if isinstance(column, Categorical) else column!r}"
            for name, column in self.columns.items()
        )
        options = [
            text
            for text, shown in (
                ("complete=True", self.complete),
                (f"fixed={self.fixed!r}", self.fixed is not None),
                (f"adjacency={self.adjacency!r}", self.adjacency != "replace-one"),
                (f"max_rows={self.max_rows}", self.max_rows != _MAX_ROWS),
                (f"unit={self.unit!r}, max_records={self.max_records}", self.unit is not None),
            )
            if shown
        ]
        return f"Schema({', '.join([f'{{{columns}}}', *options])})"


def _column_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"a column name must be non-empty text, got {name!r}")
    return name


def _column(name: object, column: object) -> Column:
    if isinstance(column, Categorical | Bounded):
        return column
    try:
        return Categorical(column)  # type: ignore[arg-type]
    except InvalidInput as error:
        raise InvalidInput(f"column {name!r}: {error}") from None
