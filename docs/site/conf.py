"""Settings of Sphinx for the pages that scripts/site stages."""

project = "bench_transfers"
author = "The bench_transfers authors"
project_copyright = author
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_title = "bench_transfers"
html_show_sphinx = False
html_copy_source = False
suppress_warnings = ["toc.not_included"]  # pages that others link to
