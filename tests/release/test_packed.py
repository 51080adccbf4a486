"""Long tables in JSON: packed in one block that any language reads, and that cannot fill the reader's memory."""

import base64
import json
import zlib

import numpy as np
import pytest

from discreet.errors import FormatError
from discreet.release import TableRelease, load
from discreet.release.integers import Integers
from discreet.release.io import dumps, loads
from discreet.release.packed import MOST_AS_TEXT, packed, unpacked
from discreet.schema import Schema

SIZE = MOST_AS_TEXT + 1
DRAWN = np.random.default_rng(5).integers(-(2**62), 2**62, SIZE)


def table(drawn):
    return TableRelease(Schema({"a": list(range(len(drawn)))}, complete=True), ("a",), drawn, 20, "Laplace", 4.0)


def test_a_long_table_is_packed_and_a_short_one_is_text(tmp_path):
    release = table(Integers(DRAWN))
    assert loads(dumps(release)) == release
    block = json.loads(dumps(release))["drawn"]
    assert sorted(block) == ["data", "encoding", "integers"]
    by_hand = np.frombuffer(zlib.decompress(base64.b64decode(block["data"])), "<i8")
    assert np.array_equal(by_hand, DRAWN)
    short = table(Integers(DRAWN[:-1]))
    assert json.loads(dumps(short))["drawn"] == [str(y) for y in DRAWN[:-1]]
    short.save(tmp_path / "t.json")
    assert load(tmp_path / "t.json") == short


def test_a_long_table_as_text_is_read_too():
    release = table(Integers(DRAWN))
    text = json.loads(dumps(release)) | {"drawn": [str(y) for y in DRAWN]}
    assert loads(json.dumps(text)) == release


def test_numbers_beyond_64_bits_are_text():
    assert packed(Integers([2**63] * SIZE)) == [str(2**63)] * SIZE


GOOD = packed(Integers(DRAWN))
SHORTER = base64.b64encode(zlib.compress(DRAWN[:-1].tobytes())).decode()
LONGER = base64.b64encode(zlib.compress(np.append(DRAWN, 1).tobytes())).decode()
BOMB = base64.b64encode(zlib.compress(bytes(8 * 10**7), 9)).decode()


@pytest.mark.parametrize(
    "change",
    [
        {"encoding": "base64"},
        {"more": 1},
        {"integers": SIZE - 1},
        {"integers": float(SIZE)},
        {"integers": True},
        {"integers": 0},
        {"integers": 10**12},
        {"data": None},
        {"data": "not base64!"},
        {"data": GOOD["data"][:-8]},
        {"data": GOOD["data"] + "AAAA"},
        {"data": base64.b64encode(b"not zlib").decode()},
        {"data": SHORTER},
        {"data": LONGER},
        {"data": BOMB},
        {"data": "é" * 8},
    ],
    ids=range(16),
)
def test_a_wrong_block_is_refused(change):
    with pytest.raises(FormatError, match="drawn"):
        unpacked("drawn", GOOD | change)


def test_a_block_of_little_that_becomes_much_is_not_unpacked():
    """80 MB in 80 kB: no more than the stated number of integers is ever written out."""
    import tracemalloc

    tracemalloc.start()
    with pytest.raises(FormatError):
        unpacked("drawn", GOOD | {"data": BOMB, "integers": 1000})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 10**6
