"""The parts of a crawl by themselves: scope, traps, sniffing, addresses, workers, arguments."""

from __future__ import annotations

import asyncio
import gzip
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct.arguments import CrawlArguments
from webstruct.crawl import BEYOND_DEPTH, SAME_PAGE, Fetched, SiteCrawl
from webstruct.errors import WebstructError
from webstruct.middlewares.addresses import is_private
from webstruct.middlewares.compression import is_cut
from webstruct.page import Page
from webstruct.scope import Scope, clean, host_of, key
from webstruct.sniff import kind_of
from webstruct.soft404 import NotFoundPage, probe_url
from webstruct.traps import BARREN_PAGES, COPYING_PAGES, JUDGED_FROM, TrapGuard, shape_of_trap
from webstruct.workers import CarefulParser, PageTooSlow, Worker, WorkerDied, WorkerError, is_suspicious

SITE = "http://example.com"
SCOPE = Scope(frozenset({"example.com"}))


# --- one page, many spellings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/news/", "https://example.com/news", "http://www.example.com/news/", "HTTP://EXAMPLE.com:80/news/",
        "http://example.com/news/index.html", "http://example.com/news/?utm_source=x&fbclid=1", "http://example.com/news/#top",
        "http://example.com/news/;jsessionid=0A1B2C3D4E5F", "http://example.com/news/?PHPSESSID=0123456789abcdef",
        "http://user:secret@example.com/news/",
    ],
)  # fmt: skip
def test_spellings_of_one_page_have_one_key(url):
    assert key(clean(url)) == "example.com/news"
    assert "secret" not in clean(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/news/?page=2", "http://example.com/news/?cid=3", "http://example.com/news/?sid=7", "http://example.com/News/",
        "http://example.com/news/2/", "http://example.com:8080/news/", "http://example.com/news/?source=rss",
    ],
)  # fmt: skip
def test_different_pages_keep_different_keys(url):
    assert key(clean(url)) != "example.com/news"


def test_parameters_in_another_order_are_the_same_page():
    assert key(clean(SITE + "/a?y=2&x=1")) == key(clean(SITE + "/a?x=1&y=2"))


@given(st.sampled_from(["http", "https"]), st.text("ab/.%?=&;é", max_size=20))
def test_cleaning_twice_changes_nothing(scheme, rest):
    url = clean(f"{scheme}://example.com/{rest}")
    assert clean(url) == url


def test_subdomains_belong_to_the_site_only_if_wanted():
    assert not SCOPE.contains("http://blog.example.com/")
    wide = Scope(frozenset({"example.com"}), subdomains=True)
    assert wide.contains("http://blog.example.com/")
    assert not wide.contains("http://badexample.com/")


def test_the_longest_path_prefix_sets_the_depth():
    scope = Scope(frozenset({"example.com"}), depth=2, paths={"/news/": 5, "/news/old/": 1})
    assert [scope.limit(SITE + path) for path in ("/x", "/news/a", "/news/old/a")] == [2, 5, 1]


def test_arguments_have_defaults_that_need_no_thought():
    arguments = CrawlArguments.parse({"url": "example.com"})
    assert (arguments.url, arguments.max_pages, arguments.depth) == ("http://example.com/", 10_000, None)
    assert arguments.out == Path("webstruct-out/example.com")
    assert host_of(arguments.url) == "example.com"


def test_arguments_of_the_scheduler_are_its_own():
    assert CrawlArguments.parse({"url": "example.com", "_job": "1f"}) == CrawlArguments.parse({"url": "example.com"})


# --- traps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/a/a/a/a/", "/x/y/" * 13, "/" + "p" * 2000, "/?" + "&".join(f"p{n}=1" for n in range(9))]
)
def test_urls_that_no_one_writes_are_traps_by_shape(path):
    assert shape_of_trap(SITE + path)


def test_a_pattern_that_brings_nothing_is_closed_and_no_other_suffers():
    guard = TrapGuard()
    for day in range(JUDGED_FROM + BARREN_PAGES + 1):
        assert guard.reason(f"{SITE}/calendar/{day}/") is None
        guard.watch(f"{SITE}/calendar/{day}/", new_words=False, targets={1, 2, 3})
    assert guard.reason(SITE + "/calendar/999/") == "trap: nothing new behind such URLs"
    assert guard.reason(SITE + "/news/999/") is None
    assert TrapGuard.load(guard.save()).reason(SITE + "/calendar/999/")


def test_pages_of_a_list_that_link_known_articles_are_no_trap():
    guard = TrapGuard()
    for number in range(500):
        guard.watch(f"{SITE}/page/{number}/", new_words=False, targets={1, 2, 1000 + number})
    assert guard.reason(SITE + "/page/501/") is None


def test_a_parameter_that_makes_copies_is_not_followed():
    guard = TrapGuard()
    guard.is_copy(SITE + "/story", b"content")
    for number in range(COPYING_PAGES):
        guard.is_copy(f"{SITE}/story?replytocom={number}", b"content")
    assert guard.reason(SITE + "/other?replytocom=1") == "trap: parameter replytocom makes copies"
    assert guard.reason(SITE + "/other?page=1") is None


# --- the crawl without the fetching ---------------------------------------------------------------------------------


def page(body, url):
    return Page.parse(body, url), Fetched(url, 200, body.encode())


def start_crawl(folder, scope=SCOPE, **options):
    crawl = SiteCrawl.open(folder, SITE + "/", scope, **{"max_pages": 100, **options})
    crawl.resume()
    return crawl, crawl.find(SITE + "/")


def test_a_page_that_only_parameters_tell_apart_is_the_same_page(tmp_path):
    crawl, home = start_crawl(tmp_path)
    text = "<p>" + "A long story about the river and the town. " * 10
    crawl.accept(home, *page(text, SITE + "/"))
    twin = crawl.find(SITE + "/?print=1")
    crawl.accept(twin, *page(text, SITE + "/?print=1"))
    assert crawl.counts.stored == 1
    assert crawl.store.page(twin).reason == SAME_PAGE
    assert crawl.store.redirects() == {twin: home}
    crawl.close()


def test_redirects_to_another_spelling_are_followed_in_place_and_others_queued(tmp_path):
    crawl, home = start_crawl(tmp_path)
    assert crawl.redirect(home, "https://www.example.com/", kind="redirect", status=301) == "https://www.example.com/"
    assert crawl.redirect(home, SITE + "/welcome", kind="redirect", status=301) is None
    assert [row.url for row in crawl.take(9)] == [SITE + "/welcome"]
    crawl.close()


def test_a_start_page_on_another_host_moves_the_site_there_and_is_remembered(tmp_path):
    crawl, home = start_crawl(tmp_path)
    crawl.redirect(home, "http://other.example/", kind="redirect", status=301)
    assert [row.url for row in crawl.take(9)] == ["http://other.example/"]
    crawl.close()
    again, _ = start_crawl(tmp_path)
    assert again.scope.contains("http://other.example/x")
    again.close()


def test_statistics_after_a_crash_are_those_of_the_stored_pages(tmp_path):
    crawl, home = start_crawl(tmp_path)
    crawl.accept(home, *page("<a href=/a>flood</a>", SITE + "/"))
    crawl.save()
    (row,) = crawl.take(9)
    crawl.accept(row.id, *page("<p>match report", SITE + "/a"))
    crawl.store.close()  # as a kill would: nothing saved since
    again, _ = start_crawl(tmp_path)
    assert (again.entropy.pages, sorted(again.entropy.terms)) == (2, ["flood", "match", "report"])
    again.close()


def test_a_larger_depth_later_takes_up_what_a_smaller_one_refused(tmp_path):
    crawl, home = start_crawl(tmp_path, Scope(frozenset({"example.com"}), depth=0))
    crawl.accept(home, *page("<a href=/a>a</a>", SITE + "/"))
    assert crawl.store.reasons() == {("refused", BEYOND_DEPTH): 1}
    crawl.close()
    again, _ = start_crawl(tmp_path, Scope(frozenset({"example.com"}), depth=1))
    assert [row.url for row in again.take(9)] == [SITE + "/a"]
    again.close()


def test_the_page_limit_counts_what_is_under_way(tmp_path):
    crawl, home = start_crawl(tmp_path, max_pages=3)
    crawl.take(9)
    crawl.accept(home, *page("".join(f"<a href=/{n}>n</a>" for n in range(9)), SITE + "/"))
    assert len(crawl.take(9)) == 2
    assert crawl.exhausted
    crawl.close()


def test_a_url_off_the_site_is_refused_by_name(tmp_path):
    crawl, _ = start_crawl(tmp_path)
    with pytest.raises(WebstructError, match=r"is not on the site example\.com"):
        crawl.find("http://elsewhere.example/")
    crawl.close()


# --- what came ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"<p>hello", "text/html; charset=utf-8", "page"),
        (b"hello", "", "page"),
        (b"\x89PNG\r\n\x1a\n", "text/html", "other"),
        (b"a\x00b" * 9, "text/html", "other"),
        ("<p>hi".encode("utf-16"), "text/html", "page"),
        (b"<!-- x --><!DOCTYPE HTML><p>x", "application/octet-stream", "page"),
        (b'{"a": 1}', "application/json", "other"),
        (b'<?xml version="1.0"?><rss version="2.0">', "text/html", "feed"),
        (b'<?xml version="1.0"?><!DOCTYPE html><html>', "application/xml", "page"),
        (b"<urlset>", "application/xml", "feed"),
    ],
)
def test_pages_are_told_from_files_by_their_first_bytes(body, declared, kind):
    assert kind_of(body, declared) == kind


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "10.1.2.3", "169.254.169.254", "::1", "[::1]", "::ffff:10.0.0.1", "0.0.0.0",
     "224.0.0.1", "fe80::1%eth0"],
)  # fmt: skip
def test_private_addresses_are_known_in_every_spelling(address):
    assert is_private(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "example.com", "", "1.example"]
)
def test_public_addresses_and_names_are_not_private(address):
    assert not is_private(address)


MENU = "<ul><li>Home<li>News<li>Contact</ul>"
START = Page.parse(f"{MENU}<h1>Welcome</h1>", SITE)


def not_found(path):
    return Page.parse(f"{MENU}<h1>Sorry</h1><p>{SITE}{path} is not here.", f"{SITE}{path}")


def test_pages_that_show_what_a_probe_shows_are_soft_404s():
    probe = probe_url(f"{SITE}/news/story.html")
    known = NotFoundPage.learn(not_found(probe.removeprefix(SITE)), START)
    assert known is not None
    assert known.message == {"Sorry"}
    assert known.is_shown_by(not_found("/lost.html"))


@pytest.mark.parametrize(
    "main",
    [
        "<h1>Welcome</h1>",
        "<h1>Tag: rain</h1><p>No stories.",
        "<h1>Sorry</h1><p>" + "We were wrong about the rain, and this is how it came about. " * 2,
    ],
)
def test_short_pages_and_those_that_have_their_own_to_say_are_no_soft_404s(main):
    known = NotFoundPage.learn(not_found(probe_url(SITE).removeprefix(SITE)), START)
    assert known is not None
    assert not known.is_shown_by(Page.parse(MENU + main, f"{SITE}/page"))


def test_where_every_address_shows_the_start_page_nothing_is_learned():
    assert NotFoundPage.learn(START, START) is None


WHOLE = b"<p>A page that is long enough to be cut.</p>" * 50


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        (b"gzip", gzip.compress(WHOLE, mtime=0)),
        (b"gzip", gzip.compress(WHOLE[:99], mtime=0) + gzip.compress(WHOLE[99:], mtime=0)),
        (b"deflate", zlib.compress(WHOLE)),
        (b"deflate", zlib.compress(WHOLE)[2:-4]),
        (b"br", brotli.compress(WHOLE)),
    ],
    ids=["gzip", "gzip in two parts", "deflate", "bare deflate", "brotli"],
)
def test_a_compressed_body_without_its_end_is_known(encoding, packed):
    assert not is_cut(packed, encoding, len(WHOLE))
    assert is_cut(packed[: len(packed) // 2], encoding, len(WHOLE) // 2)


def test_what_only_claims_to_be_compressed_is_not_cut():
    assert not any(is_cut(WHOLE, encoding, len(WHOLE)) for encoding in (b"gzip", b"deflate", b"br", b"", b"strange"))


def test_suspicious_pages_are_parsed_in_a_worker_and_come_back_whole():
    parser = CarefulParser()
    body = b"<p>start</p>" + b"<p>x</p>" * 130_000
    assert is_suspicious(body)
    try:
        parsed = asyncio.run(parser.parse(body, SITE, None))
    finally:
        parser.close()
    assert parsed.text().startswith("start")


def test_a_page_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr("webstruct.workers.SECONDS", 0.05)
    parser = CarefulParser()
    hidden = b"<div " + b" ".join(b'a%d="<>"' % number for number in range(60_000)) + b">x</div>"
    try:
        with pytest.raises(PageTooSlow, match="seconds to parse"):
            asyncio.run(parser.parse(hidden, SITE, None))
    finally:
        parser.close()


def test_a_worker_gives_what_its_function_yields_one_call_after_the_other():
    worker = Worker()
    try:
        assert list(worker.run("itertools:repeat", "x", 3)) == ["x", "x", "x"]
        assert list(worker.run("builtins:range", 2)) == [0, 1]
        with pytest.raises(WorkerError, match="ZeroDivisionError"):
            list(worker.run("builtins:divmod", 1, 0))
        assert list(worker.run("builtins:range", 1)) == [0]
    finally:
        worker.close()


def test_a_worker_that_is_killed_is_told_and_replaced_by_the_next_call():
    worker = Worker()
    try:
        with pytest.raises(WorkerDied, match=f"-{signal.SIGPROF:d}"):
            list(worker.run("itertools:count", seconds=0.2))
        assert list(worker.run("builtins:range", 1)) == [0]
    finally:
        worker.close()


def test_a_plain_script_without_a_main_guard_can_use_a_worker(tmp_path):
    script = tmp_path / "plain.py"
    script.write_text(
        "from webstruct.workers import Worker\nw = Worker()\nprint(list(w.run('builtins:range', 2)))\nw.close()\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[0, 1]\n", "")
