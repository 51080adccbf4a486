"""Pictures and HTML of releases and results. Importing this room registers what draws each of them; see `display`."""

from discreet.view import (
    density_plot,
    ellipse_plot,
    histogram_html,
    histogram_plot,
    html,
    means_plot,
    moments_html,
    moments_plot,
    null_plot,
    sample_html,
    sample_plot,
    table_plot,
    tradeoff_plot,
)

__all__ = [
    "density_plot",
    "ellipse_plot",
    "histogram_html",
    "histogram_plot",
    "html",
    "means_plot",
    "moments_html",
    "moments_plot",
    "null_plot",
    "sample_html",
    "sample_plot",
    "table_plot",
    "tradeoff_plot",
]
