"""Simulations in chunks: the same numbers for any number of workers, and after any interruption."""

import subprocess
import sys
import time

import joblib
import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.lab.chunks import simulate

SETTING = {"law": "normal", "scale": 2.0}


def normal(rng, count):
    return {"x": rng.normal(size=count), "sign": rng.integers(0, 2, count)}


def test_the_same_numbers_for_any_number_of_workers(tmp_path):
    alone = simulate(normal, 2300, configuration=SETTING, seed=4, chunk=250)
    for options in ({"n_jobs": 2}, {"store": tmp_path}, {"store": tmp_path, "n_jobs": 2}):
        again = simulate(normal, 2300, configuration=SETTING, seed=4, chunk=250, **options)
        assert all(np.array_equal(alone[name], again[name]) for name in alone)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        threads = simulate(normal, 2300, configuration=SETTING, seed=4, chunk=250, n_jobs=None)
    assert np.array_equal(alone["x"], threads["x"])


@pytest.mark.parametrize("change", [{"seed": 5}, {"configuration": {**SETTING, "scale": 3.0}}])
def test_other_seeds_and_configurations_give_other_numbers(change):
    options = {"configuration": SETTING, "seed": 4} | change
    assert not np.array_equal(
        simulate(normal, 500, configuration=SETTING, seed=4)["x"], simulate(normal, 500, **options)["x"]
    )


def test_chunks_are_independent():
    x = simulate(normal, 5000, configuration=SETTING, seed=4, chunk=10)["x"]
    assert len(np.unique(x)) == 5000


def test_an_interrupted_study_goes_on(tmp_path):
    calls = []

    def fails_once(rng, count):
        calls.append(count)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return normal(rng, count)

    with pytest.raises(KeyboardInterrupt):
        simulate(fails_once, 1000, configuration=SETTING, seed=4, chunk=100, store=tmp_path)
    seen = []
    resumed = simulate(
        fails_once,
        1000,
        configuration=SETTING,
        seed=4,
        chunk=100,
        store=tmp_path,
        progress=lambda *done: seen.append(done),
    )
    assert len(calls) == 4 + 7  # three chunks were kept
    assert seen[0] == (300, 1000)
    assert seen[-1] == (1000, 1000)
    assert np.array_equal(resumed["x"], simulate(normal, 1000, configuration=SETTING, seed=4, chunk=100)["x"])
    more = simulate(fails_once, 1200, configuration=SETTING, seed=4, chunk=100, store=tmp_path)
    assert len(calls) == 4 + 7 + 2
    assert np.array_equal(more["x"][:1000], resumed["x"])


KILLED = """
import sys, time
from discreet.lab.chunks import simulate

def slow(rng, count):
    time.sleep(0.2)
    return {"x": rng.normal(size=count)}

print("ready", flush=True)
simulate(slow, 10_000, configuration={"law": "slow"}, seed=1, chunk=10, store=sys.argv[1])
"""


def test_a_killed_study_leaves_whole_chunks(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    while not list(tmp_path.rglob("chunk-*.parquet")):
        time.sleep(0.05)
        assert child.poll() is None
    child.kill()
    child.communicate()
    kept = len(list(tmp_path.rglob("chunk-*.parquet")))
    calls = []

    def quick(rng, count):
        calls.append(count)
        return {"x": rng.normal(size=count)}

    simulate(quick, 10 * (kept + 2), configuration={"law": "slow"}, seed=1, chunk=10, store=tmp_path)
    assert len(calls) == 2


def test_a_damaged_chunk_is_simulated_again(tmp_path):
    first = simulate(normal, 300, configuration=SETTING, seed=4, chunk=100, store=tmp_path)
    file = sorted(tmp_path.rglob("chunk-*.parquet"))[1]
    file.write_bytes(file.read_bytes()[:50])
    again = simulate(normal, 300, configuration=SETTING, seed=4, chunk=100, store=tmp_path)
    assert np.array_equal(first["x"], again["x"])


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        (lambda rng, count: 1 / 0, {}, "law = normal, scale = 2.0 failed: ZeroDivisionError"),
        (lambda rng, count: {"x": np.zeros(count + 1)}, {}, r"\['x'\] that does not have"),
        (lambda rng, count: {}, {}, "returned a column"),
        (normal, {"repetitions": 0}, "repetitions"),
        (normal, {"chunk": 0}, "chunk"),
        (normal, {"seed": -1}, "seed"),
        (normal, {"store": "/dev/null/x"}, "cannot store"),
    ],
)
def test_bad_input(task, options, message):
    given = {"repetitions": 10, "configuration": SETTING, "seed": 1} | options
    with pytest.raises(InvalidInput, match=message):
        simulate(task, given.pop("repetitions"), **given)
