"""The permutation testbed (Wang, Lee and Kifer 2017, appendix G): how a statistic would do under privacy. NOT a release.

The margins of the table are taken as public, which a release must not do; in exchange *any* statistic has an exact null
distribution, by permutation. So a new statistic can be tried before its theory is worked out.
"""

from discreet.lab.testbed.run import TestbedStudy, run
from discreet.lab.testbed.sensitivity import brute_force_sensitivity, paper_bound, sensitivity
from discreet.lab.testbed.tables import all_tables, null_tables

__all__ = [
    "TestbedStudy",
    "all_tables",
    "brute_force_sensitivity",
    "null_tables",
    "paper_bound",
    "run",
    "sensitivity",
]
