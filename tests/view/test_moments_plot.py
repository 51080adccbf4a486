"""Pictures and HTML of means and moments say what they should, in a figure that belongs to nobody."""

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.privacy.guarantee import PureDP
from discreet.release import MeanRelease, MomentsRelease
from discreet.release.moments.covariance_draws import EntryDraws, IdealisedDraws, triangle
from discreet.schema import Bounded, Schema

matplotlib = pytest.importorskip("matplotlib")

ATTACK = "<script>alert(1)</script>"


def means(d=3, groups=2, label="g{}", name="c{}"):
    columns = {name.format(i): Bounded(0, 10 * (i + 1), step=1) for i in range(d)}
    labels = [label.format(i) for i in range(groups)]
    schema = Schema(({"by": labels} if groups else {}) | columns, fixed="by" if groups else None, complete=True)
    rows = max(1, groups)
    drawn = np.random.default_rng(1).integers(300, 700, (rows, d)) * (np.arange(d) + 1)
    scales = tuple(50.0 * (i + 1) for i in range(d))
    sizes = (100,) * groups if groups else None
    return MeanRelease(
        schema,
        tuple(columns),
        tuple(drawn.ravel().tolist()),
        (0,) * d,
        "Laplace",
        scales,
        100 * rows,
        guarantee=PureDP(1),
        group_sizes=sizes,
    )


def moments(d=3, groups=2, **more):
    mean, places = means(d, groups, **more), triangle(d)
    entries = [400 * (a + 1) ** 2 if a == b else 10 for a, b in places] * max(1, groups)
    size = len(places)
    return MomentsRelease(mean, EntryDraws("EntrywiseLaplace", "Laplace", (9.0,) * size, (0,) * size, tuple(entries)))


def texts(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text() and text.get_visible()]


def whiskers(figure):
    lines = [c for c in figure.axes[0].collections if isinstance(c, matplotlib.collections.LineCollection)]
    return [segment for line in lines for segment in line.get_segments()]


@pytest.mark.parametrize("groups", [0, 2, 6])
@pytest.mark.parametrize("make", [means, moments])
def test_a_line_a_column_and_a_dot_a_group(make, groups):
    release = make(4, groups)
    figure = release.plot(level=0.9)
    shown = texts(figure)
    assert {f"c{i}" for i in range(4)} <= set(shown)
    assert {f"g{i} (100)" for i in range(groups)} <= set(shown)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert len(dots) == len(whiskers(figure)) == 4 * max(1, groups)
    explanation = next(text for text in shown if "90% interval" in text)
    assert "PureDP(epsilon=1.0)" in explanation
    assert f"n = {100 * max(1, groups)}" in explanation
    assert ("pale: ± one standard deviation" in explanation) == (make is moments)


def test_whiskers_are_the_intervals_on_a_columns_own_scale():
    """One group: a line is the declared range, so everything on it is a fraction of that range."""
    release = means(2, 0)
    figure = release.plot()
    ranges = np.array([10.0, 20.0])
    found = sorted(segment[:, 0].tolist() for segment in whiskers(figure))
    low, high = release.interval()
    expected = sorted([float(a), float(b)] for a, b in zip(low / ranges, high / ranges, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert {"0.0", "10.0", "20.0"} <= set(texts(figure))


@pytest.mark.parametrize("make", [means, moments])
def test_what_a_picture_cannot_show_is_refused(make):
    with pytest.raises(InvalidInput, match="at most 24 columns, not 25"):
        make(25, 0).plot()
    with pytest.raises(InvalidInput, match="at most 6 groups, not 7"):
        make(2, 7).plot()


def test_no_text_leaves_the_figure():
    for release in (moments(6, 2, name="a long name of column {}"), means(1, 6, label="a very long label {}")):
        figure = release.plot()
        figure.draw_without_rendering()
        width = figure.bbox.width
        for text in figure.findobj(matplotlib.text.Text):
            if text.get_text() and text.get_visible():
                assert text.get_window_extent().x0 >= -1
                assert text.get_window_extent().x1 <= width + 1, text.get_text()


def test_an_idealised_release_says_so_in_picture_and_html():
    release = moments(2, 0)
    idealised = MomentsRelease(release.mean, IdealisedDraws(1.0, 1.0, ((0.2, 0.1, 0.3),)))
    assert any("idealised" in text for text in texts(idealised.plot()))
    assert "(idealised)" in idealised._repr_html_()
    assert "idealised" not in release._repr_html_()


@pytest.mark.parametrize("make", [means, moments])
def test_html_escapes_every_text_and_has_a_row_a_column(make):
    page = make(3, 2, label=ATTACK + "{}", name="<b>{}</b>")._repr_html_()
    assert "<script" not in page
    assert "<b>0" not in page
    assert page.count("<tr>") == 4
    assert "±" in page
    assert "... 5 more" in make(45, 0)._repr_html_()
