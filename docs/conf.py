"""Sphinx configuration: Markdown pages, API pages from the docstrings."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for the two extensions that are files beside this one

project = "Discreet"
author = "The Discreet authors"
copyright = "The Discreet authors"
release = version = installed("discreet")

extensions = [
    "myst_parser",
    "names_at_a_glance",
    "plain_docstrings",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["build"]

html_theme = "pydata_sphinx_theme"
html_title = "Discreet"
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "show_prev_next": True,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
html_sidebars = {page: [] for page in ("index", "start", "gallery", "security")}  # no pages below them
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False

copybutton_prompt_text = r">>> |\.\.\. ?|\$ "  # what is typed, without what is printed
copybutton_prompt_is_regexp = True

default_role = "literal"  # single backticks in docstrings are code, as in Markdown
suppress_warnings = ["ref.python"]  # "Laplace" in a docstring is a law here and a mechanism there
autodoc_typehints = "none"  # the docstrings name the types in words
autodoc_member_order = "bysource"
autosummary_generate = False  # the names stand on one page; the tables at a glance link there
napoleon_google_docstring = False
napoleon_use_ivar = True
