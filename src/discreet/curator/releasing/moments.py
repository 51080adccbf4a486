"""The releases of means, and of means and covariances: what is summed, which noise, and how it goes through the gate."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator.releasing.coordinates import Coordinates
from discreet.curator.releasing.expected_error import covariance_accuracy, mean_accuracy, note_on_ed
from discreet.curator.releasing.idealised import draw_covariance
from discreet.curator.releasing.plan import Plan, PublicSize, Records, Sums, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import DiscreetError, InvalidInput, NotAvailable
from discreet.mechanisms import MeanSpecification, MomentsSpecification, default_for_mean, default_for_moments
from discreet.mechanisms.moments.covariance import CovarianceMechanism
from discreet.mechanisms.moments.means import MeanMechanism
from discreet.privacy import Cost
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release import MeanRelease, MomentsRelease
from discreet.release.groups import Groups, groups_of
from discreet.release.moments.coded import numeric_columns
from discreet.release.moments.covariance_draws import CovarianceDraws, EntryDraws, IdealisedDraws, triangle
from discreet.release.moments.means_validation import MOST_COLUMNS, MOST_COLUMNS_OF_MOMENTS
from discreet.schema import Schema

Columns = str | Sequence[str]


def plan_mean(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    columns: Columns,
    guarantee: Guarantee,
    mechanism: MeanSpecification | None = None,
) -> Plan:
    """Check and price means of `columns` before anything is charged; every error here is free and data-independent."""
    names, steps, groups = _public(schema, public, columns, least=1, most=MOST_COLUMNS)
    chosen = default_for_mean(guarantee) if mechanism is None else mechanism
    if isinstance(chosen, type) or not hasattr(chosen, "for_mean"):
        raise InvalidInput(f"mechanism must be one for means, such as discreet.mechanisms.Laplace(), not {mechanism!r}")
    reached = chosen.for_mean(steps, guarantee, schema.adjacency)
    cost = reached.cost(currency)
    part, sums = schema.select(names), _sums(reached, names, groups)
    sums.check()

    def make(records: Records) -> MeanRelease:
        found = _read(records, names, groups, products=False)
        return _means(part, names, sums.draw([group.sums for group in found]), reached, public, guarantee, cost)

    return Plan(
        verb="mean",
        specification=specification(
            "mean",
            part,
            columns=names,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scales=[scale.hex() for scale in reached.scales],
        ),
        schema=schema,
        cost=cost,
        accuracy=mean_accuracy(schema, names, reached, groups),
        mechanism=reached.name,
        make=make,
    )


def plan_moments(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    columns: Columns,
    guarantee: Guarantee,
    mechanism: MomentsSpecification | None = None,
) -> Plan:
    """Check and price means and covariances of `columns`; every error here is free and data-independent."""
    names, steps, groups = _public(schema, public, columns, least=2, most=MOST_COLUMNS_OF_MOMENTS)
    chosen = default_for_moments(guarantee) if mechanism is None else mechanism
    if isinstance(chosen, type) or not hasattr(chosen, "for_moments"):
        raise InvalidInput(
            f"mechanism must be one for moments, such as discreet.mechanisms.EntrywiseLaplace(), not {mechanism!r}"
        )
    smallest = min(groups.sizes[: groups.declared])
    reached = chosen.for_moments(steps, smallest, guarantee, schema.adjacency)
    cost = reached.cost(currency)
    part, sums = schema.select(names), _sums(reached.mean, names, groups)
    entries = None if reached.idealised else _entries(reached.covariance, names, groups)
    sums.check()
    if entries is not None:
        entries.check()

    def make(records: Records) -> MomentsRelease:
        found = _read(records, names, groups, products=True)
        means = _means(part, names, sums.draw([group.sums for group in found]), reached.mean, public, guarantee, cost)
        return MomentsRelease(means, _covariances(found, steps, reached.name, reached.covariance, entries))

    return Plan(
        verb="moments",
        specification=specification(
            "moments",
            part,
            columns=names,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scales=[scale.hex() for scale in reached.mean.scales],
            covariance=_covariance_specification(reached.covariance),
        ),
        schema=schema,
        cost=cost,
        accuracy={**mean_accuracy(schema, names, reached.mean, groups), **covariance_accuracy(reached, smallest)},
        mechanism=reached.name,
        make=make,
        notes=note_on_ed(reached, smallest),
    )


def centred_products(group: Sums) -> tuple[int, ...]:
    """The upper triangle of round((n Q - s s')/(n - 1)), row by row, halves up; 0 below two records."""
    n, s = group.n, group.sums
    if n < 2:
        return (0,) * len(triangle(len(s)))
    return tuple((2 * (n * group.products[a][b] - s[a] * s[b]) + n - 1) // (2 * (n - 1)) for a, b in triangle(len(s)))


def _public(
    schema: Schema, public: PublicSize, columns: Columns, *, least: int, most: int
) -> tuple[tuple[str, ...], tuple[int, ...], Groups]:
    """Names, steps and groups, or the reason why there are none."""
    if schema.adjacency != "replace-one" or public.n is None:
        raise NotAvailable(
            "means and covariances divide by n, which is not public under adjacency "
            f"{schema.adjacency!r}; declare adjacency='replace-one', or release a table"
        )
    if not isinstance(columns, Sequence):
        raise InvalidInput(f"columns must be a name or a list of names, not {columns!r}")
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    numeric = numeric_columns(schema, names)
    if len(names) > most:
        raise InvalidInput(f"{len(names)} columns: at most {most} are released at once")
    return names, tuple(c.steps for c in numeric), groups_of(schema, public.n, public.groups, least=least)


def _sums(mechanism: MeanMechanism, names: tuple[str, ...], groups: Groups) -> Coordinates:
    """The sums of codes: at most n J each."""
    largest = max(groups.sizes)
    return Coordinates(
        mechanism.family,
        mechanism.scales,
        tuple(largest * j for j in mechanism.steps),
        signed=False,
        names=tuple(f"the sum of {name!r}" for name in names),
    )


def _entries(mechanism: CovarianceMechanism, names: tuple[str, ...], groups: Groups) -> Coordinates:
    """The entries of C: a variance of codes is at most J^2 n/(4 (n - 1)), so |C_ab| <= J_a J_b n^2/(4 (n - 1)) and a half."""
    assert mechanism.family is not None
    assert mechanism.entry_scales is not None
    n, steps, places = max(2, *groups.sizes), mechanism.steps, triangle(len(names))
    return Coordinates(
        mechanism.family,
        tuple(mechanism.entry_scales[a][b] for a, b in places),
        tuple(steps[a] * steps[b] * n * n // (4 * (n - 1)) + 1 for a, b in places),
        signed=True,
        names=tuple(f"the covariance of {names[a]!r} and {names[b]!r}" for a, b in places),
    )


def _read(records: Records, names: tuple[str, ...], groups: Groups, *, products: bool) -> Sequence[Sums]:
    found = records.sums(names, products=products)
    if tuple(group.n for group in found) != groups.sizes:
        raise DiscreetError("the records changed since they were counted")
    return found


def _means(
    part: Schema,
    names: tuple[str, ...],
    drawn: tuple[tuple[int, ...], tuple[int, ...]],
    mechanism: MeanMechanism,
    public: PublicSize,
    guarantee: Guarantee,
    cost: Cost,
) -> MeanRelease:
    assert public.n is not None
    integers, exponents = drawn
    return MeanRelease(
        schema=part,
        column_names=names,
        drawn=integers,
        exponents=exponents,
        mechanism=mechanism.name,
        scales=mechanism.scales,
        n=public.n,
        guarantee=guarantee,
        cost=cost,
        versions=versions(),
        group_sizes=public.groups,
    )


def _covariances(
    found: Sequence[Sums],
    steps: tuple[int, ...],
    name: str,
    mechanism: CovarianceMechanism,
    entries: Coordinates | None,
) -> CovarianceDraws:
    if entries is not None:
        integers, exponents = entries.draw([centred_products(group) for group in found])
        return EntryDraws(name, mechanism.name, entries.scales, exponents, integers)
    assert mechanism.eigenvalue_scale is not None
    assert mechanism.exponent is not None
    matrices = tuple(draw_covariance(group, steps, mechanism) for group in found)
    return IdealisedDraws(mechanism.eigenvalue_scale, mechanism.exponent, matrices)


def _covariance_specification(mechanism: CovarianceMechanism) -> object:
    if mechanism.entry_scales is not None:
        return [[scale.hex() for scale in row] for row in mechanism.entry_scales]
    return {"eigenvalue_scale": mechanism.eigenvalue_scale, "exponent": mechanism.exponent}
