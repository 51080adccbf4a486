"""Candidates of a selection from a CSV file: a line each, with what a record in each cell of the table adds to its score."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import FormatError, InvalidInput

if TYPE_CHECKING:
    from discreet.schema import Schema

LARGEST_FILE = 2**26  # bytes
OTHER = "other"


@dataclass(frozen=True)
class Candidates:
    """Names, and whole numbers: one row a candidate, one column a cell."""

    names: list[str] | None = None
    score: list[list[int]] | None = None


def read_candidates(path: Path | None, schema: Schema, columns: list[str]) -> Candidates:
    """The candidates of the file; none, so that the cells themselves are chosen from, without a file.

    Its first line names the cells: `candidate`, then the labels of each cell joined by " & " (as a selection without a score
    names them) in any order, then perhaps `other` for the records outside of the declared cells, which else score 0.
    """
    if path is None:
        return Candidates()
    cells = [" & ".join(labels) for labels in product(*(schema.categorical(name).labels for name in columns))]
    head, *lines = _lines(path)
    named = [name.strip() for name in head[1:]]
    wanted = [*cells, *([OTHER] if named[-1:] == [OTHER] and OTHER not in cells else [])]
    if sorted(named) != sorted(wanted):
        raise FormatError(
            f"the first line of {str(path)!r} must be a name, then the cells {', '.join(map(repr, cells[:6]))}"
            + (f" and {len(cells) - 6:,} more" if len(cells) > 6 else "")
            + "; then one line for each candidate"
        )
    places = [named.index(name) for name in wanted]
    names, score = [], []
    for number, line in enumerate(lines, start=2):
        if len(line) != len(head):
            raise FormatError(f"line {number} of {str(path)!r} has {len(line)} entries; the first line has {len(head)}")
        try:
            values = [int(entry) for entry in line[1:]]
        except ValueError:
            raise FormatError(f"line {number} of {str(path)!r} must be a name and then whole numbers") from None
        names.append(line[0].strip())
        score.append([values[place] for place in places])
    return Candidates(names, score)


def _lines(path: Path) -> list[list[str]]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FormatError(f"{str(path)!r} is too large for a list of candidates")
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if line]
    except OSError as problem:
        raise InvalidInput(f"cannot read {str(path)!r}: {problem.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise FormatError(f"{str(path)!r} is not a CSV file in UTF-8") from None
    if len(lines) < 2:
        raise FormatError(
            f"{str(path)!r} needs a first line with the names of the cells, and a line for each candidate"
        )
    return lines
