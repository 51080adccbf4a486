"""How far one record can move a chi-squared statistic: what output perturbation has to hide.

The neighbour replaces one record (n is public; in homogeneity the record stays in its sample). R, C are the totals of its row
and column and t the count of its cell, itself included; empty rows and columns contribute nothing to a statistic.

**Goodness of fit.** A record that moves from cell a to b changes chi2 by (2 T_b + 1)/E_b - (2 T_a - 1)/E_a, largest where
T_a = 1 and T_b = n - 1, and smallest in the reverse. The likelihood ratio 2 sum T log(T/E) likewise, whose increments
h(x) = x log x - (x - 1) log(x - 1) grow with x.

**Independence, chi2** = n (S - 1), S = sum T^2/(RC). Adding a record changes S by at most 1 (where it is alone in its row and
column: the others' terms only shrink) and at least -3/4: the others' terms lose at most (R - t)/(R(R - 1)) in its row and the
like in its column, its own cell gains, and at t = 1 this is (1 - 1/R)(1 - 1/C) - 1, smallest at R = C = 2. So a replacement
moves S by at most 7/4: reached by diag(1, 1, 1, ...), the first record moved to cell (2, 3). With two rows or columns
S - 1 lies in [0, 1], which is smaller; both ends are neighbours in diag(1, n - 1). If all margins are promised to stay positive
a 2 x 2 table moves by n^2/(2(n - 1)) at most (Wang, Lee and Kifer 2015, section 1, give "at least 500" for n = 1,000).

**Independence, likelihood ratio.** The record's part is 2 (h(t) - h(R) - h(C)): at most 0 where it is alone, and, since
R + C <= n + t and h is concave, least at t = 1 and R = C = (n + 1)/2. With two rows it moves by 2 h(n) at most: if the record
leaves row R for R' = n + 1 - R, h(C') - h(t') <= h(t' + R - 1) - h(t') <= h(R) leaves h(R') of the difference, and if it stays
in its row h(C') - h(t') is all there is; diag(1, n - 1) reaches it.

**Homogeneity, chi2** = n (S - 1), S = sum T^2/(n_g C). In column totals C a record of sample g adds at most 1/n_g to S (alone
with its like) and takes away at most (1 - 1/n_g)/(m + 1), m the smallest other sample (alone among all of that sample).
Likelihood ratio: 2 (h(t) - h(C)) lies between -2 h(1 + n - n_g) and 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from discreet.errors import InvalidInput, NotAvailable
from discreet.lab.designs.designs import Design, FitDesign, HomogeneityDesign


def output_sensitivity(design: Design, statistic: str = "chi2", *, positive_margins: bool = False) -> float:
    """The largest change of the statistic of the true table when one record is replaced.

    Exact, but for independence with exactly three rows or columns and chi2, and for homogeneity of three and more samples in
    two categories and chi2: there an upper bound.

    Parameters
    ----------
    design : Design
        Its shape and its public n or sizes count; for goodness of fit the tested probabilities.
    statistic : "chi2" or "lr"
    positive_margins : bool
        For chi2 of a 2 x 2 independence table: the sensitivity among tables without an empty row or column. A mechanism
        with this noise keeps its promise only if none can occur.

    Examples
    --------
    >>> from discreet import lab
    >>> square = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000)
    >>> lab.output_sensitivity(square), round(lab.output_sensitivity(square, positive_margins=True), 4)
    (1000.0, 500.5005)
    >>> round(lab.output_sensitivity(lab.homogeneity_design([0.5, 0.5], [500, 500])), 4)
    3.992
    """
    if statistic not in ("chi2", "lr"):
        raise NotAvailable(f"output perturbation has a proven sensitivity for 'chi2' and 'lr', not {statistic!r}")
    if positive_margins:
        if design.shape != (2, 2) or statistic != "chi2" or design.test_name != "independence":
            raise InvalidInput("positive_margins is for chi2 of a 2 x 2 independence table")
        return design.n**2 / (2.0 * (design.n - 1.0)) if design.n > 1 else 0.0
    rules: dict[tuple[type[Any], str], Callable[[Any], float]] = {
        (FitDesign, "chi2"): _fit_chi2,
        (FitDesign, "lr"): _fit_lr,
        (HomogeneityDesign, "chi2"): _homogeneity_chi2,
        (HomogeneityDesign, "lr"): _homogeneity_lr,
    }
    rule = rules.get((type(design), statistic), _independence_chi2 if statistic == "chi2" else _independence_lr)
    return rule(design)


def _increment(x: float) -> float:
    """h(x) = x log x - (x - 1) log(x - 1)."""
    return x * math.log(x) - ((x - 1) * math.log(x - 1) if x > 1 else 0.0)


def _fit_chi2(design: FitDesign) -> float:
    n, theta = design.n, design.null
    return ((2 * n - 1) / float(theta.min()) - 1.0 / float(theta.max())) / n


def _fit_lr(design: FitDesign) -> float:
    theta = design.null
    return 2 * (_increment(design.n) + math.log(float(theta.max()) / float(theta.min())))


def _independence_chi2(design: Design) -> float:
    most = min(design.shape)
    return float(design.n) if most == 2 else 1.75 * design.n


def _independence_lr(design: Design) -> float:
    n = design.n
    if min(design.shape) == 2:
        return 2 * _increment(n)
    return 2 * (_increment((n + 1) // 2) + _increment((n + 2) // 2))


def _homogeneity_chi2(design: HomogeneityDesign) -> float:
    n, moves = design.n, []
    for g, size in enumerate(design.sizes):
        other = min(k for h, k in enumerate(design.sizes) if h != g)
        moves.append(1 / size + (1 - 1 / size) / (other + 1))
    return n * max(moves)


def _homogeneity_lr(design: HomogeneityDesign) -> float:
    return 2 * _increment(1 + design.n - min(design.sizes))
