"""The rank-deficient Gaussian law: normal noise without a component along the known total."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.noise.gaussian import Gaussian
from discreet.noise.joint import JointNoise, table_noise
from discreet.noise.validation import positive


@dataclass(frozen=True)
class ProjectedGaussian:
    """N(0, sd^2 P) with P = I - 11'/M the projector on the tables whose M cells sum to zero.

    The noise of the rank-deficient Gaussian mechanism of Kim, Lee, Kwak and Jung (2022), Theorem 3: draw N(0, sd^2 I),
    subtract the mean. With an `other` cell, M counts it too, so the declared cells alone do not sum to their true total.

    Parameters
    ----------
    sd : float
        sigma > 0 of the noise before projection; one cell has variance sigma^2 (1 - 1/M).

    Examples
    --------
    >>> from discreet.noise import ProjectedGaussian
    >>> ProjectedGaussian(2.0).on((2, 2)).variance
    array([[3., 3.],
           [3., 3.]])
    """

    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", positive("projected Gaussian standard deviation", self.sd))

    @property
    def scale(self) -> float:
        """The parameter by which the law is stored: sigma before projection."""
        return self.sd

    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise:
        """The joint law of this noise on a table's declared cells.

        `other`: the table has one more, undeclared cell. `group_axis`: the axis of a fixed column, each of whose labels
        has noise (and an other cell, and a projection on its public size) of its own.
        """
        return table_noise(Gaussian(self.sd), shape, other=other, centred=True, group_axis=group_axis)
