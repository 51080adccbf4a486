"""The picture of a cost study."""

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.lab import cost
from discreet.lab.cost import MECHANISMS
from discreet.view.cost_plot import LOOKS


def test_one_curve_a_mechanism_with_the_setting_in_words():
    study = cost(np.geomspace(0.05, 8, 10), 10, 1000, draws=20, rng=0)
    figure = study.plot()
    (axes,) = figure.axes
    assert len(axes.lines) == len(MECHANISMS) == len(LOOKS)
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {label for _, _, label in LOOKS.values()}
    shown = "\n".join(text.get_text() for text in figure.texts)
    assert "10 cells, equal probabilities; 1,000 records; averaged over multinomial tables" in shown
    by_label = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_allclose(by_label["rank-deficient"], 0.9)
    figure.canvas.draw()


def test_a_single_level_is_drawn_as_points_and_a_wide_range_has_few_ticks():
    study = cost(1.0, [4, 5], 100, conditional=True)
    assert {line.get_marker() for line in study.plot(p=5).axes[0].lines} == {"o"}
    with pytest.raises(InvalidInput, match="p= and n="):
        study.plot()
    wide = cost([1e-6, 1e-3, 50], 5, 100, conditional=True).plot()
    assert len(wide.axes[0].get_xticks()) <= 9
    wide.canvas.draw()
