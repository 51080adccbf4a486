"""All benchmarks: `make bench`. Every figure stands beside a yardstick that was measured in the same run.

The targets named in brackets were set for two idle cores; on a busy machine compare the ratios.
"""

from __future__ import annotations

import histogram
import hotelling
import importing
import ledger
import moments
import pvalue
import road
import shrinkage
import tabulate
import wide
from report import show

import lab

if __name__ == "__main__":
    for benchmark in (importing, pvalue, road, tabulate, moments, histogram, wide, ledger, shrinkage, hotelling, lab):
        show(benchmark.main())
