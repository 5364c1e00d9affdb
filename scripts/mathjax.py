"""Sphinx extension: MathJax from sphinx-mathjax-offline, which does not say that pages may be built side by side."""

from importlib import import_module


def setup(app):
    import_module("sphinx-mathjax-offline").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
