"""The pictures of means: ellipses of pairs, and intervals on the declared bounds; axes side by side under one key."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.inference import hotelling, mean_intervals, mean_regions
from discreet.noise import EntrywiseNoise, Gaussian
from discreet.release.moments.moments_part import MomentsPart
from discreet.view.ellipse_plot import ellipse_plot
from discreet.view.means_plot import means_plot
from discreet.view.theme import common_key, new_panels

matplotlib = pytest.importorskip("matplotlib")


@dataclass
class Release:
    parts: tuple


def part(label, mean, n=400):
    return MomentsPart(
        label=label,
        n=n,
        mean=np.array(mean),
        covariance=np.array([[0.1, 0.04], [0.04, 0.2]]),
        mean_noise=Gaussian(0.01),
        covariance_noise=EntrywiseNoise("gaussian", ((0.01, 0.01), (0.01, 0.01))),
        columns=("length $x$", "mass"),
        centres=np.array([200.0, 4500.0]),
        half_widths=np.array([50.0, 3000.0]),
    )


PAIR = Release((part("Adelie", [-0.2, -0.3]), part("Gentoo", [0.35, 0.2], 900)))
SEVEN = Release(tuple(part(f"g{k}", [0.1, 0.1 * k]) for k in range(7)))


def texts(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text() and text.get_visible()]


def test_the_ellipses_are_the_regions():
    regions = mean_regions(PAIR, rng=1)
    figure = ellipse_plot(regions)
    shown = texts(figure)
    assert {"Means of length $x$ and mass", "Adelie (n = 400)", "Gentoo (n = 900)", "length $x$", "mass"} <= set(shown)
    assert any("95% regions for noise and sampling" in text for text in shown)
    outline, centre = figure.axes[0].lines[:2]
    assert np.array_equal(outline.get_xydata(), regions.ellipses[0].boundary())
    assert np.array_equal(centre.get_xydata()[0], regions.ellipses[0].centre)


def test_one_group_is_called_all_records():
    shown = texts(mean_regions(part(None, [0.0, 0.0]), rng=1).plot())
    assert "all records (n = 400)" in shown


def test_intervals_stand_on_the_declared_bounds():
    found = mean_intervals(PAIR, rng=1)
    figure = means_plot(found)
    shown = texts(figure)
    assert {"Means", "Adelie", "Gentoo", "length $x$", "mass"} <= set(shown)
    row = found.rows[0]
    assert f"{row.estimate:.4g}  [{row.low:.4g}, {row.high:.4g}]" in shown
    points = figure.axes[0].lines[0].get_xdata()
    assert points == pytest.approx([(190 - 150) / 100, (3600 - 1500) / 6000])
    bars = figure.axes[0].collections[0].get_segments()
    assert [bars[0][0][0], bars[0][1][0]] == pytest.approx([(row.low - 150) / 100, (row.high - 150) / 100])


def test_differences_stand_on_the_length_of_the_bounds():
    found = mean_intervals(PAIR, rng=1)
    figure = found.plot(differences=True)
    assert {"Differences of means", "Adelie - Gentoo"} <= set(texts(figure))
    assert figure.axes[0].lines[0].get_xdata() == pytest.approx([-0.55 / 2, -0.5 / 2])


def test_a_mean_beyond_the_bounds_is_drawn_at_their_end():
    figure = means_plot(mean_intervals(part(None, [1.1, 0.0]), rng=1))
    assert figure.axes[0].lines[0].get_xdata()[0] == 1.0


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidInput, match="up to 6 groups, not 7: choose some with groups="):
        mean_regions(SEVEN, replicates=99).plot()
    with pytest.raises(InvalidInput, match="up to 6 groups or pairs and 60 rows, not 7 and 14"):
        mean_intervals(SEVEN, replicates=99).plot()
    with pytest.raises(InvalidInput, match="there are no differences"):
        mean_intervals(PAIR.parts[0], replicates=99).plot(differences=True)


@pytest.mark.parametrize("null", ["bootstrap", "asymptotic"])
def test_the_picture_of_the_test(null):
    result = hotelling(PAIR.parts[0], replace(PAIR.parts[1], mean=np.array([-0.15, -0.3])), null=null, rng=1)
    shown = texts(result.plot())
    assert any(text.startswith("Equal means of Adelie and Gentoo: p = ") for text in shown)
    assert "Hotelling's t-squared of length $x$, mass" in shown


def test_panels_share_their_scale_and_their_key():
    figure, panels = new_panels("Heading", "words\nmore words", 3, width=8.0, key_rows=1)
    for k, axes in enumerate(panels):
        axes.plot([0, 1], [0, k + 1], label="line")
    common_key(figure, panels[0])
    shown = texts(figure)
    assert shown.count("line") == 1
    assert len({axes.get_ylim() for axes in panels}) == 1
    (legend,) = figure.legends
    box, below = legend.get_window_extent(), [axes.get_window_extent() for axes in panels]
    assert all(box.y0 > axes.y1 for axes in below)
    heading = next(text for text in figure.texts if text.get_text() == "words\nmore words")
    assert box.y1 < heading.get_window_extent().y0 + 1
