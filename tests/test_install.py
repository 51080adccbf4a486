"""The wall shows in the install: an analyst with NumPy, SciPy and Narwhals alone can do all that an analyst does."""

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

import discreet

ANALYST = """
import sys
from importlib.util import find_spec
for missing in ("opendp", "duckdb", "matplotlib", "typer", "rich", "pyarrow", "pandas", "polars", "joblib"):
    assert find_spec(missing) is None, missing

import discreet
from discreet import TableRelease, goodness_of_fit, homogeneity, independence, load
from discreet.errors import MissingExtra
from discreet.noise import Laplace

columns = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
table = TableRelease.from_counts([[230.5, 271.25], [268, 236.75]], columns, noise=Laplace(4.0), n=1000)
table.save("t.json")
table = load("t.json")
table.interval(0.9), repr(table), table._repr_html_()
for result in (
    independence(table, rng=1),
    goodness_of_fit(table, [[0.25, 0.25], [0.25, 0.25]], rng=1),
    homogeneity(table, rng=1),
    independence(table, null="monte-carlo", statistic="lr", rng=1),
):
    assert 0 < result.pvalue < 1
    result.summary(), result.to_dict(), result._repr_html_(), result.null_curve, result.effect

for attempt in (table.plot, result.plot, table.to_frame, result.to_frame, lambda: discreet.Curator):
    try:
        attempt()
    except MissingExtra as refusal:
        assert "pip install" in str(refusal), refusal
    else:
        raise AssertionError(f"{attempt} found an extra")
assert "scipy.stats" not in sys.modules
from discreet.cli import main
try:
    main()
except SystemExit as refused:
    assert refused.code == 1
print("works")
"""


@pytest.fixture
def analyst_site(tmp_path: Path) -> Path:
    """A folder of packages that holds the core's three dependencies and this package, and nothing else."""
    site = tmp_path / "site"
    site.mkdir()
    for name in ("numpy", "scipy", "narwhals"):
        files = {Path(f).parts[0] for f in distribution(name).files or () if not str(f).startswith("..")}
        root = Path(str(distribution(name).locate_file("")))
        for entry in files:
            (site / entry).symlink_to(root / entry)
    (site / "discreet").symlink_to(Path(discreet.__file__).parent)
    metadata = Path(str(distribution("discreet")._path))  # type: ignore[attr-defined]
    (site / metadata.name).symlink_to(metadata)
    return site


def test_everything_an_analyst_does_works_without_the_extras(analyst_site, tmp_path):
    code = f"import sys; sys.path[:0] = [{str(analyst_site)!r}]\n{ANALYST}"
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith("works\n")
    assert "discreet[cli]" in run.stderr


def loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*sys.modules)"
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_else():
    loaded = loaded_by("import discreet")
    assert not {"numpy", "scipy", "narwhals", "opendp", "duckdb"} & loaded


def test_a_test_loads_neither_the_curators_rooms_nor_scipys_statistics():
    loaded = loaded_by(
        "from discreet import independence; from discreet.noise import Laplace\n"
        "independence([[230.5, 271.25], [268, 236.75]], noise=Laplace(4.0), n=1000)"
    )
    assert not {"discreet.curator", "opendp", "duckdb", "scipy.stats", "matplotlib", "pandas", "polars"} & loaded


def test_every_public_name_loads():
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet.__all__) <= set(dir(discreet))
    with pytest.raises(AttributeError, match="no attribute 'Indpendence'"):
        _ = discreet.Indpendence
