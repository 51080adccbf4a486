"""Sphinx configuration: Markdown pages, API pages from the docstrings."""

from importlib.metadata import version as installed

project = "Discreet"
author = "The Discreet authors"
copyright = "The Discreet authors"  # noqa: A001
release = version = installed("discreet")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
exclude_patterns = ["build"]
html_theme = "furo"
html_title = "Discreet"

autodoc_typehints = "none"  # the docstrings name the types in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
