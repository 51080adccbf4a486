"""Released means and covariances as tidy data frames: one row a number, one column a variable."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from discreet.release.frames import Backend, to_frame
from discreet.release.moments.covariance_draws import triangle

if TYPE_CHECKING:
    from discreet.release.moments.means import MeanRelease
    from discreet.release.moments.moments import MomentsRelease


def means_frame(release: MeanRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """A tidy data frame of released means.

    Parameters
    ----------
    release : MeanRelease
    backend : "polars", "pandas" or "pyarrow"
        Which kind of data frame.
    level : float
        The level of the interval of each mean; see `MeanRelease.interval`.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table
        One row a group and column: `group` (only by a fixed column), `column`, `n`, `mean`, `low`, `high`, `noise_sd`.

    Examples
    --------
    >>> from discreet import Bounded, Schema
    >>> from discreet.release import MeanRelease
    >>> release = MeanRelease(Schema({"age": Bounded(0, 100, step=1)}), ("age",), (4100,), (0,), "Gaussian", (50.0,), n=100)
    >>> release.to_frame("polars").rows()
    [('age', 100, 41.0, 40.02..., 41.97..., 0.5)]
    """
    data, types = _columns(release, level)
    return to_frame(data, backend, types)


def moments_frame(release: MomentsRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """The same of released moments, with one more column: `standard_deviation`, of the released covariance."""
    data, types = _columns(release.mean, level)
    data["standard_deviation"] = release.standard_deviations.ravel().tolist()
    return to_frame(data, backend, types | {"standard_deviation": nw.Float64})


def covariance_frame(release: MomentsRelease, backend: Backend = "polars") -> Any:
    """One row a group and pair of columns (each pair once): `group`, `first`, `second`, `covariance`, `correlation`."""
    d = len(release.column_names)
    places = triangle(d)
    covariances = release.covariances.reshape(-1, d, d)
    correlations = release.correlations.reshape(-1, d, d)
    data: dict[str, list[Any]] = {
        "group": [label for label, _ in product(release.groups.names, places)],
        "first": [release.column_names[a] for _ in covariances for a, _b in places],
        "second": [release.column_names[b] for _ in covariances for _a, b in places],
        "covariance": [float(matrix[place]) for matrix in covariances for place in places],
        "correlation": [float(matrix[place]) for matrix in correlations for place in places],
    }
    types = dict.fromkeys(("group", "first", "second"), nw.String) | dict.fromkeys(
        ("covariance", "correlation"), nw.Float64
    )
    if release.labels is None:
        del data["group"], types["group"]
    return to_frame(data, backend, types)


def _columns(release: MeanRelease, level: float) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    low, high = release.interval(level)
    cells = list(product(zip(release.groups.names, release.groups.sizes, strict=False), release.column_names))
    data: dict[str, list[Any]] = {
        "group": [label for (label, _), _ in cells],
        "column": [name for _, name in cells],
        "n": [size for (_, size), _ in cells],
        "mean": release.values.ravel().tolist(),
        "low": low.ravel().tolist(),
        "high": high.ravel().tolist(),
        "noise_sd": release.sd.ravel().tolist(),
    }
    types: dict[str, Any] = {"group": nw.String, "column": nw.String, "n": nw.Int64}
    types |= dict.fromkeys(("mean", "low", "high", "noise_sd"), nw.Float64)
    if release.labels is None:
        del data["group"], types["group"]
    return data, types
