"""How far one replaced record moves a covariance matrix: exact numbers in five norms, with their proofs.

Let S = sum (x_k - m)(x_k - m)'/(n - 1) be the covariance of n records in [-1, 1]^d with mean m. A record y is replaced by
y'; a is the mean of the other n - 1. Then

    S - S' = D/n,    D = uu' - vv' = (pq' + qp')/2,    u = y - a,  v = y' - a,  p = u - v = y - y',  q = u + v,

because the scatter of n points is that of n - 1 of them plus (n - 1)/n uu'. With t_i = |p_i|: t_i + |y_i + y'_i| <= 2 and
|a_i| <= 1, so t_i <= 2 and |q_i| <= 4 - t_i. Write T = sum t_i, P = |p|^2 = sum t_i^2 <= 2 T and Q = |q|^2 <= 16 d - 8 T + P.

*Entry.* |D_ij| = |p_i q_j + q_i p_j|/2 <= 2 t_i + 2 t_j - t_i t_j = 4 - (2 - t_i)(2 - t_j) <= 4. With a = (-1, ..., -1),
y = -a and y' = a, all entries are 4 at once. So the upper triangle moves by 2 d (d + 1)/n in L1 and sqrt(8 d (d + 1))/n in
L2, both attained (in the limit that all other records lie at a, which replace-one allows).

*Operator norm.* -|v|^2 <= x'Dx <= |u|^2 for unit vectors x, and |u|^2, |v|^2 <= 4 d: 4 d/n, attained there, too.

*Eigenvalues.* D has at most one eigenvalue of each sign, with trace pq' = |u|^2 - |v|^2 and sum of absolute values |p||q|.
By Mirsky's theorem the sorted eigenvalues of S and S' differ in L1 by at most |p||q|/n. For a given T, PQ rises in P, which
is largest where all t_i but one are 0 or 2: P = 4 j + r^2 and Q = 16 (d - j) + 4 j - 8 r + r^2, 0 <= r <= 2. The second
derivative of PQ in r is at least 32 d - 16 j - 48 >= 16 d - 32, as j <= d - 1, so for d >= 2 the largest value has r = 0 or
2 (for d = 1, r^2 (4 - r)^2 rises): |p||q| <= c_d = max over j of 4 sqrt(j (4 d - 3 j)). A y' = a in j coordinates and y = y'
at the far corner in the others attains |p||q| = c_d.

*Frobenius norm.* |D|^2 = (PQ + (p'q)^2)/2 and |p'q| <= sum t_i (4 - t_i) = 4 T - P, so it is at most
8 d P - 8 T P + P^2 + 8 T^2, convex in P on [T^2/d, 2 T]; with T = d t it is d^2 t^2 (4 - t)^2 at the one end and 4 T (4 d - T)
at the other, both at most 16 d^2: 4 d/n, attained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.privacy.parameters import round_up, whole


def covariance_sensitivity(d: int, n: int) -> dict[str, float]:
    """The largest change of the covariance of n records in [-1, 1]^d (divisor n - 1) when one record is replaced.

    Columns with other public bounds are rescaled to [-1, 1] first; n is public.

    Parameters
    ----------
    d : int
        Columns, at least 1.
    n : int
        Records, at least 2.

    Returns
    -------
    dict
        "operator" 4 d/n; "frobenius" 4 d/n; "eigenvalues", of the sorted eigenvalues in L1, c_d/n with
        c_d = max over 1 <= j <= d of 4 sqrt(j (4 d - 3 j)); "entrywise", of the upper triangle with the diagonal in L1,
        2 d (d + 1)/n; "gaussian", of the same in L2, sqrt(8 d (d + 1))/n. All but "eigenvalues" are attained; that one
        is attained by the nuclear norm, which bounds it. Each is rounded up.

    Notes
    -----
    The proofs stand at the head of this module. The diameter of the cube, 4 d/n, would be too small for the eigenvalues:
    for d = 2 and n = 100 they move by up to 8.89/n.

    Examples
    --------
    >>> covariance_sensitivity(3, 100)["entrywise"]
    0.24
    >>> print(f"{covariance_sensitivity(2, 100)['eigenvalues']:.6f}")
    0.089443
    """
    d, n = whole("d", d), whole("n", n)
    if n < 2:
        raise InvalidInput(f"a covariance needs at least 2 records, not n = {n}")
    return {
        "operator": round_up(Fraction(4 * d, n)),
        "frobenius": round_up(Fraction(4 * d, n)),
        "eigenvalues": _root_up(Fraction(eigenvalue_constant_squared(d), n**2)),
        "entrywise": round_up(Fraction(2 * d * (d + 1), n)),
        "gaussian": _root_up(Fraction(8 * d * (d + 1), n**2)),
    }


def eigenvalue_constant_squared(d: int) -> int:
    """c_d^2 = max over 1 <= j <= d of 16 j (4 d - 3 j): exact.

    >>> [eigenvalue_constant_squared(d) for d in (1, 2, 3)]
    [16, 80, 192]
    """
    return max(16 * j * (4 * d - 3 * j) for j in range(1, d + 1))


def entry_moves(steps: Sequence[int]) -> tuple[int, ...]:
    """How far one record moves each entry of the integer covariance C = floor((n Q - s s')/(n - 1) + 1/2) of the codes.

    The upper triangle with the diagonal, row by row: J_i J_j. Before rounding C is n times the covariance of the codes
    0 ... J_i, whose entries move by at most J_i J_j (the 4 of the proof above, in codes: half a width of [-1, 1] is J/2).
    Rounding halves up keeps that, because J_i J_j is a whole number K: the function floor(x + 1/2) never falls and
    floor(x + K + 1/2) = floor(x + 1/2) + K, so that x <= y <= x + K stays so. Rounding halves to even lacks the second.

    >>> entry_moves([10, 4])
    (100, 40, 16)
    """
    return tuple(steps[i] * steps[j] for i in range(len(steps)) for j in range(i, len(steps)))


def _root_up(square: Fraction) -> float:
    root = math.sqrt(square)
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root
