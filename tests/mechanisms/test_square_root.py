"""The square root of the cumulative sum: the factorisation, its inverse and its sensitivity, against plain matrices."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import linalg

from discreet.errors import InvalidInput
from discreet.mechanisms.densities.square_root import UNIT, SquareRoot


def matrix(column):
    return linalg.toeplitz(column, np.zeros(len(column)))


@pytest.mark.parametrize("cells", [2, 3, 8, 65, 257])
def test_the_factor_squared_is_the_cumulative_sum_up_to_its_rounding(cells):
    c = matrix(SquareRoot(cells).factor / UNIT)
    assert np.abs(c @ c - np.tril(np.ones((cells - 1, cells - 1)))).max() < cells / UNIT


@pytest.mark.parametrize("cells", [2, 3, 8, 65])
def test_the_way_back_is_the_exact_inverse_of_the_integers(cells):
    """In fractions: A C^-1, whose first column the weights are."""
    c = [Fraction(int(v), UNIT) for v in SquareRoot(cells).factor]
    exact = []
    for t in range(cells - 1):
        exact.append(1 - sum(c[k] * exact[t - k] for k in range(1, t + 1)))
    assert SquareRoot(cells).weights == pytest.approx([float(w) for w in exact], rel=1e-13)


@pytest.mark.parametrize("cells", [2, 3, 4, 9, 64])
def test_the_sensitivity_is_that_of_the_farthest_pair_of_cells(cells):
    root = SquareRoot(cells)
    images = np.array([root.sums(x) for x in np.eye(cells, dtype=int)])
    apart = np.abs(images[:, None] - images[None])
    assert root.sensitivity.l2_squared == (apart**2).sum(-1).max()
    assert root.sensitivity.l1 == apart.sum(-1).max()


def test_sums_are_exact_for_as_many_records_as_a_schema_allows():
    root = SquareRoot(5)
    c = root.factor.tolist()
    x = [2**38, 3, 2**39, 0, 2**20]
    assert root.sums(x) == [sum(c[t - s] * x[s] for s in range(t + 1)) for t in range(4)]


@pytest.mark.parametrize("cells", [0, 1, 2**13 + 1, 2.0, True, None])
def test_numbers_of_points_that_are_refused(cells):
    with pytest.raises(InvalidInput, match="2 to 8192"):
        SquareRoot(cells)
