"""The picture of a table says what it should, in a figure that belongs to nobody."""

import io
import subprocess
import sys

import numpy as np
import pytest

from discreet.errors import InvalidInput, MissingExtra
from discreet.noise import Gaussian, Laplace
from discreet.privacy.guarantee import PureDP
from discreet.release import TableRelease

matplotlib = pytest.importorskip("matplotlib")


def table(shape, *, noise=None, label="c{}", low=20.0, **more):
    columns = {f"v{i}": [label.format(j) for j in range(k)] for i, k in enumerate(shape)}
    values = np.random.default_rng(1).normal(low, 15.0, shape)
    return TableRelease.from_counts(values, columns, noise=noise or Laplace(4.0), guarantee=PureDP(0.5), **more)


def texts(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text() and text.get_visible()]


def bars(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, matplotlib.patches.Rectangle)]


def whisker_lengths(figure, axis):
    lines = [c for c in figure.axes[0].collections if isinstance(c, matplotlib.collections.LineCollection)]
    return [abs(segment[1][axis] - segment[0][axis]) for line in lines for segment in line.get_segments()]


def png(figure):
    image = io.BytesIO()
    figure.savefig(image, format="png")
    return image.getvalue()


def test_one_way_is_a_bar_and_a_whisker_for_each_category():
    release = table((5,), n=100)
    figure = release.plot(level=0.9)
    assert [bar.get_width() for bar in bars(figure)] == release.counts.tolist()
    assert whisker_lengths(figure, 0) == pytest.approx([2 * release.half_width(0.9)] * 5)
    shown = texts(figure)
    assert {f"c{i}" for i in range(5)} <= set(shown)
    assert {f"{count:.1f}" for count in release.counts} <= set(shown)
    assert "v0: noisy counts" in shown
    explanation = next(text for text in shown if "90% interval" in text)
    assert str(release.guarantee) in explanation
    assert "n = 100" in explanation
    assert "Laplace noise, sd 5.66" in explanation


def test_two_way_is_a_group_of_bars_for_each_row():
    release = table((3, 2), other=4.25)
    figure = release.plot()
    assert [bar.get_height() for bar in bars(figure)] == release.counts.T.ravel().tolist()
    assert len({bar.get_facecolor() for bar in bars(figure)}) == 2
    assert whisker_lengths(figure, 1) == pytest.approx([2 * release.half_width(0.95)] * 6)
    shown = texts(figure)
    assert "v1 within v0" in shown
    assert {f"{count:.1f}" for count in release.counts.ravel()} <= set(shown)
    assert any("other (strays) 4.2" in text and "n not public" in text for text in shown)
    assert figure.axes[0].get_legend() is None


def test_long_names_go_to_a_key():
    figure = table((4, 4), label="a longer category {}").plot()
    key = figure.axes[0].get_legend()
    assert key.get_title().get_text() == "v1"
    assert [text.get_text() for text in key.get_texts()] == [f"a longer category {j}" for j in range(4)]
    assert len(bars(figure)) == 16


@pytest.mark.parametrize(("shape", "printed"), [((7, 7), True), ((5, 6), True), ((3, 8), True), ((20, 30), False)])
def test_many_cells_become_a_heat_map(shape, printed):
    release = table(shape)
    figure = release.plot()
    assert not bars(figure)
    (mesh,) = (c for c in figure.axes[0].collections if isinstance(c, matplotlib.collections.QuadMesh))
    assert mesh.get_array().ravel().tolist() == release.counts.ravel().tolist()
    shown = texts(figure)
    assert ({f"{count:.1f}" for count in release.counts.ravel()} <= set(shown)) == printed
    assert len(figure.axes) == (1 if printed else 2)
    assert {"v0", "v1", "c0"} <= set(shown)
    assert any(text.count("each ± 12.0") for text in shown)


def test_what_has_no_picture():
    with pytest.raises(InvalidInput, match=r"v0, v1, v2; plot a margin, e.g. .margin\(\['v0', 'v1'\]\).plot\(\)"):
        table((2, 2, 2)).plot()
    with pytest.raises(InvalidInput, match="at most 40 categories of a variable, not 41"):
        table((41,)).plot()
    with pytest.raises(InvalidInput, match="level"):
        table((2,)).plot(level=2)
    with pytest.raises(TypeError):
        table((2,)).plot(colour="red")


@pytest.mark.parametrize("shape", [(1,), (40,), (1, 1), (2, 2), (6, 4), (4, 6), (40, 40)])
@pytest.mark.parametrize("low", [20.0, -200.0])
def test_every_size_is_drawn_without_a_warning(shape, low):
    assert png(table(shape, low=low, noise=Gaussian(30.0)).plot()).startswith(b"\x89PNG")


def test_hostile_labels_are_text():
    release = table((2, 2), label="$\\frac{{{}}}$\n\x07<b>")
    figure = release.plot()
    assert any("$\\frac{0}$ <b>" in text for text in texts(figure))
    assert png(figure).startswith(b"\x89PNG")


def test_labels_do_not_overlap_on_a_figure_of_six_by_four_inches():
    figure = table((6, 4), label="cat {}").plot()
    figure.draw_without_rendering()
    assert tuple(figure.get_size_inches()) == (6.0, 4.0)
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels() if label.get_text()]
    assert len(boxes) == 6
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_notebook_shows_the_figure():
    assert table((2, 2)).plot()._repr_png_().startswith(b"\x89PNG")


def test_without_matplotlib_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "discreet.view.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'discreet\[plot\]'"):
        table((2, 2)).plot()


def test_no_pyplot_no_settings_no_window():
    program = """
import sys
from discreet.noise import Laplace
from discreet.release import TableRelease
import matplotlib

def settings():  # reading the backend would import pyplot
    return {key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != "backend"}

before = settings()
table = TableRelease.from_counts([[9.0, 8], [7, 6]], {"a": ["x", "y"], "b": ["u", "v"]}, noise=Laplace(1.0))
assert table.plot()._repr_png_()
assert "matplotlib.pyplot" not in sys.modules
assert settings() == before
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
