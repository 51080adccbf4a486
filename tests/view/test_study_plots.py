"""The pictures of reliability and power studies: what is drawn where, and that the settings stand in them."""

import numpy as np
import pytest
from scipy import stats

from discreet import GaussianDP, PureDP, lab
from discreet.errors import InvalidInput

SQUARE = lab.independence_design([0.5, 0.5], [0.4, 0.6], 400)


def texts(figure):
    return " ".join(text.get_text() for text in figure.texts)


@pytest.fixture(scope="module")
def reliability():
    return lab.reliability(SQUARE, PureDP(0.2), methods=("discreet", "naive", "output"), repetitions=500)


def test_shares_against_p_values(reliability, tmp_path):
    figure = reliability.plot()
    whole, tail = figure.axes
    drawn = {line.get_label(): line for line in whole.lines if not line.get_label().startswith("_")}
    assert set(drawn) == {"discreet", "naive", "output"}
    p = np.sort(reliability.pvalues["naive"])
    x, y = drawn["naive"].get_data()
    assert len(x) == 25  # every 400th of 10,000
    assert x == pytest.approx(p[19::20])
    assert y == pytest.approx(np.arange(20, 501, 20) / 500)
    assert (y > x)[: len(x) // 2].all()  # the naive curve bends upward
    assert tail.get_xscale() == tail.get_yscale() == "log"
    shown = texts(figure)
    for part in (
        "independence 2 x 2, n = 400",
        "(.5, .5) x (.4, .6)",
        "PureDP(epsilon=0.2)",
        "500 tables, seed 1",
        "95 % band",
    ):
        assert part in shown
    figure.savefig(tmp_path / "r.png")
    assert (tmp_path / "r.png").stat().st_size > 10_000


def test_the_band_is_that_of_order_statistics(reliability):
    """The k-th of n uniform numbers is Beta(k, n - k + 1): the corners of the drawn band against scipy's quantiles."""
    (band,) = reliability.plot().axes[1].collections
    corners = band.get_paths()[0].vertices
    for k in (1, 500):
        at = corners[np.isclose(corners[:, 1], k / 500)][:, 0]
        expected = stats.beta.ppf([0.025, 0.975], k, 501 - k)
        assert [at.min(), at.max()] == pytest.approx(expected)


@pytest.fixture(scope="module")
def power():
    return lab.power(
        SQUARE,
        [GaussianDP(0.1), GaussianDP(1)],
        n=[200, 400, 800],
        effects=0.15,
        statistic="projected",
        repetitions=200,
    )


def test_curves_with_their_intervals(power, tmp_path):
    figure = power.plot()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["mu = 0.1", "mu = 1"]
    for axes in figure.axes:
        assert axes.get_xlabel() == "n, records"
        labels = set(axes.get_legend_handles_labels()[1])
        assert labels == {"discreet, projected", "projected, by formula", "no privacy"}
    line = next(c for c in figure.axes[0].containers if c.get_label() == "no privacy").lines[0]
    some = [row for row in power.rows if row.method == "no privacy" and row.amount == 0.1]
    assert line.get_xdata().tolist() == [200, 400, 800]
    assert line.get_ydata() == pytest.approx([row.power for row in some])
    shown = texts(figure)
    for part in ("Cramer's V = 0.15", "ProjectedGaussian noise", "200 tables a point, seed 1", "level 0.05"):
        assert part in shown
    figure.savefig(tmp_path / "p.png")


def test_the_axis_can_be_chosen(power):
    figure = power.plot(x="amount", panel="n")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["n = 200", "n = 400", "n = 800"]
    assert figure.axes[0].get_xlabel() == "mu"
    one = power.select(n=400, amount=1.0).plot()
    assert len(one.axes) == 1


def test_too_much_for_one_picture():
    study = lab.power(SQUARE, [PureDP(1), PureDP(2)], n=[100, 200], effects=[0.1, 0.2], repetitions=20)
    with pytest.raises(InvalidInput, match=r"has 2 values of .* study.select\("):
        study.plot()
    with pytest.raises(InvalidInput, match="x and panel are among"):
        study.plot(x="method")
    many = lab.power(
        SQUARE, PureDP(1), n=[100, 200, 300, 400, 500], effects=[0.1, 0.2, 0.3, 0.35, 0.4, 0.45], repetitions=20
    )
    with pytest.raises(InvalidInput, match=r"5 values of n besides; draw a part of it, such as study.select\(n=100\)"):
        many.plot()
