"""Learn a web site from one URL: its sections, list pages, page templates, and every article as clean text.

The core needs no Scrapy: `Page.parse` reads a page once, `learn` learns a site from its pages, `SiteModel.extract` reads
any page of that site, and `graph` gives a crawled site as a networkx graph.
"""

from __future__ import annotations

from typing import Any

from webstruct.articles import Article
from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.page import Link, Page
from webstruct.results import site_graph as graph
from webstruct.site import SiteModel, extract, learn
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
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The add-on is looked up when a project asks for it: the core imports no Scrapy."""
    if name == "Addon":
        from webstruct.addon import Addon

        return Addon
    raise AttributeError(f"module 'webstruct' has no attribute {name!r}")
