"""Sphinx configuration: Markdown pages, API pages from the docstrings."""

from importlib.metadata import version as installed

project = "Discreet"
author = "The Discreet authors"
copyright = "The Discreet authors"
release = version = installed("discreet")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
exclude_patterns = ["build"]
html_theme = "furo"
html_title = "Discreet"

default_role = "literal"  # single backticks in docstrings are code, as in Markdown
suppress_warnings = ["ref.python"]  # "Laplace" in a docstring is a law here and a mechanism there
autodoc_typehints = "none"  # the docstrings name the types in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True

_SENTENCES: dict[str, list[str]] = {}


def setup(app):
    """A property's docstring is a sentence; Napoleon would read "The number of records: public" as a type and a text."""

    def keep(app, what, name, obj, options, lines):
        if what == "property":
            _SENTENCES[name] = list(lines)

    def restore(app, what, name, obj, options, lines):
        lines[:] = _SENTENCES.pop(name, lines)

    app.connect("autodoc-process-docstring", keep, priority=400)  # Napoleon has 500
    app.connect("autodoc-process-docstring", restore, priority=600)
