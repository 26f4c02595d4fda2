"""What a crawl delivers, as Scrapy items; the fields are the output contract, documented in docs/output.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class ArticleItem:
    """One article of the site (a line of `articles.jsonl`)."""

    url: str
    title: str
    date: str | None
    author: str | None
    language: str
    text: str
    markdown: str
    section: list[str] = field(default_factory=list)
    toc_urls: list[str] = field(default_factory=list)
    confidence: float = 0.0
    version: int = 1
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass
class PageItem:
    """One crawled page (a line of `pages.jsonl`)."""

    url: str
    depth: int
    status: int
    title: str
    type: str
    confidence: float
    hub: float
    authority: float
    rank: float
    in_links: int
    out_links: int
    text_chars: int
    family: int
    blocks: list[dict[str, Any]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)
    part_of: str | None = None
