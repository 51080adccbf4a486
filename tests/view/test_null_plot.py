"""The picture of a test: the null density, its tail, the statistic, and the classical density."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from discreet.display import draw
from discreet.inference.result import TestResult
from discreet.view.null_plot import chi_squared_density, null_plot
from discreet.view.theme import probability

matplotlib = pytest.importorskip("matplotlib")


@dataclass
class Result:
    """A stand-in with the fields of a test result that pictures and HTML read."""

    statistic: float = 5.16
    df: int = 1
    pvalue: float = 0.0326
    pvalue_error: float = 7e-5
    naive_pvalue: float = 0.0232
    test: str = "Independence of smoking and systolic"
    statistic_name: str = "Pearson's chi-squared"
    null: str = "conditional: limit law, averaged over the noise"
    n: float = 1841.0
    n_is_public: bool = True
    effect: str = "Cramer's V 0.06 [0.00, 0.14] (95% interval)"
    warnings: tuple = ()
    curve: object = field(default=None)

    @property
    def null_curve(self):
        x = np.linspace(0.0, 1.25 * max(self.statistic, 2.5 * (self.df + 1)), 161)
        x = (x[1:] + x[:-1]) / 2
        return SimpleNamespace(x=x, density=stats.ncx2.pdf(x, self.df, 1.0))


def texts(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text() and text.get_visible()]


def test_the_picture_says_everything():
    figure = null_plot(Result())
    shown = texts(figure)
    assert "Independence of smoking and systolic: p = 0.033" in shown
    assert {"statistic 5.16", "p = 0.033", "Pearson's chi-squared", "classical chi-squared, df 1"} <= set(shown)
    assert any("averaged over the noise" in text and "claimed p = 0.023 (not valid)" in text for text in shown)


def test_the_curves_are_the_densities_and_the_tail_starts_at_the_statistic():
    result = Result(df=3, statistic=6.0)
    axes = null_plot(result).axes[0]
    noisy, classical = axes.lines[:2]
    assert np.array_equal(noisy.get_ydata(), result.null_curve.density)
    assert classical.get_linestyle() == "--"
    assert np.allclose(classical.get_ydata(), stats.chi2.pdf(classical.get_xdata(), 3), rtol=1e-12)
    tail = next(c for c in axes.collections if c.get_label() == "p-value")
    corners = tail.get_paths()[0].vertices
    assert corners[:, 0].min() == 6.0
    assert corners[:, 1].max() == pytest.approx(stats.ncx2.pdf(6.0, 3, 1.0), rel=0.01)
    upright = next(c for c in axes.collections if isinstance(c, matplotlib.collections.LineCollection))
    assert [point[0] for point in upright.get_segments()[0]] == [6.0, 6.0]


@pytest.mark.parametrize("df", [1, 2, 5, 40])
@pytest.mark.parametrize("statistic", [0.0, 0.01, 3.0, 40.0, 4000.0])
def test_all_texts_stay_inside_the_picture(df, statistic):
    figure = null_plot(Result(df=df, statistic=statistic, pvalue=1.2e-300))
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    axes = figure.axes[0]
    for text in [*figure.texts, *axes.texts, axes.xaxis.label, *axes.get_legend().get_texts()]:
        if text.get_text():
            box = text.get_window_extent()
            assert -1 <= box.x0 <= box.x1 <= width + 1, text.get_text()
            assert -1 <= box.y0 <= box.y1 <= height + 1, text.get_text()
    low, high = axes.get_ylim()
    assert low == 0
    assert 0 < high < 100


def test_chi_squared_density():
    x = np.array([0.3, 1.0, 7.0, 60.0])
    for df in (1, 2, 7):
        assert np.allclose(chi_squared_density(x, df), stats.chi2.pdf(x, df), rtol=1e-12)


@pytest.mark.parametrize(("p", "text"), [(0.5, "0.500"), (0.0326, "0.033"), (0.00123, "0.0012"), (1.2e-7, "1.2e-07")])
def test_probability(p, text):
    assert probability(p) == text


def test_a_real_result_draws_itself():
    from discreet.inference import independence
    from discreet.noise import Laplace

    result = independence([[230.5, 271.25], [268, 236.75]], noise=Laplace(4.0), n=1000, rng=1)
    assert isinstance(result, TestResult)
    assert any(text.startswith("Independence of") for text in texts(result.plot()))
    assert "p-value" in draw("html", result)
