"""Output perturbation's sensitivities against all tables and all neighbours, for small n."""

import math

import numpy as np
import pytest

from discreet import lab
from discreet.errors import InvalidInput, NotAvailable


def compositions(n, cells):
    if cells == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, cells - 1):
            yield (first, *rest)


def independence_statistic(table, name):
    """From the definition, empty rows and columns left out."""
    n, total = sum(map(sum, table)), 0.0
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            expected = rows[i] * columns[j] / n
            if expected and name == "chi2":
                total += (count - expected) ** 2 / expected
            elif count:
                total += 2 * count * math.log(count / expected)
    return total


def brute_force(values, same_sample):
    """The largest difference between two tables of which one record differs; `same_sample(a, b)` says whether a move is one."""
    largest = 0.0
    for cells, value in values.items():
        for a, count in enumerate(cells):
            for b in range(len(cells)):
                if count and a != b and same_sample(a, b):
                    moved = list(cells)
                    moved[a], moved[b] = moved[a] - 1, moved[b] + 1
                    other = values.get(tuple(moved))
                    if other is not None:
                        largest = max(largest, abs(value - other))
    return largest


def grid(cells, columns):
    return [cells[i : i + columns] for i in range(0, len(cells), columns)]


@pytest.mark.parametrize("name", ["chi2", "lr"])
@pytest.mark.parametrize(
    ("rows", "columns", "n"), [(2, 2, 6), (2, 2, 9), (2, 3, 5), (3, 2, 5), (3, 3, 3), (3, 3, 4), (3, 3, 5)]
)
def test_independence(name, rows, columns, n):
    values = {t: independence_statistic(grid(t, columns), name) for t in compositions(n, rows * columns)}
    found = brute_force(values, lambda a, b: True)
    design = lab.independence_design(np.full(rows, 1 / rows), np.full(columns, 1 / columns), n)
    claimed = lab.output_sensitivity(design, name)
    if (rows, columns, name) == (3, 3, "chi2") and n > 3:
        assert found <= claimed <= 1.09 * found  # the one bound that is not reached
    else:
        assert claimed == pytest.approx(found)


def test_four_rows_reach_the_bound_of_chi2():
    before, after = np.diag([1, 1, 1, 6]), np.diag([0, 1, 1, 6])
    after[1, 2] = 1
    change = independence_statistic(before.tolist(), "chi2") - independence_statistic(after.tolist(), "chi2")
    design = lab.independence_design([0.25] * 4, [0.25] * 4, 9)
    assert change == pytest.approx(lab.output_sensitivity(design)) == pytest.approx(1.75 * 9)


@pytest.mark.parametrize("n", [2, 5, 10])
def test_positive_margins(n):
    values = {
        t: independence_statistic(grid(t, 2), "chi2")
        for t in compositions(n, 4)
        if t[0] + t[1] and t[2] + t[3] and t[0] + t[2] and t[1] + t[3]
    }
    design = lab.independence_design([0.5, 0.5], [0.5, 0.5], n)
    claimed = lab.output_sensitivity(design, positive_margins=True)
    assert claimed == pytest.approx(brute_force(values, lambda a, b: True)) if n > 2 else claimed == 2.0


def test_the_sensitivity_of_a_thousand_records():
    """Wang, Lee and Kifer (2015): 1000 - 499.5 between their two tables."""
    design = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000)
    first, second = (independence_statistic(t, "chi2") for t in ([[1, 0], [0, 999]], [[1, 1], [0, 998]]))
    assert (
        first - second
        == pytest.approx(lab.output_sensitivity(design, positive_margins=True))
        == pytest.approx(500.5005005)
    )


@pytest.mark.parametrize(
    "theta", [(0.5, 0.5), (0.1, 0.9), (0.2, 0.3, 0.5), (1 / 3, 1 / 3, 1 / 3), (0.05, 0.25, 0.3, 0.4)]
)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_goodness_of_fit(theta, n):
    for name in ("chi2", "lr"):
        values = {}
        for table in compositions(n, len(theta)):
            pairs = list(zip(table, theta, strict=True))
            values[table] = (
                sum((x - n * p) ** 2 / (n * p) for x, p in pairs)
                if name == "chi2"
                else 2 * sum(x * math.log(x / (n * p)) for x, p in pairs if x)
            )
        claimed = lab.output_sensitivity(lab.fit_design(theta, n), name)
        assert claimed == pytest.approx(brute_force(values, lambda a, b: True))


@pytest.mark.parametrize("name", ["chi2", "lr"])
@pytest.mark.parametrize(
    ("sizes", "cells"), [((3, 3), 2), ((2, 5), 2), ((1, 4), 3), ((4, 4), 3), ((2, 3, 3), 3), ((2, 2, 4), 2)]
)
def test_homogeneity(name, sizes, cells):
    tables = [()]
    for size in sizes:
        tables = [(*table, *row) for table in tables for row in compositions(size, cells)]
    values = {t: independence_statistic(grid(t, cells), name) for t in tables}
    found = brute_force(values, lambda a, b: a // cells == b // cells)
    claimed = lab.output_sensitivity(lab.homogeneity_design(np.full(cells, 1 / cells), sizes), name)
    if len(sizes) > 2 and cells == 2 and name == "chi2":
        assert found <= claimed
    else:
        assert claimed == pytest.approx(found)


def test_what_is_refused():
    square = lab.independence_design([0.5, 0.5], [0.5, 0.5], 10)
    with pytest.raises(NotAvailable, match="'chi2' and 'lr', not 'projected'"):
        lab.output_sensitivity(square, "projected")
    with pytest.raises(InvalidInput, match="2 x 2"):
        lab.output_sensitivity(lab.fit_design([0.5, 0.5], 10), positive_margins=True)
