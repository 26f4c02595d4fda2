"""Learn a web site from one URL: its sections, list pages, page templates, and every article as clean text.

The core needs no Scrapy: `Page.parse` reads a page once, `learn` learns a site from its pages, `SiteModel.extract` reads
any page of that site, `weights` gives its pages as feature vectors, and `graph` a crawled site as a networkx graph.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webstruct.addon import Addon
    from webstruct.articles import Article
    from webstruct.entropy import TermEntropy
    from webstruct.errors import WebstructError
    from webstruct.page import Link, Page
    from webstruct.results import site_graph as graph
    from webstruct.site import SiteModel, extract, learn
    from webstruct.structure_tree import site_weights as weights
    from webstruct.terms import TermAnalyzer

__all__ = [
    "Addon",
    "Article",
    "Link",
    "Page",
    "SiteModel",
    "TermAnalyzer",
    "TermEntropy",
    "WebstructError",
    "extract",
    "graph",
    "learn",
    "weights",
]
__version__ = "0.1.0"

_HOME = {
    "Addon": ("addon", "Addon"),
    "Article": ("articles", "Article"),
    "Link": ("page", "Link"),
    "Page": ("page", "Page"),
    "SiteModel": ("site", "SiteModel"),
    "TermAnalyzer": ("terms", "TermAnalyzer"),
    "TermEntropy": ("entropy", "TermEntropy"),
    "WebstructError": ("errors", "WebstructError"),
    "extract": ("site", "extract"),
    "graph": ("results", "site_graph"),
    "learn": ("site", "learn"),
    "weights": ("structure_tree", "site_weights"),
}


def __getattr__(name: str) -> Any:
    """Public names are loaded when they are asked for: `scrapy -h` should not wait for sparse algebra."""
    if name not in _HOME:
        raise AttributeError(f"module 'webstruct' has no attribute {name!r}")
    module, attribute = _HOME[name]
    return getattr(import_module(f"webstruct.{module}"), attribute)
