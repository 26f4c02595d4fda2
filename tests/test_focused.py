"""Focused crawls of the demo newspaper with the real command, day after day: what is new comes once, and at its price."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from ageing import age

from webstruct.crawl import Fetched, SiteCrawl
from webstruct.demo import DemoServer, DemoSite
from webstruct.demo.calendar import REDESIGN_DAY
from webstruct.entropy import TermEntropy
from webstruct.focus import FocusedCrawl
from webstruct.page import Page
from webstruct.results import conclude
from webstruct.scope import Scope
from webstruct.store import Store

PROJECT = Path(__file__).parent.parent
FAST = ("AUTOTHROTTLE_ENABLED=False", "DOWNLOAD_DELAY=0", "LOG_LEVEL=WARNING")


def command(spider, *arguments, settings=()):
    words = [sys.executable, "-m", "scrapy", "crawl", spider]
    words += [word for argument in arguments for word in ("-a", argument)]
    return words + [word for setting in (*FAST, *settings) for word in ("-s", setting)]


def scrapy(spider, *arguments, settings=()):
    words = command(spider, *arguments, settings=settings)
    return subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, timeout=120)


def start(spider, *arguments, settings=()):
    words = command(spider, *arguments, settings=settings)
    return subprocess.Popen(words, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def learn(server, out):
    run = scrapy("site", f"url={server.url}/", f"out={out}")
    assert run.returncode == 0, run.stderr
    return out


def delivered(folder):
    """All items of all deliveries, in order."""
    files = sorted((folder / "new").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def new_paths(folder, server):
    """Articles delivered as new, in order of their paths."""
    return sorted(paths((item["url"] for item in delivered(folder) if item["version"] == 1), server))


def account(folder):
    return json.loads((folder / "site.json").read_text("utf-8"))["focused"]


def paths(urls, server):
    return [url.removeprefix(server.url) for url in urls]


def lists_of(folder):
    with Store.open(folder / "site.db", read_only=True) as store:
        return sum(row.type == "toc" for row in store.pages())


class Run:
    """One focused run: how it ended, what it asked for, and what it delivered."""

    def __init__(self, server, folder, *arguments, settings=()):
        before, known = len(server.requests), len(delivered(folder))
        self.lists = lists_of(folder)
        self.process = scrapy("focused", f"site={folder}", *arguments, settings=settings)
        self.code = self.process.returncode
        asked = server.requests[before:]
        self.asked = [entry for entry in asked if entry.path != "/robots.txt"]
        self.items = delivered(folder)[known:]
        self.new = paths((item["url"] for item in self.items if item["version"] == 1), server)
        self.changed = paths((item["url"] for item in self.items if item["version"] > 1), server)
        self.gone = paths(account(folder)["gone"], server) if self.code in (0, 6, 8) else []

    def within_bound(self):
        return len(self.asked) <= 1.05 * (self.lists + len(self.new))


# A week


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """The newspaper for a week, a run each evening, and a run over everything on the day after."""
    folder = tmp_path_factory.mktemp("week")
    with DemoServer(DemoSite(pages=120)) as server:
        learn(server, folder)
        runs = {}
        for day in range(1, 9):
            age(folder)
            server.day = day
            runs[day] = Run(server, folder, *(["all=yes"] if day == 8 else []))
        yield server.site, folder, runs


def test_every_new_article_is_delivered_once_and_on_its_day(week):
    site, folder, runs = week
    for day, run in runs.items():
        assert sorted(run.new) == sorted(site.changes(day).new), day
    versions = Counter((item["url"], item["version"]) for item in delivered(folder))
    assert set(versions.values()) == {1}


def test_requests_stay_within_list_pages_plus_new_articles_plus_five_percent(week):
    _, _, runs = week
    for day in range(1, 8):
        assert runs[day].within_bound(), day
        assert len(runs[day].asked) < 30, "lists that are not due, and pages that carry a list on, are left alone"


def test_new_articles_are_read_with_the_wrappers_that_are_known(week):
    site, _, runs = week
    for day in range(1, REDESIGN_DAY):
        for item, path in zip((item for item in runs[day].items if item["version"] == 1), runs[day].new, strict=True):
            truth = site.on(day).truth(path)
            found, wanted = set(item["text"].split()), set(truth.text.split())
            assert len(found & wanted) > 0.8 * len(found | wanted)
            assert item["title"] == truth.title
            assert item["section"][:1] == truth.section[:1]
            assert item["toc_urls"] and item["confidence"] > 0.9 and item["changes"] == {}


def test_corrections_that_lists_show_are_noticed_at_once_with_what_changed(week):
    site, _, runs = week
    days = [day for day in range(1, 8) if day != REDESIGN_DAY]
    seen = [day for day in days if set(site.changes(day).announced) <= set(runs[day].changed)]
    assert len(seen) >= len(days) - 1, "the wrapper of one template leaves out the paragraph that is corrected"
    for day in seen:
        (path,) = site.changes(day).announced
        (item,) = [item for item in runs[day].items if item["url"].endswith(path)]
        assert item["version"] == 2
        old, new = (site.on(when).truth(path).text.split("\n\n")[0] for when in (day - 1, day))
        assert " ".join(old.split()) in item["changes"]["text"]["removed"]
        assert " ".join(new.split()) in item["changes"]["text"]["added"]


def test_only_what_was_corrected_is_delivered_again(week):
    site, _, runs = week
    articles = {path for day in range(9) for path in site.on(day).paths() if site.on(day).truth(path).type == "article"}
    for day, run in runs.items():
        corrected = {path for past in range(1, day + 1) for path in site.changes(past).corrected}
        assert set(run.changed) & articles <= corrected, day


def test_a_run_over_everything_finds_the_corrections_that_no_list_shows_and_all_that_vanished(week):
    site, folder, runs = week
    silent = {path for day in range(1, 9) for path in site.changes(day).corrected} - {
        path for day in range(1, 9) for path in site.changes(day).announced
    }
    noticed = {path for run in runs.values() for path in run.changed}
    assert silent <= noticed
    vanished = {path for day in range(1, 9) for path in site.changes(day).vanished}
    assert vanished <= {path for run in runs.values() for path in run.gone}
    with Store.open(folder / "site.db", read_only=True) as store:
        rows = {row.url: row for row in store.pages("failed")}
    assert all(any(url.endswith(path) and row.reason == "gone" for url, row in rows.items()) for path in vanished)


def test_the_redesign_is_told_learned_and_survived(week):
    _, folder, runs = week
    assert [run.code for run in runs.values()] == [0, 0, 0, 0, 0, 8, 8, 0]
    assert "The site has changed: family" in runs[REDESIGN_DAY].process.stderr
    assert "more pages are needed" in runs[REDESIGN_DAY].process.stdout
    assert "its new design was learned" in runs[REDESIGN_DAY + 1].process.stdout
    assert account(folder)["drift"] == []
    for item in (item for item in runs[REDESIGN_DAY].items if item["version"] == 1):
        assert item["text"] and item["confidence"] <= 0.5, "the old wrapper is kept, and known to be unsure"
    for item in runs[8].items:
        if item["version"] == 1:
            assert item["confidence"] > 0.8


def test_a_week_does_not_inflate_the_statistics(week):
    _, folder, _ = week
    with Store.open(folder / "site.db", read_only=True) as store:
        saved = TermEntropy.load(store.load_statistics("terms")[0])
        fresh = TermEntropy()
        for _, arrays in store.iter_arrays():
            fresh.update(*Page.unpack(arrays).term_counts())
        assert store.counts().found == sum(
            getattr(store.counts(), name) for name in ("stored", "failed", "refused", "pending")
        )
        assert list(store.history.outdated()) == []
    assert saved.pages == fresh.pages
    assert set(saved.terms) == set(fresh.terms)
    order = saved.ids(fresh.terms)
    assert np.array_equal(saved.frequency[order], fresh.frequency)
    assert np.allclose(saved.entropy(order), fresh.entropy())


def test_site_json_and_the_report_of_news_are_those_of_the_last_run(week):
    site, folder, runs = week
    summary = json.loads((folder / "site.json").read_text("utf-8"))
    assert summary["focused"]["new"] == len(runs[8].new)
    assert summary["counts"]["stored"] == summary["pages"] == sum(summary["types"].values())
    listed = {url for entry in summary["structure"] for url in entry["articles"]}
    assert all(any(url.endswith(path) for url in listed) for path in site.changes(8).new)
    report = (folder / "new" / "report.html").read_text("utf-8")
    assert all(path in report for path in runs[8].new)


# Single runs


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60, dirt=False)) as running:
        yield running


@pytest.fixture(scope="module")
def first(server, tmp_path_factory):
    return learn(server, tmp_path_factory.mktemp("first"))


@pytest.fixture
def folder(server, first, tmp_path):
    """The learned site a day later, for one test to spoil."""
    server.day = 0
    copy = shutil.copytree(first, tmp_path / "site")
    age(copy)
    return copy


def test_nothing_new_costs_a_handful_of_unchanged_lists(server, folder):
    run = Run(server, folder)
    assert run.code == 0
    assert run.process.stdout.startswith("0 new articles, 0 changed, 0 gone\n")
    assert {entry.status for entry in run.asked} == {304}
    assert 0 < len(run.asked) <= run.lists
    assert delivered(folder) == []
    again = Run(server, folder)
    assert (again.code, again.asked) == (0, [])
    assert "no list is due yet" in again.process.stdout


def test_a_budget_is_kept_and_the_next_run_goes_on(server, folder):
    server.day = 2
    wanted = sorted(server.site.changes(1).new + server.site.changes(2).new)
    run = Run(server, folder, "budget=4")
    assert run.code == 6
    assert len(run.asked) == 4
    assert run.new, "the most valuable first: lists that bring articles, and the articles"
    assert Run(server, folder).code == 0
    assert new_paths(folder, server) == wanted


def test_two_runs_do_not_meet(server, folder):
    server.day = 1
    slow = start("focused", f"site={folder}", settings=["DOWNLOAD_DELAY=1"])
    before = len(server.requests)
    end = time.monotonic() + 30
    while len(server.requests) == before and time.monotonic() < end:
        time.sleep(0.05)
    second = scrapy("focused", f"site={folder}")
    slow.kill()
    slow.wait()
    assert second.returncode == 4
    assert "is being written by another process" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_run_killed_at_any_moment_loses_nothing_and_delivers_nothing_twice(server, folder):
    moments = random.Random(3)
    server.day = 3
    for _ in range(8):
        process = start("focused", f"site={folder}", settings=["DOWNLOAD_DELAY=0.02"])
        time.sleep(moments.uniform(1.0, 2.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        age(folder)
    assert Run(server, folder).code == 0
    assert new_paths(folder, server) == sorted(path for day in (1, 2, 3) for path in server.site.changes(day).new)
    with closing(sqlite3.connect(folder / "site.db")) as connection:
        assert connection.execute("SELECT count(*) FROM versions WHERE delivery IS NULL").fetchone() == (0,)


def test_a_run_that_died_between_its_files_and_its_store_writes_the_same_file_again(server, folder):
    server.day = 1
    Run(server, folder)
    before = delivered(folder)
    with closing(sqlite3.connect(folder / "site.db", isolation_level=None)) as connection:
        connection.execute("UPDATE versions SET delivery = NULL WHERE delivery = 1")
    assert Run(server, folder).code == 0
    assert sorted(item["url"] for item in delivered(folder)) == sorted(item["url"] for item in before)


def test_an_interrupted_run_delivers_nothing_and_the_next_one_all(server, folder):
    server.day = 1
    process = start("focused", f"site={folder}", settings=["DOWNLOAD_DELAY=0.3"])
    before = len(server.requests)
    end = time.monotonic() + 30
    while len(server.requests) < before + 3 and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 5
    assert delivered(folder) == []
    assert Run(server, folder).code == 0
    assert new_paths(folder, server) == sorted(server.site.changes(1).new)


def test_a_site_that_does_not_answer_is_told_as_such_and_kept(server, first, tmp_path):
    copy = shutil.copytree(first, tmp_path / "site")
    age(copy)
    with closing(sqlite3.connect(copy / "site.db", isolation_level=None)) as connection:
        connection.execute("UPDATE pages SET url = replace(url, ?, 'http://127.0.0.1:9')", [server.url])
    run = scrapy("focused", f"site={copy}", settings=["RETRY_ENABLED=False"])
    assert run.returncode == 7
    assert lists_of(copy) == lists_of(first)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "site is missing"),
        (["site=nowhere"], "nowhere has no site.db: learn the site first"),
        (["url=http://unknown.example/"], "webstruct-out/unknown.example has no site.db"),
        (["site=FOLDER", "budget=0"], "budget='0' should be a whole number, at least 1"),
        (["site=FOLDER", "all=perhaps"], "all='perhaps' should be yes or no"),
        (["site=FOLDER", "depth=3"], "depth='3': no such argument"),
    ],
)
def test_a_wrong_argument_ends_the_run_at_once_with_a_sentence(first, arguments, sentence):
    run = scrapy("focused", *(argument.replace("FOLDER", str(first)) for argument in arguments))
    assert run.returncode == 2
    assert sentence in run.stderr


# Without a network


def story(name):
    return (
        f"<html><title>{name}</title><body><div id=top><a href=/>Home</a></div><article><h1>Story {name}</h1>"
        + "".join(f"<p>{name} {word} rose over the river {name}{number}.</p>" for number, word in enumerate("uvwxyz"))
        + "</article></body></html>"
    )


def listing(names, onward=""):
    cards = "".join(
        f'<li class="card"><h3><a href="/{name}.html">Story {name}</a></h3><p>On {name}.</p></li>' for name in names
    )
    top = "<html><title>List</title><body><div id=top><a href=/>Home</a></div>"
    return f"{top}<ul class=list>{cards}</ul>{onward}</body></html>"


SECOND = '<div class="pages"><b>1</b> <a href="/page/2/">2</a></div>'
NAMES = [f"n{number}" for number in range(100, 124)]


def small_site():
    pages = {"/": listing(NAMES[:12], SECOND), "/page/2/": listing(NAMES[12:])}
    return pages | {f"/{name}.html": story(name) for name in NAMES}


def take_in(crawl, row, html):
    crawl.accept(row.id, Page.parse(html, row.url), Fetched(row.url, 200, html.encode()))


@pytest.fixture
def known(tmp_path):
    """A small site, learned without a network."""
    pages = small_site()
    crawl = SiteCrawl.open(tmp_path, "http://e.com/", Scope(frozenset({"e.com"})), max_pages=99)
    crawl.find("http://e.com/")
    while rows := crawl.take(9):
        for row in rows:
            take_in(crawl, row, pages[row.url.removeprefix("http://e.com")])
    crawl.save()
    *_, conclusion = conclude(tmp_path, True)
    crawl.keep(conclusion)
    crawl.close()
    age(tmp_path, 2)
    return tmp_path


def open_crawl(folder, **options):
    return FocusedCrawl.open_known(folder, **options)


def asked(rows):
    return [row.url.removeprefix("http://e.com") for row in rows]


def test_a_list_is_followed_until_a_known_article_appears(known):
    crawl = open_crawl(known)
    (home,) = crawl.take(9)
    assert home.url == "http://e.com/", "the second page carries the first one on, and is not due by itself"
    fresh = [f"n{number}" for number in range(200, 212)]
    take_in(crawl, home, listing(fresh, SECOND))
    rows = crawl.take(99)
    assert "/page/2/" in asked(rows)
    (second,) = [row for row in rows if row.url.endswith("/page/2/")]
    take_in(
        crawl,
        second,
        listing(["n212", *NAMES[:11]], '<div class="pages"><a href="/">1</a> <b>2</b> <a href="/page/3/">3</a></div>'),
    )
    rest = {*asked(rows), *asked(crawl.take(99))}
    assert rest == {"/page/2/", *(f"/{name}.html" for name in [*fresh, "n212"])}, "and not the third"
    crawl.close()


def test_new_articles_of_a_list_survive_a_crash_together_with_it(known):
    crawl = open_crawl(known)
    (home,) = crawl.take(9)
    take_in(crawl, home, listing(["n300", *NAMES[:11]], SECOND))
    crawl.store.close()  # as if the process died: nothing was saved
    crawl = open_crawl(known)
    assert asked(crawl.take(9)) == ["/n300.html"]
    fresh = TermEntropy()
    for _, arrays in crawl.store.iter_arrays():
        fresh.update(*Page.unpack(arrays).term_counts())
    order = crawl.entropy.ids(fresh.terms)
    assert crawl.entropy.pages == fresh.pages
    assert np.allclose(crawl.entropy.entropy(order), fresh.entropy())
    crawl.close()


def test_a_server_that_finds_nothing_has_lost_more_than_its_pages(known):
    crawl = open_crawl(known, everything=True)
    while rows := crawl.take(99):
        for row in rows:
            crawl.fail(row.id, "HTTP 404", 404)
    assert crawl.gone_urls == []
    crawl.close()


def test_a_page_that_is_gone_comes_back_if_a_list_has_it_again(known):
    crawl = open_crawl(known, everything=True)
    rows = {path: row for row in crawl.take(99) for path in asked([row])}
    take_in(crawl, rows["/"], listing(NAMES[1:12], SECOND))
    crawl.unchanged(rows["/page/2/"].id)
    rows = {path: row for row in crawl.take(99) for path in asked([row])}
    crawl.fail(rows.pop("/n100.html").id, "HTTP 410", 410)
    assert crawl.gone_urls == ["http://e.com/n100.html"]
    for row in rows.values():
        crawl.unchanged(row.id)
    crawl.close()
    age(known, 2)
    crawl = open_crawl(known)
    (home,) = crawl.take(9)
    take_in(crawl, home, listing(NAMES[:12], SECOND))
    assert asked(crawl.take(9)) == ["/n100.html"]
    crawl.close()


def test_a_page_that_moved_for_good_is_followed_and_one_that_moved_for_now_is_not(known):
    crawl = open_crawl(known)
    (home,) = crawl.take(9)
    assert crawl.redirect(home.id, "http://e.com/elsewhere/", kind="redirect", status=302) is None
    assert crawl.store.page(home.id).state == "stored"
    crawl.close()
    crawl = open_crawl(known, everything=True)
    rows = {path: row for row in crawl.take(99) for path in asked([row])}
    crawl.redirect(rows["/page/2/"].id, "http://e.com/older/", kind="redirect", status=301)
    crawl.unchanged(rows["/"].id)
    (moved,) = [row for row in crawl.take(99) if row.url == "http://e.com/older/"]
    take_in(crawl, moved, listing(["n400", *NAMES[12:]]))
    assert crawl.store.page(moved.id).type == "toc"
    crawl.close()


def test_an_article_that_a_list_shows_otherwise_is_looked_at_even_by_the_next_run(known):
    crawl = open_crawl(known)
    (home,) = crawl.take(9)
    take_in(crawl, home, listing(NAMES[:12], SECOND).replace("On n105.", "Corrected: on n105."))
    crawl.store.close()  # the process died
    crawl = open_crawl(known)
    assert "/n105.html" in asked(crawl.take(9))
    crawl.close()


def test_with_a_budget_lists_are_asked_for_one_by_one_and_what_they_bring_comes_first(known):
    crawl = open_crawl(known, everything=True, budget=3)
    (home,) = crawl.take(9)
    take_in(crawl, home, listing(["n500", "n501", *NAMES[:10]], SECOND))
    assert asked(crawl.take(9)) == ["/n500.html", "/n501.html"]
    assert crawl.exhausted
    assert crawl.over_budget
    crawl.close()
