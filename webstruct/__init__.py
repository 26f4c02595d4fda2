"""Learn a web site from one URL: its sections, list pages, page templates, and every article as clean text.

The core needs no Scrapy: `Page.parse` reads a page once, and everything else is a view of its arrays.
"""

from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.page import Link, Page
from webstruct.terms import TermAnalyzer

__all__ = ["Link", "Page", "TermAnalyzer", "TermEntropy", "WebstructError"]
__version__ = "0.1.0"
