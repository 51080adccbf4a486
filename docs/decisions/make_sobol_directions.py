"""Writes src/discreet/noise/sobol_directions.npy: what Sobol points need of the first 1,024 dimensions.

The numbers are the set new-joe-kuo-6 of S. Joe and F. Y. Kuo (terms: src/discreet/noise/SOBOL_NOTICE.md). They are
taken from the copy that scipy ships, so that nothing is downloaded:

    python docs/decisions/make_sobol_directions.py

One row a dimension, unsigned 16-bit: first the primitive polynomial, its coefficients as bits (x^3 + x + 1 is 11);
then the initial direction numbers m_1, m_2, ... up to its degree, and zeros. The first dimension (van der Corput) has
no recurrence: all its direction numbers are 1.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

DIMENSIONS = 1024

source = Path(find_spec("scipy").submodule_search_locations[0]) / "stats" / "_sobol_direction_numbers.npz"
target = Path(__file__).parents[2] / "src" / "discreet" / "noise" / "sobol_directions.npy"

with np.load(source) as numbers:
    polynomials, initial = numbers["poly"][:DIMENSIONS], numbers["vinit"][:DIMENSIONS]

degree = int(polynomials.max()).bit_length() - 1
assert not initial[:, degree:].any(), "an initial number beyond the degree of its polynomial"
np.save(target, np.column_stack([polynomials, initial[:, :degree]]).astype(np.uint16), allow_pickle=False)
