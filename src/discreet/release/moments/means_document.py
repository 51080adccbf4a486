"""Released means as a JSON document and back: what is stored, how to read it without this program, and every check."""

from __future__ import annotations

from discreet.release.io import Document, Kind, register
from discreet.release.moments.means import MeanRelease
from discreet.release.moments.means_text import statement
from discreet.release.parts import (
    cost_document,
    cost_part,
    guarantee_part,
    keys,
    number,
    schema_part,
    typed,
    versions_part,
    whole_numbers,
)

READING = (
    "A column's values are clamped to [lower, upper] and coded by their step from lower; without a step in the schema it is "
    "(upper - lower)/65536. drawn holds the noisy sum of each column's codes times 2^exponent, one row a group, one entry a "
    "column; the groups are the labels of the schema's fixed column, then, unless the schema is complete, the undeclared "
    "ones. A mean is lower + step (drawn / 2^exponent) / (records in the group). A noise scale is that of the sum of codes."
)

TEXTS = ("guaranteed", "reading")  # for people; `load` does not believe them
NUMBERS = ("schema", "columns", "noise", "n", "group_sizes", "exponents", "drawn")
SHARED = ("guarantee", "cost", "versions")


def to_document(release: MeanRelease) -> Document:
    """What the file of released means says."""
    return {"guaranteed": statement(release), "reading": READING, **shared_document(release), **numbers(release)}


def from_document(document: Document) -> MeanRelease:
    """The means that a document describes; `FormatError` or `InvalidInput` where it describes none."""
    keys("the file", document, (*TEXTS, *SHARED, *NUMBERS))
    for part in TEXTS:
        typed(part, document[part], str)
    return means_of(document, document)


def shared_document(release: MeanRelease) -> Document:
    """What was promised, what it took, and by which programs."""
    return {
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "cost": cost_document(release.cost),
        "versions": dict(release.versions),
    }


def numbers(release: MeanRelease) -> Document:
    """The drawn numbers and all that their reading needs."""
    return {
        "schema": release.schema.to_dict(),
        "columns": list(release.column_names),
        "noise": {"mechanism": release.mechanism, "scales": list(release.scales)},
        "n": release.n,
        "group_sizes": None if release.group_sizes is None else list(release.group_sizes),
        "exponents": list(release.exponents),
        "drawn": [str(y) for y in release.drawn],
    }


def means_of(found: Document, shared: Document) -> MeanRelease:
    """The means whose numbers are in `found` and whose guarantee, cost and versions are in `shared`."""
    noise, sizes = typed("noise", found["noise"], dict), found["group_sizes"]
    keys("noise", noise, ("mechanism", "scales"))
    return MeanRelease(
        schema=schema_part(found["schema"]),
        column_names=tuple(typed("a column", name, str) for name in typed("columns", found["columns"], list)),
        drawn=whole_numbers(found["drawn"]),
        exponents=exponents_part("exponents", found["exponents"]),
        mechanism=typed("noise.mechanism", noise["mechanism"], str),
        scales=numbers_part("noise.scales", noise["scales"]),
        n=typed("n", found["n"], int),
        guarantee=guarantee_part(shared["guarantee"]),
        cost=cost_part(shared["cost"]),
        versions=versions_part(shared["versions"]),
        group_sizes=None
        if sizes is None
        else tuple(typed("a group size", size, int) for size in typed("group_sizes", sizes, list)),
    )


def exponents_part(name: str, value: object) -> tuple[int, ...]:
    """A list of integers."""
    return tuple(typed(f"a number of {name}", k, int) for k in typed(name, value, list))


def numbers_part(name: str, value: object) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(number(f"a number of {name}", x) for x in typed(name, value, list))


register(Kind("mean", MeanRelease, to_document, from_document))
