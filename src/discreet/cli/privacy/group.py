"""`discreet privacy`: what a guarantee implies, and what several make together. Reads no records."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType

from discreet.cli.boundary import usage_error
from discreet.cli.options import Json, Mu, Rho, example, guarantee_of
from discreet.cli.output import emit, facts, heading, warning
from discreet.cli.privacy import curves
from discreet.cli.privacy.parts import PARTS_HELP, guarantee_of_text, parts_of, rounded_up
from discreet.cli.progress import working
from discreet.errors import NotAvailable

if TYPE_CHECKING:
    from discreet.privacy import Guarantee

group = typer.Typer(
    no_args_is_help=True,
    help="Convert, compose and draw guarantees. Reads no records and spends nothing.",
    short_help="Convert, compose and draw guarantees.",
)

LEVEL = 0.05


class Kind(StrEnum):
    """What `--to` may be."""

    PURE = "pure"
    GDP = "gdp"
    ZCDP = "zcdp"
    APPROX = "approx"


At = Annotated[
    float, typer.Option("--delta", metavar="X", help="The delta at which an approximate guarantee is stated.")
]


@group.command(
    "convert",
    epilog=example(
        "discreet privacy convert --epsilon 0.5",
        "discreet privacy convert --mu 1 --to approx --delta 1e-6",
        "discreet privacy convert approx:1,1e-6 --to gdp",
    ),
)
def convert(
    guarantee: Annotated[
        str | None,
        typer.Argument(metavar="KIND:NUMBER", help="For example pure:0.5 or approx:1,1e-6.", show_default=False),
    ] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", metavar="X", help="Pure DP.")] = None,
    mu: Mu = None,
    rho: Rho = None,
    to: Annotated[
        Kind | None,
        typer.Option("--to", metavar="KIND", help="pure, gdp, zcdp or approx; without it, all.", show_default=False),
    ] = None,
    delta: At = 1e-6,
    as_json: Json = False,
) -> None:
    """The strongest guarantees of other kinds that a guarantee implies, or why it implies none."""
    options = sum(option is not None for option in (epsilon, mu, rho))
    if options + (guarantee is not None) != 1:
        raise usage_error("give one guarantee: --epsilon, --mu, --rho, or KIND:NUMBER")
    given = guarantee_of(epsilon, None, mu, rho) if guarantee is None else guarantee_of_text(guarantee)
    implied: dict[str, Guarantee | str] = {}
    for kind in Kind if to is None else (to,):
        try:
            implied[kind.value] = implied_by(given, kind, delta)
        except NotAvailable as reason:
            if to is not None:
                raise
            implied[kind.value] = str(reason)
    data: dict[str, Any] = {
        "command": "privacy convert",
        "guarantee": given.to_dict(),
        "implied": {kind: None if isinstance(g, str) else g.to_dict() for kind, g in implied.items()},
        "refused": {kind: g for kind, g in implied.items() if isinstance(g, str)},
        **_meaning(given),
    }
    emit(data, lambda: _converted(given, implied), as_json=as_json)


def implied_by(given: Guarantee, kind: Kind, delta: float) -> Guarantee:
    """The strongest guarantee of that kind, at that delta; `NotAvailable` with the reason where there is none."""
    from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

    if given.kind == kind.value and kind is not Kind.APPROX:
        return given
    if kind is Kind.PURE:
        raise NotAvailable(
            f"{given!r} implies no pure guarantee: rare outputs may be arbitrarily likelier under one neighbour"
        )
    if kind is Kind.GDP:
        return given.to_gaussian()
    if kind is Kind.ZCDP:
        if isinstance(given, (PureDP, GaussianDP)):
            return given.to_zero_concentrated()
        assert not isinstance(given, ZeroConcentratedDP)
        raise NotAvailable(f"{given!r} implies no rho-zCDP: with probability delta anything may be told")
    reached = given.epsilon(delta)
    if reached == float("inf"):
        raise NotAvailable(f"{given!r} implies no epsilon at delta = {delta:g}; choose a larger --delta")
    if reached == 0:
        raise NotAvailable(
            f"{given!r} implies epsilon = 0 already at a smaller delta than {delta:g}; choose a smaller --delta"
        )
    return ApproxDP(reached, delta)


@group.command(
    "compose",
    epilog=example(
        "discreet privacy compose gdp:0.3 gdp:0.4",
        "discreet privacy compose pure:0.5 gdp:1",
        "discreet privacy compose laplace-table:4x10 gdp:0.5 --delta 1e-9",
    ),
)
def compose(
    parts: Annotated[list[str], typer.Argument(metavar="KIND:NUMBER", help=PARTS_HELP, show_default=False)],
    delta: At = 1e-6,
    as_json: Json = False,
) -> None:
    """What several releases of the same records promise together."""
    from discreet.privacy import Composed
    from discreet.privacy import compose as library_compose

    with working("composing"):
        together = library_compose(*parts_of(parts))
        at = together.epsilon(delta)
        mu, meaning = _mu(together), _meaning(together)
    data: dict[str, Any] = {
        "command": "privacy compose",
        "parts": parts,
        "guarantee": None if isinstance(together, Composed) else together.to_dict(),
        "mu": mu,
        "epsilon": at,
        "delta": delta,
        **meaning,
    }

    def view() -> RenderableType:
        pairs: list[tuple[str, RenderableType]] = []
        if not isinstance(together, Composed):
            pairs.append(("guarantee", str(together)))
        pairs += [
            ("Gaussian DP", f"mu = {rounded_up(mu)}" if mu < float("inf") else "implied for no mu"),
            ("approximate", _pair(at, delta)),
            *_meaning_in_words(meaning),
        ]
        return Group(heading("Composition of " + " and ".join(parts), "chosen adaptively or not"), "", facts(pairs))

    emit(data, view, as_json=as_json)


def _mu(given: Guarantee) -> float:
    """The mu that it implies; infinite where none is known."""
    try:
        return float(given.to_gaussian().to_dict()["mu"])
    except NotAvailable:
        return float("inf")


def _meaning(given: Guarantee) -> dict[str, float]:
    """What it means to a tester: the most power at level .05, and the most by which odds are multiplied."""
    return {"level": LEVEL, "max_power": given.max_power(LEVEL), "bayes_factor": given.bayes_factor()}


def _meaning_in_words(meaning: dict[str, float]) -> list[tuple[str, RenderableType]]:
    odds = meaning["bayes_factor"]
    return [
        ("power", f"at most {rounded_up(meaning['max_power'])} for a test about one record at level .05"),
        (
            "odds",
            f"multiplied by at most {rounded_up(odds)}" if odds < float("inf") else "no bound on what one output does",
        ),
    ]


def _converted(given: Guarantee, implied: dict[str, Guarantee | str]) -> RenderableType:
    words: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
        "pure": ("pure DP", lambda d: f"epsilon = {rounded_up(d['epsilon'])}"),
        "gdp": ("Gaussian DP", lambda d: f"mu = {rounded_up(d['mu'])}"),
        "zcdp": ("zero-concentrated", lambda d: f"rho = {rounded_up(d['rho'])}"),
        "approx": ("approximate", lambda d: _pair(d["epsilon"], d["delta"])),
    }
    pairs: list[tuple[str, RenderableType]] = []
    for kind, found in implied.items():
        name, say = words[kind]
        pairs.append((name, warning(f"none: {found}") if isinstance(found, str) else say(found.to_dict())))
    return Group(heading(f"{given} implies"), "", facts([*pairs, *_meaning_in_words(_meaning(given))]))


def _pair(epsilon: float, delta: float) -> str:
    return f"epsilon = {rounded_up(epsilon)} at delta = {delta:g}"


group.command("tradeoff", epilog=curves.EXAMPLE)(curves.tradeoff)
