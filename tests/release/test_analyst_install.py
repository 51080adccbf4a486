"""An analyst needs NumPy, SciPy and Narwhals only: releases work where everything else is missing."""

import subprocess
import sys
import textwrap

PROGRAM = """
import importlib.abc, os, sys, tempfile

MISSING = {"opendp", "duckdb", "matplotlib", "typer", "rich", "pyarrow", "pandas", "polars", "joblib"}

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Blocker())

from discreet.errors import MissingExtra
from discreet.noise import Laplace, ProjectedGaussian
from discreet.release import TableRelease, load

columns = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
values = [[230.5, 271.25], [268, 236.75]]
for noise, other in ((Laplace(4.0), None), (ProjectedGaussian(4.0), -7.0)):
    table = TableRelease.from_counts(values, columns, noise=noise, n=1000, other=other)
    table.interval(0.9), table.margin("smoking").interval(0.9), table.noise.sample(3, 1)
    assert "smoking" in repr(table) and "smoking" in table._repr_html_()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.json")
        table.save(path)
        assert load(path) == table
    attempts = [table.plot, *(lambda backend=b: table.to_frame(backend) for b in ("polars", "pandas", "pyarrow"))]
    for attempt in attempts:
        try:
            attempt()
        except MissingExtra as refusal:
            assert "pip install" in str(refusal)
        else:
            raise AssertionError("an extra was not missed")

assert not MISSING & {name.partition(".")[0] for name in sys.modules}
assert "scipy.stats" not in sys.modules
print("works")
"""


def test_releases_work_without_any_extra():
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "works\n"
