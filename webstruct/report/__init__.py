"""The report: what was learned of a site, in one HTML file that opens without a network.

`SiteReport` is fed while the pages of a site pass by once, and gives a `Report`: plain data, bounded in size whatever
the site's. `render` makes HTML of it; parts of a report that are empty are left out, so that every spider can write one.

Everything that comes from the site is text. It is escaped by the template engine, or put into the page by the report's
own script as text; links are http(s) only; a content security policy allows this one script, by its hash, and no
request at all. The pages of the site are drawn from their arrays, never from their HTML.

The link graph is drawn by some hundred lines of the report's own on a canvas, on a map that is laid out here: what a
library would add, a physical simulation in the browser, is slow at thousands of pages, different on every load, and
larger than the rest of the report.
"""

from __future__ import annotations

from webstruct.report.data import MAX_FAILURES, Report, SiteReport, navigation_row, news_report
from webstruct.report.rendering import render

__all__ = ["MAX_FAILURES", "Report", "SiteReport", "navigation_row", "news_report", "render"]
