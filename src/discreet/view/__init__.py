"""Pictures and HTML of releases and results. Importing this room registers what draws each of them; see `display`."""

from discreet.view import html, null_plot, table_plot, tradeoff_plot

__all__ = ["html", "null_plot", "table_plot", "tradeoff_plot"]
