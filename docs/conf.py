"""Sphinx: `make docs`."""

from regretless import __version__

project = "Regretless"
author = "The Regretless developers"
copyright = "The Regretless developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "generated"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["refs.bib"]
bibtex_default_style = "unsrt"
bibtex_reference_style = "author_year"

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Regretless {__version__}"
html_static_path = ["_static"]
html_css_files = ["regretless.css"]
maximum_signature_line_length = 100

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
