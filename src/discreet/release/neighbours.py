"""Who is protected by a release, in words: what its schema says of neighbours."""

from __future__ import annotations

from discreet.errors import InvalidInput
from discreet.release.labels import shortened
from discreet.schema import Schema


def neighbours(schema: Schema) -> str:
    """The second half of a guarantee: "... with respect to neighbours in which " + this.

    Examples
    --------
    >>> from discreet import Schema
    >>> neighbours(Schema({"smoking": ["no", "yes"]}))
    'one record is replaced by any other (the number of records is public)'
    >>> neighbours(Schema({"smoking": ["no", "yes"]}, unit="patient", max_records=5, adjacency="add-remove"))
    "one person ('patient') is added or removed with all records (of which at most 5 count)"
    """
    if schema.unit is not None:
        person, most = f"one person ({shortened(schema.unit)!r})", schema.max_records
        if schema.adjacency == "add-remove":
            return f"{person} is added or removed with all records (of which at most {most} count)"
        return (
            f"{person} is replaced by any other with all records (of each at most {most} count; "
            "the number of records is not public)"
        )
    if schema.fixed is not None:
        label = f"label of {shortened(schema.fixed)!r}"
        return f"one record is replaced by any other with the same {label} (these labels and their numbers are public)"
    if schema.adjacency == "add-remove":
        return "one record is added or removed"
    return "one record is replaced by any other (the number of records is public)"


def check_n(schema: Schema, n: int | None) -> None:
    """Refuse a number of records where it is not public."""
    if n is None or schema.n_is_public:
        return
    if schema.unit is not None:
        raise InvalidInput(f"n is not public where persons have several records (unit={schema.unit!r}); leave it out")
    raise InvalidInput("n is not public under adjacency='add-remove'; leave it out")
