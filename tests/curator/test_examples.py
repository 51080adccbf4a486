"""The examples with numeric columns: every record fits its schema, and the files are the published ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discreet import Bounded, Curator, PureDP, Schema

EXAMPLES = Path(__file__).parents[2] / "examples"

# Hotelling's T^2 of two groups with the pooled covariance, computed elsewhere; 2412.45 is the textbook's for the bank notes.
T_SQUARED = {
    "banknote": ("genuine", "counterfeit", 2412.4507),
    "penguins": ("Adelie", "Chinstrap", 804.4540),
    "wdbc": ("benign", "malignant", 1220.3134),
}


def numeric(schema):
    return [name for name in schema if isinstance(schema.columns[name], Bounded)]


@pytest.mark.parametrize("name", T_SQUARED)
def test_the_file_is_the_published_one(name):
    schema = Schema.from_toml(EXAMPLES / f"{name}.toml")
    frame = pd.read_csv(EXAMPLES / f"{name}.csv")
    first, second, t_squared = T_SQUARED[name]
    x, y = (frame.loc[frame[schema.fixed] == label, numeric(schema)].to_numpy() for label in (first, second))
    pooled = ((len(x) - 1) * np.cov(x.T) + (len(y) - 1) * np.cov(y.T)) / (len(x) + len(y) - 2)
    difference = x.mean(0) - y.mean(0)
    found = len(x) * len(y) / (len(x) + len(y)) * difference @ np.linalg.solve(pooled, difference)
    assert found == pytest.approx(t_squared, abs=1e-3)
    assert "Where it comes from" in (EXAMPLES / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("name", T_SQUARED)
def test_every_value_lies_within_the_declared_bounds(name):
    schema = Schema.from_toml(EXAMPLES / f"{name}.toml")
    frame = pd.read_csv(EXAMPLES / f"{name}.csv")
    assert set(schema) == set(frame.columns)
    for column in numeric(schema):
        bounds = schema.columns[column]
        assert bounds.lower <= frame[column].min()
        assert frame[column].max() <= bounds.upper
    for column in set(schema) - set(numeric(schema)):
        assert set(frame[column]) == set(schema.categorical(column).labels)


@pytest.mark.parametrize("name", T_SQUARED)
def test_means_and_covariances_of_the_file_come_out(name):
    """Under little noise: within 40 standard deviations of it (and the step), so it fails by chance less often than 1e-20."""
    schema = Schema.from_toml(EXAMPLES / f"{name}.toml")
    names = numeric(schema)
    with Curator(EXAMPLES / f"{name}.csv", schema, budget=PureDP(500)) as curator:
        moments = curator.moments(names, PureDP(500))
    groups = pd.read_csv(EXAMPLES / f"{name}.csv").groupby(schema.fixed)[names]
    steps = np.array([float(schema.numeric(column).exact_step) for column in names])
    assert (abs(moments.means - groups.mean().loc[list(moments.labels)]) <= steps + 40 * moments.noise.sd).all(
        axis=None
    )
    for part, label in zip(moments.parts, moments.labels, strict=True):
        true = groups.get_group(label)[names].cov() / np.outer(part.half_widths, part.half_widths)
        scales = np.array(part.covariance_noise.scales)
        assert np.linalg.norm(part.covariance - true) <= 40 * np.linalg.norm(scales) + 0.01
