"""`scrapy webstruct …` as a person runs it, on real crawls of the served demo sites."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import networkx as nx
import pytest
from scrapy.cmdline import execute
from test_site_crawl import FAST, FILES, lines
from test_warc import block, page, record

from webstruct.demo import DemoServer, DemoSite
from webstruct.explanation import points
from webstruct.store import Found, Store
from webstruct.wrapper import Wrapper

SUBCOMMANDS = ("crawl", "report", "articles", "explain", "wrappers", "graph", "analyse", "import", "export")
WORDS = [sys.executable, "-m", "scrapy", "webstruct"]


def scrapy(*words, cwd):
    """Run it in a process of its own."""
    return subprocess.run([*WORDS, *map(str, words)], cwd=cwd, capture_output=True, encoding="utf-8", timeout=100)


def quickly(*words, cwd):
    """Run it in this process, as commands that need no reactor can be: a second saved each time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        execute(["scrapy", "webstruct", *map(str, words)])
    texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
    return subprocess.CompletedProcess(words, ended.value.code, *texts)


def done(*words, cwd):
    needs_reactor = words[0] in ("crawl", "analyse", "import")
    run = (scrapy if needs_reactor else quickly)(*words, cwd=cwd)
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    return run


def crawled(folder, language):
    with DemoServer(DemoSite(pages=60, language=language)) as server:
        settings = [word for setting in FAST for word in ("-s", setting)]
        done("crawl", server.url, "-a", f"out={folder / language}", "--quiet", *settings, cwd=folder)
    return folder / language


@pytest.fixture(scope="module")
def english(tmp_path_factory):
    return crawled(tmp_path_factory.mktemp("crawls"), "en")


@pytest.fixture(scope="module")
def chinese(tmp_path_factory):
    return crawled(tmp_path_factory.mktemp("crawls"), "zh")


@pytest.fixture
def copy(english, tmp_path):
    return Path(shutil.copytree(english, tmp_path / "site"))


def first(folder, kind):
    return next(page for page in lines(folder / "pages.jsonl") if page["type"] == kind)


def refused(run, *words, code=2):
    assert run.returncode == code
    assert "Traceback" not in run.stderr
    assert all(word in run.stderr for word in words), run.stderr
    return run


# Finding the commands


@pytest.mark.parametrize("inside", [False, True])
def test_scrapy_shows_the_command_inside_and_outside_of_projects(tmp_path, inside):
    folder = Path(__file__).parent.parent if inside else tmp_path
    words = [sys.executable, "-m", "scrapy", "-h"]
    shown = subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout
    (line,) = (line for line in shown.splitlines() if line.split()[:1] == ["webstruct"])
    assert all(name in line for name in SUBCOMMANDS)
    assert "  skeleton " in shown


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help_with_examples(tmp_path, name):
    shown = quickly(name, "--help", cwd=tmp_path).stdout
    assert f"usage: scrapy webstruct {name} " in shown
    assert f"examples:\n  scrapy webstruct {name} " in shown


def test_wrong_words_are_refused_with_a_sentence(tmp_path, english):
    refused(quickly(cwd=tmp_path), "name one of crawl, report")
    refused(quickly("reprot", english, cwd=tmp_path), "invalid choice: 'reprot'")
    refused(quickly("report", english, "--bright", cwd=tmp_path), "'--bright' is not understood")
    refused(quickly("crawl", "ftp://e.com", cwd=tmp_path), "url='ftp://e.com' is not an http or https address")
    refused(quickly("crawl", "e.com", "-a", "depht=2", cwd=tmp_path), "depht='2': no such argument")


# Articles


def test_articles_as_csv_are_read_by_csv_with_every_character(chinese, tmp_path):
    done("articles", chinese, "--format", "csv", "-o", "a.csv", cwd=tmp_path)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    articles = lines(chinese / "articles.jsonl")
    for name in ("url", "title", "text", "markdown"):
        assert [row[name] for row in rows] == [article[name] for article in articles]
    assert any("\u4e00" <= char <= "\u9fff" for char in rows[0]["title"])
    assert rows[0]["section"] == " > ".join(articles[0]["section"])


def test_articles_as_json_lines_are_those_of_the_crawl(chinese, tmp_path):
    shown = done("articles", chinese, "--format", "jsonl", cwd=tmp_path).stdout
    assert [json.loads(line) for line in shown.splitlines()] == lines(chinese / "articles.jsonl")


@pytest.mark.parametrize("form", ["md", "txt"])
def test_articles_as_files_have_names_and_text_of_their_own(english, tmp_path, form):
    done("articles", english, "--format", form, "-o", "texts/", cwd=tmp_path)
    articles, files = lines(english / "articles.jsonl"), sorted((tmp_path / "texts").glob(f"*.{form}"))
    assert len(files) == len(articles) > 30
    for article, file in zip(articles, files, strict=True):
        written = file.read_text("utf-8")
        assert article["title"] in written
        assert article["url"] in written
        assert written.strip().endswith(article["markdown" if form == "md" else "text"].strip())
        assert article["markdown"].strip()


def test_all_articles_in_one_file(english, tmp_path):
    shown = done("articles", english, "--format", "md", cwd=tmp_path).stdout
    assert shown.count("\n# ") >= len(lines(english / "articles.jsonl"))
    run = quickly("articles", english, "--format", "csv", "-o", tmp_path, cwd=tmp_path)
    refused(run, f"{tmp_path} is a folder, and csv is one file")
    refused(quickly("articles", english, "-o", "nowhere/a.md", cwd=tmp_path), "nowhere/a.md has no folder to be in")
    assert not list(tmp_path.iterdir())


def test_a_reader_that_has_seen_enough_is_no_error(english, tmp_path):
    for words in (("articles", "--format", "jsonl"), ("graph",), ("explain", first(english, "toc")["url"])):
        command = [*WORDS, words[0], str(english), *words[1:]]
        piped = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        piped.stdout.close()
        assert piped.wait(60) == 0
        assert "Error" not in piped.stderr.read()
        piped.stderr.close()


def test_text_is_utf_8_in_any_locale(chinese, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [*WORDS, "articles", str(chinese), "--format", "txt"]
    shown = subprocess.run(words, cwd=tmp_path, capture_output=True, env=environment).stdout.decode("utf-8")
    assert lines(chinese / "articles.jsonl")[0]["title"] in shown


# Explanations


def test_a_list_page_is_explained(english, tmp_path):
    toc = first(english, "toc")
    shown = done("explain", english, toc["url"].rstrip("/"), cwd=tmp_path).stdout
    assert f"{toc['url']}\n  is a list page, with a probability of {toc['confidence']:.3f}" in shown
    assert toc["blocks"][0]["xpath"] in shown
    assert f"Lists ({len(toc['links'])})\n  {toc['links'][0]}" in shown
    assert f"{toc['rank']:+.2f}  log-odds of a list" in shown


def test_an_article_is_explained_with_its_scores_family_and_lists(english, tmp_path):
    article = lines(english / "articles.jsonl")[0]
    told = json.loads(done("explain", english, article["url"], "--json", cwd=tmp_path).stdout)
    assert (told["type"], told["listed_by"][: len(article["toc_urls"])]) == ("article", told["listed_by"])
    assert sorted(told["listed_by"]) == sorted(article["toc_urls"])
    roles = {block["role"]: block for block in told["blocks"]}
    assert roles["article"]["cii"] > 0.2 >= roles["template"]["cii"]
    assert roles["article"]["characters"] > 500
    assert told["wrapper"]["region"]
    shown = done("explain", english, article["url"], cwd=tmp_path).stdout
    assert told["wrapper"]["region"] in shown
    assert all(url in shown for url in told["listed_by"])


def test_the_evidence_adds_up_to_what_was_decided(english, chinese):
    for page_ in lines(english / "pages.jsonl") + lines(chinese / "pages.jsonl"):
        told = {point.name: point for point in points(page_)}
        parts = sum(told[name].weight for name in ("entries", "family_toc", "listed_by"))
        assert parts == pytest.approx(page_["rank"], abs=0.01)
        assert told["listed_by"].weight <= 0.01, "being listed speaks against a list"
        assert page_["part_of"] or (page_["type"] == "toc") == (told["rank"].value > 0)
        if page_["type"] != "toc" and page_["part_of"] is None:
            assert (page_["type"] == "article") == (told["article"].value > 0.5)
            not_a_list = 1 / (1 + 2.718281828 ** page_["rank"])
            of_type = told["article"].value if page_["type"] == "article" else 1 - told["article"].value
            assert page_["confidence"] == pytest.approx(not_a_list * of_type, abs=0.002)


def test_an_unknown_page_is_answered_with_the_nearest(english, tmp_path):
    article = lines(english / "articles.jsonl")[0]["url"]
    run = refused(quickly("explain", english, article[:-7] + "x", cwd=tmp_path), "was not found in the crawl; near it:")
    assert article in run.stderr
    refused(quickly("explain", english, "http://[::1", cwd=tmp_path), "is not an http or https address")


def test_a_page_that_was_not_kept_is_explained_too(english, tmp_path):
    with Store.open(english / "site.db", read_only=True) as store:
        row = next(row for row in store.pages("refused") if row.redirect)
        onward = store.page(row.redirect)
    shown = done("explain", english, row.url, cwd=tmp_path).stdout
    assert f"{row.url} was refused: {row.reason}; it leads to {onward.url}; first found on http" in shown


# Wrappers and graphs


def test_wrappers_can_be_used_as_they_were_written(english, tmp_path):
    done("wrappers", english, "-o", "w.json", cwd=tmp_path)
    exported = json.loads((tmp_path / "w.json").read_text("utf-8"))
    families = json.loads((english / "site.json").read_text("utf-8"))["families"]
    assert exported["families"] == [
        {name: own[name] for name in ("id", "type", "pages", "wrapper")} for own in families
    ]
    wrappers = [family["wrapper"] for family in exported["families"] if family["wrapper"]]
    assert wrappers
    assert [Wrapper.from_dict(wrapper).as_dict() for wrapper in wrappers] == wrappers


@pytest.mark.parametrize(("form", "read"), [("graphml", nx.read_graphml), ("gexf", nx.read_gexf)])
def test_graphs_are_read_by_networkx(chinese, tmp_path, form, read):
    done("graph", chinese, "--format", form, "-o", "whole", cwd=tmp_path)
    done("graph", chinese, "--format", form, "--informative", "-o", "informative", cwd=tmp_path)
    pages = {page["url"]: page for page in lines(chinese / "pages.jsonl")}
    whole, informative = read(tmp_path / "whole"), read(tmp_path / "informative")
    assert set(whole) == set(pages)
    assert all(data["type"] == pages[url]["type"] for url, data in whole.nodes(data=True))
    assert all(data["rank"] == pytest.approx(pages[url]["rank"]) for url, data in whole.nodes(data=True))
    structure = json.loads((chinese / "site.json").read_text("utf-8"))["structure"]
    assert set(informative.edges) == {(entry["toc"], url) for entry in structure for url in entry["articles"]}
    assert any("\u4e00" <= char <= "\u9fff" for *_, text in whole.edges(data="text") for char in text or "")


# The report and the analysis


def test_the_report_is_written_again_as_it_was(copy, tmp_path):
    before = (copy / "report.html").read_text("utf-8")
    (copy / "report.html").unlink()
    assert done("report", copy, cwd=tmp_path).stdout == f"{copy / 'report.html'}\n"
    assert (copy / "report.html").read_text("utf-8") == before


def test_the_analysis_can_be_done_again_without_a_server(copy, tmp_path):
    before = {name: (copy / name).read_text("utf-8") for name in FILES[:3]}
    for name in FILES[:4]:
        (copy / name).unlink()
    refused(quickly("articles", copy, cwd=tmp_path), f"`scrapy webstruct analyse {copy}` does it")
    assert "lists" in done("analyse", copy, cwd=tmp_path).stdout
    after = {name: (copy / name).read_text("utf-8") for name in FILES[:3]}
    times = {name: json.loads(text.pop("site.json"))["finished"] for name, text in (("b", before), ("a", after))}
    assert before == after
    assert times["a"] > times["b"]
    assert (copy / "report.html").exists()


def test_the_analysis_runs_with_other_settings_and_feeds(copy, tmp_path):
    feeds = json.dumps(
        {"titles.csv": {"format": "csv", "fields": ["title"], "item_classes": ["webstruct.items.ArticleItem"]}}
    )
    run = done("analyse", copy, "--quiet", "-s", f"FEEDS={feeds}", cwd=tmp_path)
    assert (run.stdout, run.stderr) == ("", "")
    with (tmp_path / "titles.csv").open(encoding="utf-8", newline="") as file:
        titles = [row["title"] for row in csv.DictReader(file)]
    assert titles == [article["title"] for article in lines(copy / "articles.jsonl")]
    refused(scrapy("analyse", copy, "-s", "WEBSTRUCT_COLOUR=1", cwd=tmp_path), "no setting WEBSTRUCT_COLOUR", code=1)


def test_the_analysis_leaves_the_state_of_the_crawl_alone(copy, tmp_path):
    with Store.open(copy / "site.db") as store:
        (page_id,) = store.add([Found("http://e.com/busy", 1)])
        store.fail(page_id, "HTTP 503", 503)
        counts, reasons = store.counts(), store.reasons()
    done("analyse", copy, "--quiet", cwd=tmp_path)
    with Store.open(copy / "site.db", read_only=True) as store:
        assert (store.counts(), store.reasons()) == (counts, reasons)


# Folders that are not what they should be


def test_a_folder_without_a_site_is_told(tmp_path):
    for name in ("report", "articles", "wrappers", "graph", "analyse"):
        refused(quickly(name, "nowhere", cwd=tmp_path), "nowhere is not a folder; name one that")
    refused(quickly("explain", tmp_path, "http://e.com/", cwd=tmp_path), f"{tmp_path} has no site.db")
    refused(quickly("export", tmp_path, "--warc", "x.warc", cwd=tmp_path), f"{tmp_path} has no site.db")
    assert not list(tmp_path.iterdir())


def test_a_damaged_and_a_locked_store_are_told(copy, tmp_path):
    with Store.open(copy / "site.db"):
        refused(scrapy("analyse", copy, cwd=tmp_path), "site.db", code=4)
        done("graph", copy, "-o", "beside.graphml", cwd=tmp_path)
    whole = (copy / "site.db").read_bytes()
    (copy / "site.db").write_bytes(whole[: len(whole) // 2])
    for words in (
        ("graph",),
        ("explain", "http://e.com/"),
        ("analyse",),
        ("export", "--warc", "x.warc"),
        ("wrappers",),
    ):
        refused(quickly(words[0], copy, *words[1:], cwd=tmp_path), "site.db is damaged", code=4)
    assert not (tmp_path / "x.warc").exists()


def test_a_broken_result_names_its_line_and_the_remedy(copy, tmp_path):
    with (copy / "articles.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"url": "http://e.com/", "ti\n')
    number = len((copy / "articles.jsonl").read_text("utf-8").splitlines())
    run = quickly("articles", copy, "-o", "a.md", cwd=tmp_path)
    refused(run, f"articles.jsonl can't be used (line {number} is no JSON object); `scrapy webstruct analyse")
    assert not (tmp_path / "a.md").exists()
    (copy / "site.json").write_text('{"url": "http://e.com/", "skeleton": {}}', encoding="utf-8")
    for words in (("explain", first(copy, "toc")["url"]), ("articles",), ("report",), ("graph", "--informative")):
        run = quickly(words[0], copy, *words[1:], cwd=tmp_path)
        refused(run, "site.json can't be used (the closing analysis did not write it); `scrapy webstruct analyse")


# Archives


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_export_and_import_give_the_same_pages(request, tmp_path, language):
    folder = request.getfixturevalue(language)
    name = {"english": "a.warc.gz", "chinese": "a.warc"}[language]
    done("export", folder, "--warc", name, cwd=tmp_path)
    run = done("import", name, "--out", "again", cwd=tmp_path)
    assert f"{len(lines(folder / 'pages.jsonl'))} pages taken" in run.stderr
    with (
        Store.open(folder / "site.db", read_only=True) as one,
        Store.open(tmp_path / "again/site.db", read_only=True) as two,
    ):
        for before, after in zip(one.pages(), two.pages(), strict=True):
            drop = {"id": 0, "parent": 0, "priority": 0}
            assert before._replace(**drop) == after._replace(**drop)
            assert one.body(before.id) == two.body(after.id)
            assert one.arrays(before.id) == two.arrays(after.id)
    for name in FILES[:2]:
        assert lines(folder / name) == lines(tmp_path / "again" / name)


def story(number):
    return (
        f"<title>Story {number}</title><h1>Story {number}</h1><p>"
        + f"The river {number} rose by {number} metres. " * 20
    )


def test_a_hostile_archive_gives_its_good_pages_and_counts_the_rest(tmp_path):
    links = "".join(f"<li><a href=/s{number}>Story number {number}</a> in short" for number in range(8))
    bomb = gzip.compress(b"<p>" + b"x" * 100_000_000)
    records = [
        record("http://e.com/logo.png", block(b"\x89PNG", content_type="image/png")),
        record("http://other.com/", block(b"<p>another site")),
        record("http://e.com/", block(f"<title>E</title><ul>{links}</ul>".encode())),
        *(record(f"http://e.com/s{number}", block(story(number).encode())) for number in range(6)),
        record("http://e.com/s6", block(gzip.compress(story(6).encode()), headers=["Content-Encoding: gzip"])),
        record("http://e.com/s7", block(story(7).encode(), headers=["Content-Encoding: gzip"])),
        record("http://e.com/s1", block(b"<p>a second capture")),
        record("http://e.com/bomb", block(bomb, headers=["Content-Encoding: gzip"])),
        record("http://e.com/huge", block(b"x" * 11_000_000)),
        record("http://e.com/gone", block(status="404 Not Found")),
        record("http://e.com/deep", block(b"<div>" * 100_000)),
        record("http://e.com/loop", block(status="302 Found", headers=["Location: /loop"])),
        record("http://e.com/off", block(status="302 Found", headers=["Location: http://other.com/"])),
        record(
            "http://e.com/r",
            block(),
            kind="revisit",
            headers=["WARC-Profile: x", "WARC-Refers-To-Target-URI: http://e.com/n"],
        ),
        record("http://e.com/\x1b[31m", block(b"<title>\x1b[31mred\x1b[0m</title><p>text " * 50)),
        record("http://[", block()),
        record("http://e.com/x", b"nothing"),
    ]
    members = [gzip.compress(one) for one in records]
    damaged = gzip.compress(page("damaged"))[:30] + b"\xff" * 60
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members[:9]) + damaged + b"".join(members[9:]) + members[3][:-20])
    run = done("import", "a.warc.gz", "--url", "e.com", "--out", "out", cwd=tmp_path)
    account = run.stderr.splitlines()[-1]
    for part in (
        "11 pages taken", "1 another site", "1 not HTML", "1 captured more than once", "2 too large", "1 HTTP 404",
        "1 redirect off the site", "1 repeats an answer that is not in the archive", "1 no usable address",
        "1 no HTTP response", "1 unreadable record", "1 cut off",
    ):  # fmt: skip
        assert part in account, (part, account)
    pages = {item["url"]: item for item in lines(tmp_path / "out/pages.jsonl")}
    assert {f"http://e.com/s{number}" for number in range(8)} < pages.keys()
    assert pages["http://e.com/"]["type"] == "toc"
    assert pages["http://e.com/"]["depth"] == 0
    with Store.open(tmp_path / "out/site.db", read_only=True) as store:
        row = store.page("e.com/s3")
        assert (row.fetched_at, row.depth) == ("2020-02-03T04:05:06+00:00", 1)
        assert store.body(store.page("e.com/s6").id) == story(6).encode()
        assert store.body(store.page("e.com/s7").id) == story(7).encode()
        assert next(store.pages()).url == "http://e.com/"
    red = next(url for url in pages if "%1B" in url)
    assert "\x1b" not in done("explain", "out", red, cwd=tmp_path).stdout


def test_an_import_that_finds_nothing_or_another_site_is_told(english, tmp_path):
    (tmp_path / "text.warc").write_text("no archive", encoding="utf-8")
    refused(quickly("import", "text.warc", cwd=tmp_path), "text.warc holds no HTML page", "is it a WARC file?")
    (tmp_path / "a.warc").write_bytes(page("a"))
    refused(
        scrapy("import", "a.warc", "--url", "other.com", cwd=tmp_path), "http://other.com/ is no HTML page of a.warc"
    )
    refused(scrapy("import", "a.warc", "--out", english, cwd=tmp_path), f"{english} holds the crawl of http", code=1)
    done("import", "a.warc", "--quiet", cwd=tmp_path)
    assert (tmp_path / "webstruct-out/e.com/report.html").exists()


def test_an_interrupted_import_delivers_what_is_there_and_the_same_command_goes_on(tmp_path):
    pages = 1500
    stories = [
        record(f"http://e.com/{n}", block(f"<p>The {chr(0x4E00 + n)} {chr(0x6E00 - n)} river ".encode() * 20))
        for n in range(pages)
    ]
    (tmp_path / "a.warc").write_bytes(b"".join(stories))
    command = [*WORDS, "import", "a.warc", "--out", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    log = tmp_path / "out/site.db-wal"
    while not log.exists() or log.stat().st_size < 200_000:
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "Traceback" not in errors
    assert 0 < len(lines(tmp_path / "out/pages.jsonl")) < pages
    done("import", "a.warc", "--out", "out", "--quiet", cwd=tmp_path)
    assert len(lines(tmp_path / "out/pages.jsonl")) == pages


# What is shown while it works


def on_a_terminal(*words, cwd, **environment):
    """Run with stderr on a terminal of its own; returns what it showed there."""
    ours, theirs = pty.openpty()
    command = [*WORDS, *map(str, words)]
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode()


def test_progress_is_for_terminals_and_quiet_is_quiet(english, tmp_path):
    words = ("export", english, "--warc", "a.warc.gz")
    assert "writing the archive" in on_a_terminal(*words, cwd=tmp_path)
    assert on_a_terminal(*words, cwd=tmp_path, NO_COLOR="1").split()[-1] == "pages"
    assert on_a_terminal(*words, "--quiet", cwd=tmp_path) == ""
    assert done(*words, cwd=tmp_path).stderr == f"{len(lines(english / 'pages.jsonl'))} pages\n"
