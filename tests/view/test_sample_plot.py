"""The picture and the HTML of a sample say what the sample says."""

import numpy as np
import pytest

from discreet import Bounded, PureDP, Schema
from discreet.release import SampleRelease, SelectionRelease

SAMPLE = SampleRelease(
    schema=Schema({"$a$ <b>": Bounded(0, 10, step=1)}),
    column_name="$a$ <b>",
    codes=[2, 5, 5, 9],
    mechanism="KolmogorovExponential",
    guarantee=PureDP(1),
    n=90,
)


def test_the_steps_are_the_distribution_function():
    (axes,) = SAMPLE.plot().axes
    line = axes.lines[0]
    x, y = np.array(line.get_xdata()), np.array(line.get_ydata())
    for value in (0, 1.5, 2, 4, 5, 8.9, 9, 10):
        assert y[np.searchsorted(x, value, side="right") - 1] == SAMPLE.cdf(value)
    assert line.get_drawstyle() == "steps-post"
    ticks = [segment[0][0] for segment in axes.collections[0].get_segments()]
    assert ticks == SAMPLE.points.tolist()
    assert axes.get_xlim() == (0, 10)


@pytest.mark.parametrize("codes", [[2, 5], list(range(11)) * 3])
def test_html_is_escaped(codes):
    release = SampleRelease(
        schema=SAMPLE.schema, column_name="$a$ <b>", codes=codes, mechanism="MeanExponential", guarantee=PureDP(1), n=90
    )
    html = release._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>:" not in html
    assert "PureDP(epsilon=1.0)" in html


def test_html_of_a_selection():
    release = SelectionRelease(
        schema=Schema({"party": ["<i>"]}), column_names=["party"], candidates=["<i>"], chosen=0, spread=2, n=9
    )
    assert "&lt;i&gt;" in release._repr_html_()
