"""Pictures of histograms, series, distribution functions and densities: what is drawn is what was released."""

import numpy as np
import pytest

from discreet import Bounded, Schema
from discreet.errors import InvalidInput
from discreet.estimate import Density, Empirical, cdf_band, density
from discreet.mechanisms.densities.square_root import UNIT
from discreet.release import CdfRelease, HistogramRelease, SeriesRelease

SCHEMA = Schema({"age": Bounded(0, 120, step=1), "income $": Bounded(0, 1), "z": Bounded(0, 1)})
COMMON = {"exponent": 0, "n": 100}


def histogram(bins, names=("age",)):
    drawn = np.arange(int(np.prod(bins))) - 2
    return HistogramRelease(
        schema=SCHEMA.select(names),
        column_names=names,
        bins=bins,
        drawn=drawn.tolist(),
        mechanism="Laplace",
        scale=2.0,
        **COMMON,
    )


SERIES = SeriesRelease(
    schema=SCHEMA.select(["income $"]),
    column_name="income $",
    drawn=[30 * 2**20, -80 * 2**20],
    mechanism="Laplace",
    scale=2.0**21,
    **COMMON,
)
CDF = CdfRelease(
    schema=SCHEMA.select(["age"]),
    column_name="age",
    drawn=[20 * UNIT, 60 * UNIT, 70 * UNIT],
    mechanism="Gaussian",
    scale=2.0 * UNIT,
    **COMMON,
)


def words(figure):
    return " ".join(text.get_text() for text in figure.texts)


def test_bars_are_the_noisy_counts():
    release = histogram((8,))
    axes = release.plot().axes[0]
    assert [bar.get_height() for bar in axes.patches] == release.counts.tolist()
    assert [bar.get_x() for bar in axes.patches] == release.edges[0][:-1].tolist()
    assert "whiskers: 95% interval" in words(axes.figure)


def test_many_cells_are_drawn_with_a_band():
    figure = histogram((60,)).plot(level=0.9)
    assert "band: 90% interval" in words(figure)


def test_two_columns_are_shades_and_three_are_refused():
    figure = histogram((4, 5), ("age", "income $")).plot()
    mesh = figure.axes[0].collections[0]
    assert (
        np.asarray(mesh.get_array()).ravel().tolist()
        == histogram((4, 5), ("age", "income $")).counts.T.ravel().tolist()
    )
    with pytest.raises(InvalidInput, match="one or two columns"):
        histogram((2, 2, 2), ("age", "income $", "z")).plot()


def test_coefficients_and_the_distribution_function():
    axes = SERIES.plot().axes[0]
    assert [bar.get_height() for bar in axes.patches] == SERIES.coefficients.tolist()
    axes = CDF.plot().axes[0]
    assert axes.lines[0].get_ydata()[1:-1].tolist() == (CDF.cumulative / 100).tolist()
    assert "one by one" in words(axes.figure) or "by itself" in words(axes.figure)


def test_densities():
    figure = density(histogram((8,))).plot()
    assert "clipped" in words(figure)
    curve = density(SERIES).plot().axes[0].lines[0]
    assert curve.get_ydata() == pytest.approx(density(SERIES).pdf(curve.get_xdata()))
    fine = Density(np.linspace(0, 1, 1001), np.full(1000, 1e-3))
    assert len(fine.plot().axes[0].patches) == 2
    assert len(density(histogram((4, 5), ("age", "income $"))).plot().axes) == 2
    assert Empirical([0.2, 0.4], 0, 1).plot().axes[0].lines[0].get_xdata().tolist() == [0.2, 0.4]
    with pytest.raises(InvalidInput, match="two columns"):
        density(histogram((2, 2, 2), ("age", "income $", "z"))).plot()


def test_a_band():
    band = cdf_band(CDF, rng=1)
    axes = band.plot().axes[0]
    assert axes.lines[0].get_ydata().tolist() == band.estimate.tolist()
    assert "of the records" in words(axes.figure)
    assert "of the population" in words(cdf_band(CDF, population=True, rng=1).plot())


@pytest.mark.parametrize("release", [histogram((8,)), histogram((4, 5), ("age", "income $")), SERIES, CDF])
def test_names_with_signs_of_mathematics_are_drawn_as_text(release, tmp_path):
    release.plot().savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000
