"""conf.py: how Sphinx makes the site of the pages that stage.py wrote. Nothing of it is fetched when it is read."""
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))

project = "halation"
author = "the authors of halation"
copyright = author
root_doc = "index"
repository = str(here.parent)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sources"]
source_suffix = {".md": "markdown"}
highlight_language = "text"  # of blocks that name none

# Anchors of headings are GitHub's, so that one link serves both.
myst_heading_anchors = 6
myst_url_schemes = {"http": None, "https": None, "mailto": None, "source": None}

# Docstrings are in NumPy's style; `names` in them are code.
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}

html_theme = "furo"
html_title = "halation"
html_static_path = [str(here / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

