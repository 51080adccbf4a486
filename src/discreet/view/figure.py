"""A matplotlib figure that belongs to nobody: no pyplot, no window, no global state; notebooks still show it."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class FreeFigure(Figure):
    """A figure with its own Agg canvas, outside of pyplot's list of open figures."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        # Without pyplot no backend has taught the notebook how to show a figure.
        image = BytesIO()
        self.savefig(image, format="png", dpi=144)
        return image.getvalue()
