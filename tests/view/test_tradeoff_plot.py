"""The picture of trade-off curves: what is in it, and that it is drawn for every curve."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.privacy import GaussianDP, TradeOff

CURVES = [
    TradeOff.laplace_table(1.0),
    TradeOff.gaussian(1),
    TradeOff.approx_dp(2, 1e-3),
    TradeOff.zero_concentrated(0.5),
    TradeOff.laplace(1),
    TradeOff.discrete([0.5, 0.3, 0.2], [0.1, 0.2, 0.7]),
]


def _labels(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_several_curves_with_their_fixed_points_and_the_gaussian_of_the_first() -> None:
    figure = CURVES[0].plot(*CURVES[1:])
    axes = figure.axes[0]
    assert _labels(figure) == [
        "perfect privacy",
        "laplace table, scale = 1",
        "gaussian, mu = 1",
        "approx dp, epsilon = 2, delta = 0.001",
        "zero concentrated, rho = 0.5",
        "laplace, shift = 1",
        "with 4 corners, fixed point 0.26",
        "Gaussian, mu = 1.305",
    ]
    points = [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o"]
    assert points == pytest.approx([curve.fixed_point for curve in CURVES])
    drawn = next(line for line in axes.lines if line.get_label() == "laplace table, scale = 1")
    np.testing.assert_allclose(drawn.get_ydata(), CURVES[0](drawn.get_xdata()))
    reference = next(line for line in axes.lines if line.get_label() == "Gaussian, mu = 1.305")
    assert np.all(reference.get_ydata() <= drawn.get_ydata() + 1e-12)
    image = BytesIO()
    figure.savefig(image)
    assert image.getvalue().startswith(b"\x89PNG")


@pytest.mark.parametrize("curve", [*CURVES, TradeOff.approx_dp(0.0), TradeOff.approx_dp(0.0, 1.0)], ids=repr)
def test_each_curve_alone(curve: TradeOff) -> None:
    heading = curve.plot(labels=["mine"]).texts[1].get_text()
    assert "mine: " in heading
    assert ("no mu holds" in heading) == (curve.mu == np.inf)


def test_a_gaussian_curve_is_its_own_reference() -> None:
    assert _labels(TradeOff.gaussian(1).plot()) == ["perfect privacy", "gaussian, mu = 1"]
    assert _labels(TradeOff.gaussian(1).plot(labels=["release of May"])) == ["perfect privacy", "release of May"]


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="up to 6"):
        CURVES[0].plot(*CURVES)
    with pytest.raises(InvalidInput, match="guarantee has one"):
        CURVES[0].plot(GaussianDP(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="name each"):
        CURVES[0].plot(labels=["a", "b"])
