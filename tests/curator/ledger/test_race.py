"""Races of eight separate processes that start at one word: exactly the budget is granted, sixty times out of sixty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP

KINDS = [(PureDP(1.2), "epsilon", 12), (GaussianDP(0.4), "mu", 16), (ApproxDP(1.0, 1e-3), "approx", 10)]
RUNS = 10


@pytest.fixture
def new_fast_place(backend: str, request: pytest.FixtureRequest, fast_folder: Path) -> Callable[[], str]:
    if backend == "postgres":
        return request.getfixturevalue("server").address
    numbers = iter(range(1000))
    return lambda: str(fast_folder / f"{next(numbers)}.ledger")


def run(racers: list, tasks: list[dict]) -> list[dict]:
    """The barrier: the word is given when all have opened the ledger."""
    for racer, task in zip(racers, tasks, strict=True):
        racer.send({"do": "race", **task})
    for racer in racers:
        assert racer.answer() == "ready"
    for racer in racers:
        racer.send("go")
    return [racer.answer() for racer in racers]


@pytest.mark.parametrize("kind", KINDS, ids=["epsilon", "mu", "approx"])
def test_ten_races_grant_exactly_the_budget(new_fast_place, racers, kind) -> None:
    """Ten runs, three budgets, two back ends: sixty; 32 attempts each for 10 to 16 grants."""
    budget, currency, grants = kind
    for _ in range(RUNS):
        place = new_fast_place()
        Ledger.create(place, budget)
        tasks = [{"place": place, "name": f"{i}", "cost": 0.1, "attempts": 4} for i in range(len(racers))]
        answers = run(racers, tasks)
        granted = [request_id for answer in answers for request_id in answer["granted"]]
        ledger = Ledger(place)
        assert {problem for answer in answers for problem in answer["refused"]} == {"budget"}
        assert sorted(granted) == sorted(entry.request_id for entry in ledger.entries())
        assert len(granted) == grants
        assert ledger.currency == currency


def test_one_id_in_many_processes_is_charged_once(new_fast_place, racers) -> None:
    for _ in range(3):
        place = new_fast_place()
        Ledger.create(place, PureDP(10.0))
        answers = run(racers, [{"place": place, "same": True, "cost": 0.1, "attempts": 8}] * len(racers))
        granted = [request_id for answer in answers for request_id in answer["granted"]]
        assert sorted(granted) == [f"{i}" for i in range(8)]
        assert all("spent, not released" in problem for answer in answers for problem in answer["refused"])
        assert len(Ledger(place).entries()) == 8


def test_a_race_through_two_names_of_one_file(fast_folder: Path, racers) -> None:
    path, link = fast_folder / "x.ledger", fast_folder / "link"
    Ledger.create(path, PureDP(1.2))
    link.symlink_to(path)
    names = [str(path), str(link)] * 4
    answers = run(racers, [{"place": n, "name": f"{i}", "cost": 0.1, "attempts": 4} for i, n in enumerate(names)])
    assert sum(len(answer["granted"]) for answer in answers) == 12
    assert Ledger(path).spent == 1.2


def test_a_race_with_a_witness(new_fast_place, racers, fast_folder: Path) -> None:
    place = new_fast_place()
    Ledger.create(place, PureDP(1.2), witness=fast_folder / "w")
    answers = run(racers, [{"place": place, "name": f"{i}", "cost": 0.1, "attempts": 4} for i in range(len(racers))])
    assert sum(len(answer["granted"]) for answer in answers) == 12
    text = (fast_folder / "w").read_text()
    assert all(entry.head in text for entry in Ledger(place).entries())
