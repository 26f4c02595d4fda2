"""Scrapy settings for a polite, bounded and careful crawl of one site.

They rank above Scrapy's own defaults and below a project's settings and the command line, so that anyone can change them;
except for the parts that the crawl can't do without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.items import ArticleItem, PageItem

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

USER_AGENT = "scrapy-webstruct/0.1"

POLITE: dict[str, Any] = {
    "USER_AGENT": USER_AGENT,
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 0.5,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 2.0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_REQUESTS": 16,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_MAXSIZE": 10 * 1024 * 1024,
    "DOWNLOAD_WARNSIZE": 0,
    "RETRY_TIMES": 2,
    "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "DOWNLOAD_HANDLERS": {"file": None, "ftp": None, "s3": None},
}

NEEDED: dict[str, Any] = {
    "SCHEDULER": "webstruct.scheduler.FrontierScheduler",
    "FEED_STORAGES": {
        "": "webstruct.extensions.atomic_feeds.AtomicFileFeedStorage",
        "file": "webstruct.extensions.atomic_feeds.AtomicFileFeedStorage",
    },
}

MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "webstruct.middlewares.robots.StrictRobotsMiddleware": 100,
    "webstruct.middlewares.addresses.AddressMiddleware": 50,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "webstruct.middlewares.retry.PatientRetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "webstruct.middlewares.compression.WholeBodyMiddleware": 590,
}

PROGRESS = "webstruct.extensions.progress.Progress"
EXTENSIONS = {PROGRESS: 500}
PIPELINES = {"webstruct.pipelines.lamis.LamisPipeline": 900}


def apply_defaults(settings: BaseSettings) -> None:
    """Set all of the above, each with its rank."""
    for name, value in POLITE.items():
        settings.set(name, value, priority="addon")
    for name, value in NEEDED.items():
        settings.set(name, value, priority="spider")
    for name, components in (
        ("DOWNLOADER_MIDDLEWARES", MIDDLEWARES),
        ("EXTENSIONS", EXTENSIONS),
    ):
        add_components(settings, name, components)


def add_components(settings: BaseSettings, name: str, components: dict[str, Any]) -> None:
    """Add components to a setting, at the rank that it has already; what a user says of one of them counts."""
    rank = settings.getpriority(name)
    merged = {**components, **settings.getdict(name)}
    settings.set(name, merged, priority="spider" if rank is None or rank < 30 else rank)


def add_feeds(settings: BaseSettings) -> None:
    """Add the two feeds beside whatever feeds the user has; done last, because `-o` and `-O` replace all feeds."""
    articles, pages = "%(out)s/articles.jsonl", "%(out)s/pages.jsonl"
    add_components(settings, "FEEDS", {articles: _feed(ArticleItem), pages: _feed(PageItem)})


def add_new_articles_feed(settings: BaseSettings) -> None:
    """Add the feed of a focused crawl, a file for each delivery; none if there is nothing new."""
    new = {**_feed(ArticleItem), "store_empty": False}
    add_components(settings, "FEEDS", {"%(out)s/new/%(delivery)s.jsonl": new})


def _feed(item_class: type) -> dict[str, Any]:
    return {
        "format": "jsonlines",
        "encoding": "utf8",
        "overwrite": True,
        "store_empty": True,
        "item_classes": [item_class],
    }
