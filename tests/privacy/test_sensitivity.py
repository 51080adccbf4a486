"""The declared sensitivity of a statistic is the largest that neighbours reach, no more and no less.

Every set of up to three records, every neighbour of it: the search is exhaustive, so the maximum it finds is exact, and the
rank of the differences it finds is the dimension of the sensitivity space.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import Sensitivity
from discreet.privacy.sensitivity import SensitivitySpace, mean, table, table_space


def replaced(values, *, same=lambda _old, _new: True):
    """All pairs of neighbours with up to three records where one is replaced."""
    for size in (1, 2, 3):
        for records in product(values, repeat=size):
            for where in range(size):
                for new in values:
                    if same(records[where], new):
                        yield records, (*records[:where], new, *records[where + 1 :])


def one_more(values):
    for size in (0, 1, 2):
        for records in product(values, repeat=size):
            for new in values:
                yield records, (*records, new)
                yield (*records, new), records


def search(pairs, statistic):
    """The largest L1 and squared L2 distances, and all differences as rows."""
    moved = [statistic(neighbour) - statistic(records) for records, neighbour in pairs]
    differences = np.unique(np.array(moved), axis=0)
    return np.abs(differences).sum(1).max(), (differences**2).sum(1).max(), differences


def counts(cells):
    return lambda records: np.bincount(np.array(records, int), minlength=cells)


def agrees(found, declared, space):
    l1, l2_squared, differences = found
    assert (l1, l2_squared) == (declared.l1, declared.l2_squared)
    assert np.linalg.matrix_rank(differences) == space.dimension
    assert all(space.contains(difference) for difference in differences)
    assert space.size == differences.shape[1]


@pytest.mark.parametrize(("cells", "other"), [(2, False), (3, False), (2, True), (4, True)])
def test_a_table_when_one_record_is_replaced(cells, other):
    found = search(replaced(range(cells + other)), counts(cells + other))
    agrees(found, table("replace-one"), table_space(cells, other=other))


@pytest.mark.parametrize(("cells", "other"), [(1, False), (3, False), (3, True)])
def test_a_table_when_one_record_is_added_or_removed(cells, other):
    found = search(one_more(range(cells + other)), counts(cells + other))
    agrees(found, table("add-remove"), table_space(cells, "add-remove", other=other))


@pytest.mark.parametrize(("labels", "cells", "other"), [(2, 2, False), (3, 2, False), (2, 2, True), (1, 3, True)])
def test_a_table_by_a_fixed_column(labels, cells, other):
    """With strays, the records without a declared label are one more group, and each has an other cell."""
    groups, in_a_group = labels + other, cells + other
    kinds = [(g, j) for g in range(groups) for j in range(in_a_group)]
    pairs = replaced(kinds, same=lambda old, new: old[0] == new[0])
    found = search(pairs, lambda records: counts(groups * in_a_group)([g * in_a_group + j for g, j in records]))
    space = table_space(cells, groups=groups, other=other)
    agrees(found, table("replace-one", fixed="g"), space)
    assert space.dimension == (groups * cells if other else groups * (cells - 1))
    # and without the fixed column, summed over the groups
    summed = search(
        replaced(kinds, same=lambda old, new: old[0] == new[0]),
        lambda records: counts(in_a_group)([j for _, j in records]),
    )
    assert summed[:2] == (2, 2)


@pytest.mark.parametrize("widths", [(1.0,), (1.0, 0.5), (2.0, 0.25, 1.5)])
def test_the_mean_of_bounded_vectors(widths):
    corners = list(product(*[(0.0, width) for width in widths]))
    pairs = [(r, s) for r, s in replaced(corners) if len(r) == 2]
    l1, l2_squared, differences = search(pairs, lambda records: np.mean(records, axis=0))
    declared = mean(widths, n=2)
    assert l1 == pytest.approx(float(declared.l1), rel=1e-15)
    assert l2_squared == pytest.approx(float(declared.l2_squared), rel=1e-15)
    assert np.linalg.matrix_rank(differences) == SensitivitySpace(1, len(widths), False).dimension


def test_the_mean_is_exact_in_the_decimals_that_were_typed():
    assert mean([0.1, 0.2], n=3) == Sensitivity(Fraction(1, 10), Fraction(5, 900))
    assert mean([3.0], n=10).l2 == 0.3


@pytest.mark.parametrize(
    "space",
    [SensitivitySpace(1, 4), SensitivitySpace(3, 2), SensitivitySpace(2, 3, False), SensitivitySpace(4, 1)],
    ids=str,
)
def test_projector_and_basis(space):
    projector, basis = space.projector(), space.span()
    np.testing.assert_allclose(projector @ projector, projector, atol=1e-14)
    np.testing.assert_allclose(projector, projector.T, atol=1e-15)
    assert np.trace(projector) == pytest.approx(space.dimension)
    assert basis.shape == (space.size, space.dimension)
    np.testing.assert_allclose(basis.T @ basis, np.eye(space.dimension), atol=1e-14)
    np.testing.assert_allclose(basis @ basis.T, projector, atol=1e-14)
    x = np.random.default_rng(1).normal(size=(5, space.size))
    np.testing.assert_allclose(space.project(x), x @ projector, atol=1e-14)
    k, c = space.groups, space.cells
    written_out = np.kron(np.eye(k), np.eye(c) - space.fixed_totals / c)
    np.testing.assert_allclose(projector, written_out, atol=1e-14)


def test_declared():
    assert table("replace-one") == Sensitivity(l1=2, l2_squared=2)
    assert table("replace-one").l2 == 2**0.5
    assert table("add-remove") == Sensitivity(l1=1, l2_squared=1)
    assert table_space(4).dimension == 3
    assert table_space(4, other=True).dimension == 4
    assert not table_space(3).contains([1, 0, 0])
    assert SensitivitySpace(1000, 1000).project(np.zeros(10**6)).shape == (10**6,)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: table("swap"), InvalidInput, "replace-one"),
        (lambda: table("add-remove", fixed="sex"), NotAvailable, "no number of records is public"),
        (lambda: table_space(4, "add-remove", groups=2), NotAvailable, "group sizes"),
        (lambda: table_space(0), InvalidInput, "at least 1"),
        (lambda: table_space(2, groups=0), InvalidInput, "groups must be"),
        (lambda: mean([1.0], 5, "add-remove"), NotAvailable, "divides by n"),
        (lambda: mean([1.0], 0), InvalidInput, "n must be"),
        (lambda: mean([], 5), InvalidInput, "widths"),
        (lambda: mean([0.0], 5), InvalidInput, "above 0"),
        (lambda: mean([float("inf")], 5), InvalidInput, "finite"),
        (lambda: SensitivitySpace(1, 5000).projector(), InvalidInput, "use .project"),
        (lambda: SensitivitySpace(1, 4).project([1, 2]), InvalidInput, "4 entries"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
