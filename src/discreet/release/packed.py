"""Many integers in a JSON document: as text one by one, or, where there are very many, packed in one block.

As text because other languages read JSON numbers as floats. Ten million of them would be 200 MB, and more than a gigabyte
while they are read, so longer vectors are packed: zlib's compression (RFC 1950) of the numbers as 64-bit integers, least
significant byte first, in base64 (RFC 4648). Any language reads that with its standard library, and the block says so.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from discreet.errors import FormatError
from discreet.release.integers import Integers

MOST_AS_TEXT = 10**5
"""Up to here a person may want to look, and the file is below 3 MB."""

MOST_PACKED = 2 * 10**7
"""Numbers in one block that is read: twice the largest table, 160 MB."""

READING = "base64 of zlib-compressed 64-bit integers, least significant byte first"
_LEVEL = 1  # the low bits are noise, which no level compresses: level 6 takes ten times as long to save 3 %
_WIDTH = 8


def packed(numbers: Integers) -> list[str] | dict[str, Any]:
    """What stands for the numbers in the document. Those beyond 64 bits are always text.

    Examples
    --------
    >>> from discreet.release.integers import Integers
    >>> packed(Integers([3, -1]))
    ['3', '-1']
    >>> packed(Integers([7] * 200_000))["integers"]
    200000
    """
    if len(numbers) <= MOST_AS_TEXT or numbers.array.dtype == object:
        return [str(y) for y in numbers]
    block = zlib.compress(numbers.array.astype("<i8").tobytes(), _LEVEL)
    return {"encoding": READING, "integers": len(numbers), "data": base64.b64encode(block).decode("ascii")}


def unpacked(name: str, value: dict[str, Any]) -> Integers:
    """The numbers of a block; `FormatError` unless it holds exactly as many as it says. Never more memory than that."""
    if set(value) != {"encoding", "integers", "data"} or value["encoding"] != READING or type(value["data"]) is not str:
        raise FormatError(f"{name} must be a list, or an object of encoding ({READING!r}), integers and data")
    size = value["integers"]
    if type(size) is not int or not 0 < size <= MOST_PACKED:
        raise FormatError(f"{name}.integers must be a number from 1 to {MOST_PACKED}")
    reader = zlib.decompressobj()
    try:
        content = reader.decompress(base64.b64decode(value["data"], validate=True), _WIDTH * size + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise FormatError(f"{name}.data is damaged") from None
    if len(content) != _WIDTH * size or not reader.eof or reader.unused_data:
        raise FormatError(f"{name}.data does not hold {size} integers")
    return Integers(np.frombuffer(content, "<i8"))
