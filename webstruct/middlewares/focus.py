"""Let a project's own spider follow only what the lists of a known site lead to.

What was learned of a site by `scrapy crawl site` tells its list pages, and where on them the entries stand. With this spider
middleware, and the folders of known sites in `WEBSTRUCT_SITES`, the spider keeps its own callbacks and items, and of the
requests that it yields for a page of a known site only these go on:

- links to entries of the page's lists, if it is a list page;
- the link to the page that carries such a list on;
- requests that are no links of the page: forms, interfaces, addresses that the spider made up.

Start requests, items, and all requests from pages of other sites pass untouched. Other lists are not reached through menus:
the spider begins with the lists that it wants, as `structure` in `site.json` names them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import TextResponse
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from webstruct.config import Config
from webstruct.known_site import KnownSite
from webstruct.page import Page
from webstruct.scope import clean, host_of, key

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class FocusMiddleware(BaseSpiderMiddleware):
    """Drops requests for links of known sites that no list leads to."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        folders = Config.read(crawler.settings).sites
        if not folders:
            raise NotConfigured("WEBSTRUCT_SITES names no folder of a known site")
        self._sites = {
            host: site for folder in folders for site in [KnownSite.load(Path(folder))] for host in site.hosts
        }
        self._last: tuple[Response, _Links] | None = None

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Let a request go on, or drop it."""
        site = self._site_of(response)
        if site is None or response is None:
            return request
        followed = self._links(response, site).may_follow(request.url)
        self.crawler.stats.inc_value(f"webstruct/focus/{'followed' if followed else 'dropped'}")
        return request if followed else None

    def _site_of(self, response: Response | None) -> KnownSite | None:
        if not isinstance(response, TextResponse) or not response.url.startswith(("http://", "https://")):
            return None
        return self._sites.get(host_of(clean(response.url)))

    def _links(self, response: Response, site: KnownSite) -> _Links:
        """The links of a page, parsed once for all requests that come of it."""
        if self._last is None or self._last[0] is not response:
            page = Page.parse(response.body, response.url, getattr(response, "encoding", None))
            self._last = response, _Links(page, site)
        return self._last[1]


class _Links:
    """Which links of a page may be followed."""

    def __init__(self, page: Page, site: KnownSite) -> None:
        self._all = {key(clean(url)) for url in page.link_urls}
        self._followed = site.entry_keys(page)

    def may_follow(self, url: str) -> bool:
        try:
            name = key(clean(url))
        except ValueError:
            return True
        return name not in self._all or name in self._followed
