"""The tables of counts behind the figures: some come with the package, others are read from a folder that the user names."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotAvailable

Integers = NDArray[np.int64]

BUNDLED = Path(__file__).with_name("tables")


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of records by several variables: `cells` has one axis a variable, its categories in order of appearance."""

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    cells: Integers

    def margin(self, *names: str, **where: str) -> Integers:
        """The table of the named variables, over the records with the given categories.

        >>> read("czech").margin("smoking", "mental_work", family_history="positive").tolist()
        [[57, 71], [77, 55]]
        """
        unknown = sorted({*names, *where} - set(self.names))
        if unknown:
            raise InvalidInput(f"the table has no column {unknown[0]!r}, only {', '.join(self.names)}")
        cells: Integers = self.cells
        kept = list(self.names)
        for name, category in where.items():
            axis = kept.index(name)
            labels = self.labels[self.names.index(name)]
            if category not in labels:
                raise InvalidInput(f"{name} has no category {category!r}, only {', '.join(labels)}")
            cells = np.take(cells, [labels.index(category)], axis).squeeze(axis)
            kept.pop(axis)
        others = tuple(k for k, name in enumerate(kept) if name not in names)
        left = [name for name in kept if name in names]
        return np.ascontiguousarray(cells.sum(others).transpose([left.index(name) for name in names]))


def read(name: str, folder: str | os.PathLike[str] | None = None) -> Counts:
    """A table by its file's name without .csv: one row a cell, the last column its count.

    Parameters
    ----------
    name : str
    folder : path, optional
        Where to look. None: among the tables that come with the package.

    Raises
    ------
    NotAvailable
        The file is not there.
    InvalidInput
        The file does not hold a table of counts.
    """
    file = (BUNDLED if folder is None else Path(folder)) / f"{name}.csv"
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except OSError as problem:
        raise NotAvailable(f"cannot read the table {os.fspath(file)!r}: {problem.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"{os.fspath(file)!r} is not a CSV file of text") from None
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInput(f"{os.fspath(file)!r} must have a header and rows of one length, the last column the count")
    names, body = tuple(rows[0][:-1]), rows[1:]
    if not all(row[-1].isascii() and row[-1].isdigit() for row in body):
        raise InvalidInput(f"the last column of {os.fspath(file)!r} must hold counts, whole numbers of at least 0")
    labels = tuple(tuple(dict.fromkeys(column)) for column in zip(*(row[:-1] for row in body), strict=True))
    cells = np.zeros([len(categories) for categories in labels], np.int64)
    for row in body:
        where = tuple(categories.index(label) for categories, label in zip(labels, row[:-1], strict=True))
        cells[where] += int(row[-1])
    return Counts(names, labels, cells)


def read_given(name: str, folder: str | os.PathLike[str] | None, what: str) -> Counts:
    """A table that does not come with the package."""
    if folder is None:
        raise NotAvailable(
            f"this figure needs {what}, which does not come with the package: name the folder that holds {name}.csv (one row a "
            "cell, the last column its count) with --data, in Python data="
        )
    return read(name, folder)
