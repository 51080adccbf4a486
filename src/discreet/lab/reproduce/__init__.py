"""Published figures and tables, simulated anew: one module a figure, loaded when it is asked for.

Each module has `NAME`, `TITLE`, `SOURCE`, `SECONDS` and `FULL_SECONDS` (on one core), perhaps `NEEDS_DATA` (a table that does
not come with the package), and `run(*, full, seed, bench) -> Study`; adding a figure is one line in `FIGURES`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType

from discreet.errors import InvalidInput
from discreet.lab.reproduce.bench import Bench, Progress
from discreet.lab.reproduce.study import Study

_HERE = "discreet.lab.reproduce."

FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "table-loss": _HERE + "table_loss",
        "bootstrap-power": _HERE + "bootstrap_power",
        "histogram-risk": _HERE + "histogram_risk",
        "ks-rates": _HERE + "ks_rates",
        "hotelling-level": _HERE + "hotelling_level",
        "hotelling-power": _HERE + "hotelling_power",
        "qq-independence": _HERE + "qq_independence",
        "qq-homogeneity": _HERE + "qq_homogeneity",
        "qq-goodness-of-fit": _HERE + "qq_goodness_of_fit",
        "pvalues-czech": _HERE + "pvalues_czech",
        "pvalues-rochdale": _HERE + "pvalues_rochdale",
        "pvalues-abortion": _HERE + "pvalues_abortion",
        "pvalues-taxi": _HERE + "pvalues_taxi",
        "pvalues-census": _HERE + "pvalues_census",
        "testbed": _HERE + "testbed_statistics",
    }
)
"""The module of each figure."""


@dataclass(frozen=True)
class About:
    """What is known of a figure before it is made.

    Attributes
    ----------
    name, title : str
    source : str
        The paper, and the place in it.
    seconds, full_seconds : int
        About how long it takes on one core, reduced and in full.
    needs_data : str or None
        The name, without .csv, of a table that it reads from the user's folder.
    """

    name: str
    title: str
    source: str
    seconds: int
    full_seconds: int
    needs_data: str | None


def about(name: str) -> About:
    """What a figure shows, where it comes from, and how long it takes.

    Examples
    --------
    >>> from discreet.lab import reproduce
    >>> reproduce.about("testbed").source
    'Wang, Lee and Kifer (2017), figure 14'
    """
    module = _module(name)
    return About(
        module.NAME,
        module.TITLE,
        module.SOURCE,
        module.SECONDS,
        module.FULL_SECONDS,
        getattr(module, "NEEDS_DATA", None),
    )


def run(
    name: str,
    full: bool = False,
    seed: int = 1,
    progress: Progress | None = None,
    *,
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    n_jobs: int | None = 1,
) -> Study:
    """Simulate a figure anew.

    Parameters
    ----------
    name : str
        One of `FIGURES`.
    full : bool
        With all settings and many repetitions (minutes to hours); else a reduced version of less than about a minute.
    seed : int
        The same seed gives the same numbers, whatever the number of workers.
    progress : function, optional
        Called with the number of steps done and of all steps.
    data : path, optional
        The folder of tables that do not come with the package; see `about(name).needs_data`.
    store : path, optional
        A folder that keeps what is finished, so that an interrupted figure goes on (needs `discreet[arrow]`).
    n_jobs : int or None
        Workers: -1 is all cores, None is what `joblib.parallel_config` says (needs `discreet[lab]` unless 1).

    Returns
    -------
    Study
        With `.to_frame()` and `.plot()`.

    Examples
    --------
    >>> from discreet.lab import reproduce
    >>> study = reproduce.run("testbed", seed=1)
    >>> rows = [row for row in study.rows() if row["table"] == "smoking, mental work" and row["statistic"] == "diff"]
    >>> rows[1]["perturb"], rows[1]["mean"] < rows[0]["mean"] / 2
    ('output', True)
    """
    module = _module(name)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"seed must be a whole number of at least 0, not {seed!r}")
    if data is not None and not Path(data).is_dir():
        raise InvalidInput(f"there is no folder {os.fspath(data)!r} to read tables from")
    study = module.run(full=full, seed=seed, bench=Bench(progress, store, n_jobs, data))
    assert isinstance(study, Study)
    return study


def _module(name: str) -> ModuleType:
    if name not in FIGURES:
        near = get_close_matches(str(name), FIGURES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"there is no figure {name!r}, only {', '.join(FIGURES)}{hint}")
    return import_module(FIGURES[name])


__all__ = ["FIGURES", "About", "Bench", "Progress", "Study", "about", "run"]
