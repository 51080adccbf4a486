"""Every figure: in the register, with its columns, the same by the same seed, and drawn with its settings."""

from __future__ import annotations

import math
from importlib import import_module

import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.lab import reproduce
from discreet.lab.reproduce import (
    bootstrap_power,
    histogram_risk,
    hotelling_level,
    hotelling_power,
    ks_rates,
    pvalues_abortion,
    pvalues_census,
)
from discreet.lab.reproduce.hotelling_samples import Setting
from discreet.lab.reproduce.study import Study

RATE = ("rate", "error")
QQ = ["setting", "n", "epsilon", "method", "share", "pvalue", "level_05", "ks"]
PVALUES = ["test", "table", "n", "epsilon", "statistic", "without_noise", "mean", "error", "low", "high", "rejected_05"]
COLUMNS = {
    "table-loss": ["theta", "p", "n", "mu", "mechanism", "loss", "error", "relative"],
    "bootstrap-power": ["test", "mu", "cells", "n", "eta", "method", "power", "error"],
    "histogram-risk": ["density", "n", "epsilon", "bins", "ordinary", "private", "error", "fallback"],
    "ks-rates": ["density", "epsilon", "method", "n", "distance", "error"],
    "hotelling-level": ["d", "epsilon", "n", "method", *RATE],
    "hotelling-power": ["d", "n", "epsilon", "shift", "method", *RATE],
    "qq-independence": QQ,
    "qq-homogeneity": QQ,
    "qq-goodness-of-fit": QQ,
    "pvalues-czech": PVALUES,
    "pvalues-rochdale": PVALUES,
    "pvalues-abortion": PVALUES,
    "pvalues-taxi": PVALUES,
    "pvalues-census": PVALUES,
    "testbed": ["table", "n", "statistic", "perturb", "without_noise", "mean", "error", "low", "high", "rejected_05"],
}


@pytest.fixture(autouse=True)
def _small(monkeypatch, tiny):
    monkeypatch.setattr(hotelling_level, "_REDUCED", (((1, 4), (2, 4), (3, 4)), (0.5, 4.0), (100, 300)))
    monkeypatch.setattr(hotelling_power, "_REDUCED", [(Setting(d, 2000, 1.0), (0.0, 1.0), 4) for d in (1, 2, 3)])
    monkeypatch.setattr(ks_rates, "SIZES", (100, 300))
    monkeypatch.setattr(bootstrap_power, "NULL_DRAWS", 200)
    monkeypatch.setattr(histogram_risk, "SIZES", (100,))
    for module in (pvalues_abortion, pvalues_census):
        monkeypatch.setattr(module, "EPSILONS", (0.1, 1.0))


@pytest.mark.parametrize("name", reproduce.FIGURES)
def test_every_figure_has_a_module_that_says_what_it_is(name):
    module = import_module(reproduce.FIGURES[name])
    about = reproduce.about(name)
    assert (about.name, module.NAME) == (name, name)
    assert about.title
    assert any(author in about.source for author in ("Kim", "Wasserman", "Dunsche", "Wang"))
    assert 0 < about.seconds <= 60 < 10 * about.full_seconds


@pytest.mark.parametrize("name", reproduce.FIGURES)
def test_a_study_and_its_picture(name, made_up_tables):
    pytest.importorskip("matplotlib")
    steps = []
    study = reproduce.run(name, seed=3, data=made_up_tables, progress=lambda done, of: steps.append((done, of)))
    assert isinstance(study, Study)
    assert list(study.frame) == COLUMNS[name]
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]
    frame = study.to_frame()
    assert frame.height == len(study.rows()) > 10
    for column in ("pvalue", "mean", "low", "high", "without_noise", "level_05", "ks", "power", "rate", "distance"):
        if column in frame.columns:
            assert frame[column].is_between(0, 1).all(), column
    if "low" in frame.columns:
        assert (frame["low"] <= frame["high"]).all()
    assert study.settings.splitlines()[0] in repr(study)
    if "SYNTHETIC" in (reproduce.about(name).needs_data or ""):  # what is made up says so, in the picture
        assert "SYNTHETIC" in study.title
        assert "SYNTHETIC counts, not real ones" in study.settings
    figure = study.plot()
    figure.draw_without_rendering()
    shown = [text.get_text() for text in figure.texts]
    assert study.title in shown
    assert any(study.settings in text for text in shown)
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.texts:  # nothing of the heading is cut off
        box = text.get_window_extent()
        assert 0 <= box.x0 <= box.x1 <= width, text.get_text()
        assert 0 <= box.y0 <= box.y1 <= height, text.get_text()


@pytest.mark.parametrize("name", ["qq-goodness-of-fit", "hotelling-level", "ks-rates"])
def test_the_seed_decides(name):
    first, again, other = (reproduce.run(name, seed=seed).rows() for seed in (3, 3, 4))

    def same(a, b):
        return str(a) == str(b)

    assert same(first, again)
    assert not same(first, other)


def test_far_apart_means_are_told_apart():
    rates = [row["rate"] for row in reproduce.run("hotelling-power", seed=4).rows() if row["shift"] == 1.0]
    assert rates
    assert min(rates) == 1.0


def test_what_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"no figure 'hotelling-levels', only .*; did you mean 'hotelling-level'"):
        reproduce.run("hotelling-levels")
    with pytest.raises(InvalidInput, match="seed must be a whole number of at least 0, not -1"):
        reproduce.run("testbed", seed=-1)
    with pytest.raises(InvalidInput, match="no folder 'nowhere' to read tables from"):
        reproduce.run("testbed", data="nowhere")
    with pytest.raises(NotAvailable, match=r"does not come with the package: .* SYNTHETIC_home_work_income.csv"):
        reproduce.run("pvalues-census")
    with pytest.raises(NotAvailable, match=r"cannot read the table .*gss1972_abortion.csv': No such file"):
        reproduce.run("pvalues-abortion", data=tmp_path)


def test_losses_follow_the_theory():
    rows = reproduce.run("table-loss", seed=1).rows()
    assert rows
    by = {(row["p"], row["n"], row["mu"], row["mechanism"]): row for row in rows}
    for (p, n, mu, mechanism), row in by.items():
        relative = row["relative"]
        if mechanism == "gaussian":
            assert relative == 1.0
        elif mechanism == "rank-deficient":
            assert math.isclose(relative, (p - 1) / p)
        elif mechanism in ("rJS", "rJSz"):
            assert relative < by[p, n, mu, "rank-deficient"]["relative"]
        elif mechanism == "JS":
            assert relative < 1
        elif mechanism == "laplace":
            assert (relative > 1) == (mu < 3.68706066)
