"""Whole crawls of the served demo site with the real command: nothing lost, nothing twice, and every end told."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from webstruct.demo import DemoServer, DemoSite
from webstruct.store import Store

PROJECT = Path(__file__).parent.parent
FAST = ("AUTOTHROTTLE_ENABLED=False", "DOWNLOAD_DELAY=0", "LOG_LEVEL=WARNING")
FILES = ("articles.jsonl", "pages.jsonl", "site.json", "report.html", "site.db")


def command(url, out, *arguments, settings=()):
    words = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={url}", "-a", f"out={out}"]
    words += [word for argument in arguments for word in ("-a", argument)]
    return words + [word for setting in (*FAST, *settings) for word in ("-s", setting)]


def crawl(url, out, *arguments, settings=(), first_path=""):
    paths = os.pathsep.join(filter(None, [str(first_path), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        command(url, out, *arguments, settings=settings),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": paths},
    )


def start(url, out, *arguments, settings=()):
    return subprocess.Popen(
        command(url, out, *arguments, settings=settings),
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def stored_paths(out, server):
    with Store.open(out / "site.db", read_only=True) as store:
        return Counter(row.url.removeprefix(server.url) for row in store.pages())


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=120)) as running:
        yield running


def assert_whole(out, server):
    """All good pages are there, once, and the figures agree with each other and with the store."""
    stored = stored_paths(out, server)
    assert set(stored.values()) == {1}
    assert set(server.site.paths()) <= stored.keys()
    site = json.loads((out / "site.json").read_text("utf-8"))
    counts = site["counts"]
    assert counts["found"] == counts["stored"] + counts["failed"] + counts["refused"] + counts["pending"]
    assert (counts["stored"], counts["pending"], site["complete"]) == (len(stored), 0, True)
    pages = lines(out / "pages.jsonl")
    assert sorted(page["url"].removeprefix(server.url) for page in pages) == sorted(stored)


def assert_articles_on_several_pages_are_one(out, server):
    truths = {path: server.site.truth(path) for path in server.site.paths()}
    chains = [truth.parts for path, truth in truths.items() if len(truth.parts) > 1 and truth.parts[0] == path]
    assert chains
    articles = {article["url"].removeprefix(server.url): article for article in lines(out / "articles.jsonl")}
    pages = {page["url"].removeprefix(server.url): page for page in lines(out / "pages.jsonl")}
    for first, *later in chains:
        text = articles[first]["text"].split("\n\n")
        for path in (first, *later):
            assert set(truths[path].text.split("\n\n")[-1:]) <= set(text)
            assert pages[path]["type"] == "article"
        assert not set(later) & articles.keys()
        assert {pages[path]["part_of"] for path in later} == {server.url + first}
    parts = {path for _, *later in chains for path in later}
    assert all(page["part_of"] is None for path, page in pages.items() if path not in parts)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_command_crawls_a_site_and_fetches_every_page_once(tmp_path, language):
    with DemoServer(DemoSite(pages=60, language=language)) as server:
        run = crawl(server.url, tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert_whole(tmp_path, server)
        assert_articles_on_several_pages_are_one(tmp_path, server)
        fetched = Counter(entry.path for entry in server.requests if entry.status == 200)
        good = set(server.site.paths())
        assert {path: count for path, count in fetched.items() if path in good and count != 1} == {}
        assert all((tmp_path / name).exists() for name in FILES)
        assert not list(tmp_path.glob(".*")), "temporary files are left"
        for name in FILES[:4]:
            assert name in run.stdout, "the summary names the files"


def test_private_pages_are_left_to_robots_and_traps_end(tmp_path, server):
    run = crawl(server.url, tmp_path)
    assert run.returncode == 0, run.stderr
    assert not any("/private/" in entry.path for entry in server.requests)
    with Store.open(tmp_path / "site.db", read_only=True) as store:
        reasons = {reason for _, reason in store.reasons()}
    assert {"robots.txt", "meta refresh", "trap: path repeats itself", "trap: nothing new behind such URLs"} <= reasons


def test_kill_nine_at_twenty_moments_loses_nothing_and_stores_nothing_twice(tmp_path, server):
    moments = random.Random(5)
    for _ in range(20):
        process = start(server.url, tmp_path)
        time.sleep(moments.uniform(0.7, 1.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (tmp_path / "site.db").exists():
            with Store.open(tmp_path / "site.db", read_only=True) as store:
                counts = store.counts()
                assert counts.found == sum((counts.stored, counts.failed, counts.refused, counts.pending))
    run = crawl(server.url, tmp_path)
    assert run.returncode == 0, run.stderr
    assert_whole(tmp_path, server)


def test_one_interrupt_delivers_what_is_there_and_the_same_command_resumes(tmp_path, server):
    process = start(server.url, tmp_path, settings=["DOWNLOAD_DELAY=0.02"])
    until(lambda: (tmp_path / "site.db").exists() and sum(stored_paths(tmp_path, server).values()) > 10)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 5
    site = json.loads((tmp_path / "site.json").read_text("utf-8"))
    assert site["complete"] is False
    assert len(lines(tmp_path / "pages.jsonl")) == site["counts"]["stored"] > 0
    assert crawl(server.url, tmp_path).returncode == 0
    assert_whole(tmp_path, server)


def test_two_interrupts_stop_at_once_and_lose_nothing(tmp_path, server):
    process = start(server.url, tmp_path, settings=["DOWNLOAD_DELAY=0.5"])
    until(lambda: (tmp_path / "site.db").exists() and sum(stored_paths(tmp_path, server).values()) > 2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(20)
    assert crawl(server.url, tmp_path).returncode == 0
    assert_whole(tmp_path, server)


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def test_a_page_limit_ends_the_crawl_with_results_and_the_next_run_goes_on(tmp_path, server):
    run = crawl(server.url, tmp_path, "max_pages=20")
    assert run.returncode == 6
    assert len(lines(tmp_path / "pages.jsonl")) == 20
    assert json.loads((tmp_path / "site.json").read_text("utf-8"))["complete"] is False
    assert crawl(server.url, tmp_path).returncode == 0
    assert_whole(tmp_path, server)


def test_depth_limits_hold_for_the_site_and_for_sub_trees(tmp_path, server):
    assert crawl(server.url, tmp_path / "a", "depth=1", "paths=/tag/:0").returncode == 0
    with Store.open(tmp_path / "a" / "site.db", read_only=True) as store:
        rows = list(store.pages())
    assert max(row.depth for row in rows) == 1
    assert not any("/tag/" in row.url for row in rows)
    assert crawl(server.url, tmp_path / "a").returncode == 0, "a larger depth goes on where the smaller one stopped"
    assert_whole(tmp_path / "a", server)


def test_a_sitemap_leads_to_pages_beyond_the_depth_of_links(tmp_path, server):
    assert crawl(server.url, tmp_path, "sitemap=yes", "depth=1").returncode == 0
    articles = {path for path in server.site.paths() if server.site.truth(path).type == "article"}
    assert articles <= stored_paths(tmp_path, server).keys()


def test_every_bad_response_is_recorded_with_its_reason(tmp_path, server):
    run = crawl(server.url + "/_/", tmp_path, "depth=1", settings=["DOWNLOAD_TIMEOUT=5", "LOG_LEVEL=ERROR"])
    assert (run.returncode, run.stderr) == (0, "")
    with Store.open(tmp_path / "site.db", read_only=True) as store:
        outcome = {
            row.url.removeprefix(server.url + "/_/"): (row.state, row.reason)
            for state in ("stored", "failed", "refused")
            for row in store.pages(state)
        }
        assert store.counts().pending == 0
    assert outcome["status/404"] == ("failed", "HTTP 404")
    assert outcome["status/500"] == ("failed", "HTTP 500")
    assert outcome["status/503?retry-after=1&times=2"] == ("stored", None)
    assert outcome["status/429?retry-after=1&times=1"] == ("stored", None)
    assert outcome["redirect/loop"] == ("failed", "redirect in a circle")
    assert outcome["redirect/bad"] == ("refused", "redirect to no page")
    assert outcome["redirect/file"] == ("refused", "redirect to no page")
    assert outcome["redirect/outside"] == ("refused", "redirect off the site")
    assert outcome["redirect/3"] == ("refused", "redirect")
    assert outcome["endless"] == ("failed", "too large")
    assert outcome["bomb"] == ("failed", "too large")
    assert outcome["truncated"] == ("failed", "response cut off")
    assert outcome["truncated?gzip=1"] == ("stored", "cut: transfer")
    assert outcome["binary"] == ("refused", "not HTML")
    assert outcome["html-as/pdf"] == ("stored", None)
    assert outcome["deep?depth=5000"] == ("stored", "cut: depth")
    assert outcome["attributes?count=40000"] == ("stored", "cut: attributes")
    assert outcome["links?count=100000"] == ("stored", "cut: links")
    assert outcome["empty"] == ("stored", "no content")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["depth=deep"], "depth='deep' should be a whole number, at least 0"),
        (["max_pages=0"], "max_pages='0' should be a whole number, at least 1"),
        (["paths=news"], "'news' should be a path and a depth, as in /news/:5"),
        (["subdomains=perhaps"], "subdomains='perhaps' should be yes or no"),
        (["colour=red"], "colour='red': no such argument"),
        (["url=ftp://example.com/"], "url='ftp://example.com/' is not an http or https address"),
        (["url="], "url is missing"),
    ],
)
def test_a_wrong_argument_ends_the_run_at_once_with_a_sentence(tmp_path, server, arguments, sentence):
    run = crawl(server.url, tmp_path / "never", *arguments)
    assert run.returncode == 2
    assert sentence in run.stderr
    assert not (tmp_path / "never").exists()


def test_a_second_crawl_of_the_same_folder_is_refused_with_a_sentence(tmp_path, server):
    first = start(server.url, tmp_path, settings=["DOWNLOAD_DELAY=0.5"])
    until(lambda: (tmp_path / "site.db").exists())
    second = crawl(server.url, tmp_path)
    first.kill()
    first.wait()
    assert second.returncode == 4
    assert "is being written by another process" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_folder_of_another_site_is_not_mixed_up(tmp_path, server):
    crawl(server.url, tmp_path, "max_pages=1")
    run = crawl("http://127.0.0.1:9/", tmp_path)
    assert run.returncode == 1
    assert "choose another folder" in run.stderr


def test_pages_that_only_failed_for_now_are_asked_for_again_by_the_next_run(tmp_path, server):
    url = server.url + "/_/status/503?retry-after=600&times=1"
    assert crawl(url, tmp_path).returncode == 7
    run = crawl(url, tmp_path)
    assert (run.returncode, stored_paths(tmp_path, server).total()) == (0, 1)


def test_soft_404s_end_after_a_probe_and_cost_no_good_page(tmp_path, server):
    assert crawl(server.url, tmp_path, settings=["CONCURRENT_REQUESTS=1"]).returncode == 0
    assert_whole(tmp_path, server)
    with Store.open(tmp_path / "site.db", read_only=True) as store:
        soft = [row.url for row in store.pages("failed") if row.reason == "soft 404"]
        stored = [row.url for row in store.pages() if "/archive/lost/" in row.url]
    assert len(soft) == 1, "the chain of them ends as soon as one is known"
    assert len(stored) == 2, "two alike were the reason to ask"


def test_a_site_that_answers_nothing_is_told_as_such(tmp_path):
    run = crawl("http://127.0.0.1:9/", tmp_path, settings=["RETRY_ENABLED=False"])
    assert run.returncode == 7
    assert "connection refused" in run.stdout
    assert json.loads((tmp_path / "site.json").read_text("utf-8"))["counts"]["failed"] == 1


def test_templates_are_learned_kept_and_tried_on_the_pages_of_the_next_run(tmp_path, server):
    settings = ("WEBSTRUCT_TEMPLATE_PAGES=8", "LOG_LEVEL=INFO")
    assert crawl(server.url, tmp_path, "max_pages=60", settings=settings).returncode == 6
    first = json.loads((tmp_path / "site.json").read_text("utf-8"))
    templates = [family["template"] for family in first["families"] if family["template"]]
    assert templates
    assert all(0 < template["pages"] <= 8 and template["tokens"] > 10 for template in templates)
    run = crawl(server.url, tmp_path, settings=settings)
    assert run.returncode == 0, run.stderr
    families = json.loads((tmp_path / "site.json").read_text("utf-8"))["families"]
    tried_twice = [family for family in families if [fit["run"] for fit in family["fits"]] == [1, 2]]
    assert tried_twice, "pages of the second run are tried on the templates of the first"
    assert all(0.5 < fit["share"] <= 1 and 0 < fit["pages"] <= 8 for own in tried_twice for fit in own["fits"])
    assert f"'webstruct/template_fit/{tried_twice[0]['id']}': {tried_twice[0]['fits'][1]['share']}" in run.stderr
    with Store.open(tmp_path / "site.db", read_only=True) as store:
        assert [one.outcome for one in store.runs()] == ["incomplete", "complete"]
        assert {(fit.run, fit.family): round(fit.value, 4) for fit in store.fits("template")} == {
            (fit["run"], family["id"]): fit["share"] for family in families for fit in family["fits"]
        }
    assert crawl(server.url, tmp_path, settings=settings).returncode == 0
    again = json.loads((tmp_path / "site.json").read_text("utf-8"))["families"]
    assert again == families, "a run that brings nothing new changes no template"


def test_a_failing_analysis_is_never_a_silent_success_and_the_crawl_is_kept(tmp_path, server):
    (tmp_path / "sitecustomize.py").write_text(
        "import webstruct.results as results\n"
        "def batches(self): raise RuntimeError('broken on purpose')\n"
        "results.SiteResults.batches = batches\n"
    )
    out = tmp_path / "out"
    run = crawl(server.url, out, "max_pages=5", first_path=tmp_path)
    assert run.returncode == 3
    assert "the crawl itself is safe in" in run.stderr
    assert "broken on purpose" in run.stderr
    assert sum(stored_paths(out, server).values()) == 5
    assert crawl(server.url, out).returncode == 0


def test_a_wrong_setting_ends_the_run_before_any_request(tmp_path, server):
    run = crawl(server.url, tmp_path / "never", settings=["WEBSTRUCT_SETTLED_PAGES=few"])
    assert run.returncode == 1
    assert "WEBSTRUCT_SETTLED_PAGES='few' should be a whole number, at least 2" in run.stderr
    assert not (tmp_path / "never").exists()


def test_a_terminal_shows_a_live_line_and_no_terminal_shows_none(tmp_path, server):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(server.url, tmp_path / "a", settings=["DOWNLOAD_DELAY=0.02"]),
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "NO_COLOR": ""},
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the end of a terminal
        while data := os.read(ours, 4096):
            shown += data
    os.close(ours)
    assert process.wait() == 0
    text = shown.decode()
    assert re.search(r"\d+ pages, \d+ queued, [\d.]+ pages/s, \d+ templates, about \d+ articles", text)
    assert re.search(r"learning the site from \d+ pages, \d+ delivered", text)
    assert "queued" not in crawl(server.url, tmp_path / "b", settings=["LOG_LEVEL=INFO"]).stdout
