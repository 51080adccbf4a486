"""The sensitivity under swaps: brute force over every table, the numbers of the literature, and what the paper bounds."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.lab import testbed
from discreet.lab.testbed.sensitivity import CELL_FUNCTIONS
from discreet.lab.testbed.statistics import STATISTICS, expected_cells

NUMBERS = [
    # margins: chi2, lr, ll, diff
    ((6, 8), (5, 9), 5.9888888889, 8.2597580932, 2.9957322736, 4),
    ((3, 7), (4, 6), 5.1587301587, 6.4532307939, 2.1972245773, 4),
    ((10, 10), (10, 10), 7.2, 13.0033189357, 4.6051701860, 4),
    ((600, 400), (550, 450), 7.3905723906, 18.7545302849, 8.3695571926, 4),
    ((3, 4, 5), (4, 4, 4), 8.5, 8.9973623139, 2.7725887222, 4),
    ((2, 3, 4), (3, 3, 3), 7, 7.6381700195, 2.1972245773, 4),
    ((6, 1, 1), (6, 1, 1), 7.7777777778, 5.4067345064, 1.7917594692, 2.75),
    ((5, 3, 2), (4, 4, 2), 8.75, 8.3177661667, 2.4849066498, 4),
    ((2, 8), (5, 3, 2), 8.125, 7.7766129576, 2.3025850930, 4),
    ((300, 300, 400), (500, 250, 250), 13.28, 27.0193435000, 11.5129254650, 4),
    ((512, 329), (400, 441), 6.8870228837, 17.2255147665, 7.6084365072, 4),
    ((7, 1, 1), (3, 3, 3), 0.8571428571, 1.0464962875, 0.4054651081, 1.3333333333),
]


@pytest.mark.parametrize(("rows", "columns", "chi2", "lr", "ll", "diff"), NUMBERS)
def test_reference_numbers(rows, columns, chi2, lr, ll, diff):
    found = [testbed.sensitivity(name, rows, columns) for name in ("chi2", "lr", "ll", "diff")]
    assert found == pytest.approx([chi2, lr, ll, diff], abs=2e-8)


def margins_of(n, parts):
    return [m for m in combinations_with_replacement(range(1, n + 1), parts) if sum(m) == n]


def statistic(name):
    """The statistic itself, not its cell functions: so that the linear parts left out there are checked, too."""
    return lambda table: float(
        STATISTICS[name](table[None].astype(float), expected_cells(table[None].astype(float)))[0]
    )


SHAPES = [(2, 2, 9), (2, 3, 8), (3, 3, 6), (2, 4, 7), (3, 4, 6)]


@pytest.mark.parametrize(("r", "c", "largest"), SHAPES)
@pytest.mark.parametrize("name", CELL_FUNCTIONS)
def test_every_table_on_every_margin(r, c, largest, name):
    checked = 0
    for n in range(max(r, c), largest + 1):
        for rows in margins_of(n, r):
            for columns in margins_of(n, c):
                exact = testbed.brute_force_sensitivity(statistic(name), rows, columns)
                assert testbed.sensitivity(name, rows, columns) == pytest.approx(exact, abs=1e-9), (rows, columns)
                checked += 1
    assert checked > 5


def test_the_paper_bounds_are_valid_and_sometimes_too_large():
    for name in ("chi2", "lr", "ll"):
        for rows in margins_of(9, 3):
            for columns in margins_of(9, 3):
                bound, exact = (f(name, rows, columns) for f in (testbed.paper_bound, testbed.sensitivity))
                assert bound >= exact - 1e-12
    printed = [testbed.paper_bound(name, (7, 1, 1), (3, 3, 3)) for name in ("chi2", "lr", "ll")]
    assert printed == pytest.approx([1.7142857, 3.8190850, 1.0986123], abs=5e-8)
    assert testbed.paper_bound("lr", (5, 4, 1), (7, 2, 1)) == pytest.approx(7.7766129576, abs=1e-9)
    assert testbed.sensitivity("lr", (5, 4, 1), (7, 2, 1)) == pytest.approx(5.0040242354, abs=1e-9)
    assert testbed.paper_bound("diff", (7, 1, 1), (3, 3, 3)) == 4
    with pytest.raises(NotAvailable, match="use `sensitivity`"):
        testbed.paper_bound("chi2", (2, 8), (5, 3, 2))


def test_a_cell_function_of_ones_own():
    def fourth(x, expected):
        return (x - expected) ** 4

    exact = testbed.brute_force_sensitivity(
        lambda t: float(((t - np.outer(t.sum(1), t.sum(0)) / t.sum()) ** 4).sum()), (3, 4, 2), (4, 3, 2)
    )
    assert testbed.sensitivity(fourth, (3, 4, 2), (4, 3, 2)) == pytest.approx(exact)
    with pytest.raises(NotApplicable, match="not convex"):
        testbed.sensitivity(lambda x, expected: np.sqrt(x), (3, 4), (4, 3))
    with pytest.raises(InvalidInput, match="finite number"):
        testbed.sensitivity(lambda x, expected: np.log(x), (3, 4), (4, 3))


def test_margins_that_leave_one_table():
    assert testbed.sensitivity("chi2", (0, 5), (2, 3)) == 0
    assert testbed.brute_force_sensitivity(lambda t: float(t[0, 0]), (0, 5), (2, 3)) == 0


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ((3, 4), (4, 4), "one sum"),
        ((0, 0), (0, 0), "one sum"),
        ((3,), (3,), "two or more"),
        ((-1, 4), (1, 2), "at least 0"),
        ((1.5, 1.5), (1, 2), "whole numbers"),
    ],
)
def test_bad_margins(rows, columns, message):
    with pytest.raises(InvalidInput, match=message):
        testbed.sensitivity("chi2", rows, columns)


def test_an_unknown_statistic_names_the_known_ones():
    with pytest.raises(InvalidInput, match="'chi2', 'lr', 'll', 'diff'"):
        testbed.sensitivity("chi", (3, 4), (4, 3))


def test_too_many_tables_and_a_statistic_that_is_not_finite():
    with pytest.raises(NotAvailable, match="more than 50 tables"):
        testbed.brute_force_sensitivity(lambda t: 0.0, (30, 30), (20, 20, 20), most=50)
    with pytest.raises(InvalidInput, match="must be finite"):
        testbed.brute_force_sensitivity(lambda t: float("nan"), (3, 3), (3, 3))
