"""The report says what was learned, in bounded space, and nothing of the site in it can act. No browser is needed here."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from lxml import html as lxml_html
from report_samples import HOSTILE, ORIGIN, demo_pages, demo_report, hostile_report, report_of

from webstruct import learn
from webstruct.entropy import TermEntropy
from webstruct.page import Page
from webstruct.report import Report, SiteReport, data, graph, render
from webstruct.report.drawing import COMPARED_PAGES, Box, LinkedTerms, Run, draw, draw_families
from webstruct.report.words import BINS, vocabulary
from webstruct.structure_tree import StructureTree


@pytest.fixture(scope="module")
def english():
    return demo_report(120)


@pytest.fixture(scope="module")
def page(english):
    return lxml_html.document_fromstring(render(english[0]))


@pytest.fixture(scope="module")
def hostile():
    return render(hostile_report())


def text_of(element):
    return " ".join(element.text_content().split())


def embedded(document):
    return json.loads(document.get_element_by_id("data").text)


# What it says


def test_the_overview_counts_pages_by_type(english, page):
    _, model = english
    tiles = {text_of(tile.find("dt")): text_of(tile.find("dd")) for tile in page.find_class("tiles")[0]}
    types = Counter(model.types.type)
    assert tiles["articles"] == str(types["article"])
    assert tiles["list pages"] == str(types["toc"])
    assert tiles["pages"] == str(len(model.site))
    assert (tiles["templates"], tiles["time"], tiles["failed"]) == (str(len(model.families)), "2 min 30 s", "2")


def test_the_section_tree_has_every_section_with_its_articles(english, page):
    _, model = english
    shown = {text_of(section) for section in page.find_class("section")}
    ways = [tuple(node.name for node in way[1:]) for way in model.tree.walk()][1:]
    assert len(ways) > 4
    for way in ways:
        inside = sum(
            kind == "article" and number not in model.part_of and tuple(section[: len(way)]) == way
            for number, (kind, section) in enumerate(zip(model.types.type, model.section_of, strict=True))
        )
        count = "" if not inside else f" {inside} article" + ("s" if inside != 1 else "")
        assert way[-1] + count in shown


def test_list_pages_are_ranked_with_their_evidence(english, page):
    _, model = english
    lists = page.get_element_by_id("lists")
    rows = [[text_of(cell) for cell in row] for row in lists.findall(".//tbody/tr")]
    assert len(rows) == Counter(model.types.type)["toc"]
    ranks = [float(row[1]) for row in rows]
    assert ranks == sorted(ranks, reverse=True)
    best = int(np.argmax(model.types.rank))
    assert float(rows[0][3]) == pytest.approx(model.types.evidence[best]["entries"], abs=0.06)
    assert int(rows[0][4]) == len(model.types.links[best])


def test_every_article_is_there_with_its_text(english, page):
    _, model = english
    articles = embedded(page)["articles"]
    assert len(articles) == Counter(model.types.type)["article"] - len(model.part_of)
    by_url = {article["url"]: article for article in articles}
    number = next(
        number
        for number, kind in enumerate(model.types.type)
        if kind == "article" and number not in model.part_of and number not in model.parts
    )
    expected = model.extract(model.site.pages[number])
    assert by_url[expected.url]["text"] == expected.text
    assert by_url[expected.url]["section"] == model.section_of[number]


def test_lines_of_the_family_s_template_are_drawn_as_template(english):
    _, model = english
    number = next(number for number, family in enumerate(model.site.family.tolist()) if family in model.templates)
    structure = StructureTree.of(model.site.pages[place] for place in range(20)).compress()
    linked = LinkedTerms(model, [number])
    drawn = draw(model, number, linked, set(), structure).chars
    plain = draw(replace(model, templates={}), number, linked, set(), structure).chars
    assert plain["template"] == 0
    assert drawn["template"] > 200
    assert drawn["informative"] == plain["informative"]


def test_failures_are_told_by_reason_and_by_address(page):
    failures = text_of(page.get_element_by_id("failures"))
    assert "HTTP 404failed2" in failures
    assert f"{ORIGIN}/gone/0" in failures


def test_parts_without_data_are_left_out():
    document = lxml_html.document_fromstring(render(Report({"url": ORIGIN, "complete": True, "pages": 1})))
    assert [section.get("id") for section in document.iter("section")] == ["overview"]
    assert [link.get("href") for link in document.find("body/nav").iter("a")] == ["#overview"]


def test_a_skeleton_run_shows_its_tree_and_the_candidates_of_its_menus(english):
    report, _ = english
    summary = {"url": ORIGIN, "complete": True, "pages": 3, "skeleton": report.site["skeleton"]}
    document = lxml_html.document_fromstring(render(Report(summary, navigation=report.navigation)))
    assert [section.get("id") for section in document.iter("section")] == ["overview", "sections", "navigation"]
    menus = text_of(document.get_element_by_id("navigation"))
    assert "chosen" in menus
    assert "dropped by MinNL" in menus
    assert "NumWordName" in menus


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_the_smallest_sites_have_a_report(pages):
    report, _ = report_of(
        Page.parse(f"<title>{n}</title><p>Nothing to see on page {n} here.", f"{ORIGIN}/{n}") for n in range(pages)
    )
    assert text_of(lxml_html.document_fromstring(render(report)).find(".//h1"))


def test_an_incomplete_run_says_so_and_how_to_go_on():
    site = {"url": ORIGIN, "complete": False, "pages": 1, "counts": {**dict.fromkeys(
        ("found", "stored", "failed", "refused"), 1), "pending": 17}}  # fmt: skip
    assert "17 addresses were found and not fetched; run the same command again" in render(Report(site))


# Drawn pages


def runs(box):
    for part in box.inside:
        if isinstance(part, Box):
            yield from runs(part)
        else:
            yield part


def test_a_drawn_article_shows_menu_as_template_and_paragraphs_as_informative(english):
    report, model = english
    seen = Counter()
    for family in report.families:
        for drawing in family.drawings:
            if drawing.type != "article":
                continue
            shaded = {(run.state, text) for run in runs(drawing.body) for text in run.lines}
            number = next(n for n, page in enumerate(model.site.pages) if page.url == drawing.url)
            article = model.extract(model.site.pages[number])
            first = article.text.split("\n")[0][:100]
            assert any(state == "informative" and text.startswith(first) for state, text in shaded)
            assert ("template", "Politics") in shaded or drawing.chars["template"] == 0
            seen["article"] += 1
    assert seen["article"] >= 2


def test_a_drawn_list_shows_its_entries_as_informative(english):
    report, _ = english
    drawing = next(d for family in report.families for d in family.drawings if d.type == "toc")
    assert drawing.chars["informative"] > drawing.chars["dropped"]
    assert any(run.state == "informative" for run in runs(drawing.body))


def boxes(box):
    yield box
    for part in box.inside:
        if isinstance(part, Box):
            yield from boxes(part)


def drawn_article(report):
    return next(d for family in report.families for d in family.drawings if d.type == "article")


def test_measures_of_blocks_tell_menus_from_articles(english):
    report, _ = english
    drawing = drawn_article(report)
    own = [box for box in boxes(drawing.body) if any(isinstance(part, Run) for part in box.inside)]
    cii = {state: np.mean([box.cii for box in own if box.state == state]) for state in ("informative", "template")}
    assert cii["informative"] > 2 * cii["template"]
    assert all(0 <= box.cii <= 1 and 0 <= box.sii <= 1 and box.api >= 0 for box in boxes(drawing.body))


def test_importance_is_low_for_menus_and_high_for_paragraphs(english):
    report, _ = english
    drawing = drawn_article(report)
    importance = {run.state: [] for run in runs(drawing.body)}
    for run in runs(drawing.body):
        importance[run.state].append(run.importance)
    assert np.mean(importance["informative"]) > 2 * np.mean(importance["template"])
    menu = next(run for run in runs(drawing.body) if "Politics" in run.lines)
    text = max(runs(drawing.body), key=lambda run: len(run.lines[0]) if run.state == "informative" else 0)
    assert text.importance > 0.9 > 0.4 > menu.importance


def test_what_stands_inside_a_block_is_at_least_as_important(english):
    """PathImp never falls on the way down."""
    report, _ = english
    for drawing in (drawing for family in report.families for drawing in family.drawings):
        for box in boxes(drawing.body):
            assert 0 <= box.importance <= min((part.importance for part in box.inside), default=1) <= 1


def test_importance_is_that_of_the_structure_tree(english):
    """All pages of a small site are in the sample; three of four places of this page are the site's, one its own."""
    report, model = english
    tree = StructureTree.of(model.site.pages).compress()
    assert report.families == draw_families(model, tree)
    html = (
        "<title>{0}</title><div class=menu><ul><li><a>Home</a></ul></div><div class=text><ul><li><b>{0}</b></ul></div>"
    )
    pages = [Page.parse(html.format(word), f"{ORIGIN}/{word}") for word in ("flood", "vote", "storm")]
    importance = {
        text: run.importance for run in runs(report_of(pages)[0].families[0].drawings[0].body) for text in run.lines
    }
    assert importance.pop("Home") == 0
    assert set(importance.values()) == {1}


def test_the_structure_tree_is_made_of_a_bounded_sample(english, monkeypatch):
    _, model = english
    added = []
    add = StructureTree.add
    monkeypatch.setattr(StructureTree, "add", lambda tree, page: (added.append(page.url), add(tree, page)))
    monkeypatch.setattr("webstruct.report.drawing.STRUCTURE_PAGES", 10)
    first = draw_families(model)
    most = 10 + COMPARED_PAGES * len(model.families)
    assert 10 <= len(added) == len(set(added)) <= most < len(model.site)
    assert {one.url for family in first for one in family.drawings} <= set(added)
    assert draw_families(model) == first


def test_a_tree_of_the_whole_site_is_used_where_there_is_one(english, monkeypatch):
    _, model = english
    tree = StructureTree.of(model.site.pages[:2]).compress()
    monkeypatch.setattr(StructureTree, "add", None)
    report = SiteReport(model, tree).finish({"url": ORIGIN, "complete": True, "pages": 0}, [])
    drawing = drawn_article(report)
    page = next(page for page in model.site.pages if page.url == drawing.url)
    values = set(tree.importance(page).round(3).tolist())
    assert {box.importance for box in boxes(drawing.body)} <= values


def test_every_block_says_its_importance_and_the_shading_can_be_chosen(page):
    drawn = page.xpath("//*[@data-box]")
    assert drawn
    for box in drawn:
        value = float(re.search(r"importance (\d\.\d\d)", box.get("aria-label"))[1])
        assert f"importance {value:.2f}" in box.findtext("p[@class='figures']/span")
        level = int(re.search(r"\blit(\d)\b", box.get("class"))[1])
        assert abs(level / 4 - value) <= 0.13
    choice = page.xpath("//section[@id='templates']//fieldset//input[@name='shading']")
    assert [(one.get("value"), one.get("checked") is not None) for one in choice] == [
        ("role", True), ("importance", False)
    ]  # fmt: skip


def test_a_page_nested_very_deep_is_drawn():
    deep = "<div class=a>text of its own here " * 1500
    pages = [Page.parse(f"<title>{n}</title>{deep} page {n}", f"{ORIGIN}/{n}") for n in range(3)]
    report, _ = report_of(pages)
    assert report.families[0].drawings[0].more > 1000
    assert "small blocks are not drawn" in render(report)


# Words


def test_the_vocabulary_by_hand():
    """Four pages: "home" once on each (E = 1), "flood" 8 times on one (E = 0), "vote" once on two (E = ½)."""
    statistics = TermEntropy()
    for terms, counts in (
        (["home", "flood"], [1, 8]),
        (["home", "vote"], [1, 1]),
        (["home", "vote"], [1, 1]),
        (["home"], [1]),
    ):
        statistics.update(terms, counts)
    words = vocabulary(statistics)
    assert [term.name for term in words.least_informative] == ["home", "vote", "flood"]
    assert [(term.name, term.entropy, term.occurrences) for term in words.most_informative] == [
        ("flood", 0.0, 8), ("vote", 0.5, 2), ("home", 1.0, 4)
    ]  # fmt: skip
    filled = {place: (one.terms, one.occurrences) for place, one in enumerate(words.histogram) if one.terms}
    assert filled == {0: (1, 8), BINS // 2: (1, 2), BINS - 1: (1, 4)}


# The link graph


def test_links_after_the_cut_are_the_informative_structure(english):
    report, model = english
    drawn = np.array(report.graph["links"]).reshape(-1, 4)
    kept = {(source, target) for source, target, _, kind in drawn.tolist() if kind != graph.CUT}
    structure = {
        (number, int(target))
        for number, links in enumerate(model.types.links)
        for target in model.site.targets[number][links]
        if target != number
    }
    assert kept == structure
    before = {
        (number, int(target))
        for number, targets in enumerate(model.site.targets)
        for target in targets
        if target >= 0 and target != number
    }
    assert {(source, target) for source, target, _, _ in drawn.tolist()} == before
    assert len(before) > 3 * len(kept)


def test_the_map_has_every_page_in_a_place_of_its_own_and_is_always_the_same(english):
    report, model = english
    places = list(zip(report.graph["x"], report.graph["y"], strict=True))
    assert len(set(places)) == len(model.site)
    width, height = report.graph["extent"]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    again = graph.LinkMap(model).as_dict()
    assert (again["x"], again["y"], again["sections"]) == tuple(report.graph[key] for key in ("x", "y", "sections"))


def test_articles_stand_around_a_list_that_leads_to_them(english):
    report, model = english
    drawn = np.array(report.graph["links"]).reshape(-1, 4)
    places = np.column_stack([report.graph["x"], report.graph["y"]])
    length = np.hypot(*(places[drawn[:, 0]] - places[drawn[:, 1]]).T)
    assert np.median(length[drawn[:, 3] == graph.OWN]) < np.median(length[drawn[:, 3] == graph.CUT]) / 3
    owned = set(drawn[drawn[:, 3] == graph.OWN][:, 1].tolist())
    assert owned == {number for number in model.listed_by if model.types.type[number] != "toc"}


def test_regions_do_not_overlap(english):
    report, _ = english
    circles = [(one["x"], one["y"], one["radius"]) for one in report.graph["sections"]]
    for place, (x, y, radius) in enumerate(circles):
        for other_x, other_y, other_radius in circles[:place]:
            assert math.hypot(x - other_x, y - other_y) >= radius + other_radius - 3


def test_the_text_alternative_counts_what_is_drawn(english, page):
    report, _ = english
    assert sum(region.links for region in report.regions) == report.graph["linked"]["all"]
    assert sum(region.informative for region in report.regions) == report.graph["linked"]["kept"]["all"]
    assert sum(region.pages.total() for region in report.regions) == report.graph["pages"]["drawn"]
    table = page.get_element_by_id("graph").find(".//table")
    assert len(table.findall(".//tbody/tr")) == len(report.regions)


def test_a_large_graph_is_thinned_out_and_says_so(english, monkeypatch):
    monkeypatch.setattr(graph, "MAX_PAGES", 40)
    monkeypatch.setattr(graph, "MAX_LINKS", 100)
    report, model = report_of(demo_pages(120))
    linked = report.graph["linked"]
    assert len(report.graph["titles"]) == report.graph["pages"]["drawn"] <= 40
    assert len(report.graph["links"]) == 4 * linked["drawn"] == 400
    sections = {way[-1].url for way in model.tree.walk()}
    assert len(sections) > 4
    assert sections <= set(report.graph["urls"])
    note = f"Drawn: {report.graph['pages']['drawn']} of {len(model.site)} pages"
    assert note in " ".join(render(report).split())


# Bounds


def test_texts_are_cut_to_one_length_that_fits_the_budget(monkeypatch):
    monkeypatch.setattr(data, "TEXT_BYTES", 1000)
    articles = [{"text": "x" * length, "chars": length} for length in (10, 90, 600, 5000)]
    kept, cut = data._within_budget(articles)
    assert [len(article["text"]) for article in kept] == [10, 90, 450, 450]
    assert cut == 2


def test_a_report_of_a_thousand_pages_is_below_5_mb():
    report, model = report_of(demo_pages(1000))
    assert len(model.site) >= 900
    assert len(render(report).encode()) < 5_000_000


def test_a_report_of_very_long_articles_stays_below_5_mb_and_says_what_is_cut():
    report, _ = demo_report(60)
    long = [{**report.articles[0], "text": "长" * data.MAX_TEXT, "chars": 90_000} for _ in range(1000)]
    kept, cut = data._within_budget(long)
    text = render(Report(report.site, articles=kept, cut_texts=cut))
    assert len(text.encode()) < 5_000_000
    assert "1,000 texts are cut" in text


def test_the_number_of_lists_and_articles_is_bounded(monkeypatch):
    monkeypatch.setattr(data, "MAX_LISTS", 3)
    monkeypatch.setattr(data, "MAX_ARTICLES", 5)
    report, model = report_of(demo_pages(60))
    ranks = sorted(model.types.rank[[kind == "toc" for kind in model.types.type]].tolist(), reverse=True)
    assert [row["rank"] for row in report.lists] == ranks[:3]
    text = " ".join(render(report).split())
    assert len(report.articles) == 5
    assert f"The first 3 of {len(ranks)}" in text
    assert f"The first 5 of {model.types.type.count('article')} articles" in text


# Harm

ALLOWED = set(
    "html head meta title style body a p h1 h2 h3 nav ul li main noscript section dl dt dd div figure figcaption svg rect "
    "g line text table caption thead tbody tr th td details summary fieldset legend label input output span button canvas "
    "code em strong small article footer header script".split()
)


def test_hostile_text_adds_no_element_attribute_or_link(hostile, page):
    document = lxml_html.document_fromstring(hostile)
    elements = [element for element in document.iter() if isinstance(element.tag, str)]
    assert {element.tag for element in elements} <= ALLOWED
    attributes = {name for element in elements for name in element.attrib}
    assert attributes <= {name for element in page.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcdoc")]
    assert len(document.findall(".//script")) == 2
    hrefs = [element.get("href") for element in elements if "href" in element.attrib]
    assert hrefs
    assert all(href.startswith("#") for href in hrefs)


def test_hostile_data_cannot_end_its_element_and_stays_what_it_was():
    report = hostile_report()
    text = render(report)
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1]
    assert not set("<>&\u2028\u2029") & set(block)
    # Half a surrogate pair can't be written at all.
    expected = json.dumps(report.articles, ensure_ascii=False).encode("utf-8", "replace")
    assert json.loads(block)["articles"] == json.loads(expected)


def test_links_are_http_only_and_tell_the_other_side_nothing(page):
    links = [link for link in page.iter("a") if not link.get("href").startswith("#")]
    assert len(links) > 20
    for link in links:
        assert link.get("href").startswith(("http://", "https://"))
        assert link.get("rel") == "noopener noreferrer"


def test_the_policy_allows_our_script_and_style_by_hash_and_nothing_else(hostile):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', hostile)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, pattern in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        own = re.findall(pattern, hostile, re.S)[0]
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy


def test_control_characters_and_changes_of_direction_are_not_printed(hostile):
    assert not re.search(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", hostile.partition('id="data"')[0]
    )


def test_hostile_pages_of_a_site_come_through_as_text():
    listing = "".join(f'<li><a href="/{n}">{HOSTILE[n % 6]} words {n}</a>' for n in range(12))
    body = "Words of this story alone number {n}. " * 30
    pages = [Page.parse(f"<title>{HOSTILE[1]}</title><ul>{listing}</ul>", ORIGIN + "/")] + [
        Page.parse(f"<title>&lt;script&gt;harmed=1&lt;/script&gt;</title><h1>x{n}</h1><p>{body.format(n=n)}"
                   f"<a href='javascript:harmed=1'>&lt;img src=x onerror=harmed=1&gt;</a>", f"{ORIGIN}/{n}")
        for n in range(12)
    ]  # fmt: skip
    report, _ = report_of(pages)
    document = lxml_html.document_fromstring(render(report))
    assert len(document.findall(".//script")) == 2
    assert not document.findall(".//img")
    assert "<script>harmed=1</script>" in json.dumps(embedded(document)["graph"]["titles"])


# Structure for keyboards and screen readers


def test_landmarks_headings_captions_and_names(page):
    assert [child.tag for child in page.find("body") if child.tag in ("header", "nav", "main", "footer")] == [
        "header", "nav", "main", "footer"
    ]  # fmt: skip
    assert len(page.findall(".//h1")) == 1
    levels = [int(element.tag[1]) for element in page.iter("h1", "h2", "h3")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(table.find("caption") is not None for table in page.iter("table"))
    assert all(head.get("scope") for head in page.iter("th"))
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for section in page.iter("section"):
        assert section.get("aria-labelledby") in ids
    for link in page.find("body/nav").iter("a"):
        assert link.get("href").removeprefix("#") in ids
    for named in page.xpath("//svg | //*[@role='group']"):
        assert named.get("aria-label")
    for field in page.iter("input"):
        assert field.getparent().tag == "label"


def test_what_comes_by_feeding_is_what_the_model_has():
    """A report that was fed nothing is empty, not broken."""
    model = learn(demo_pages(60))
    report = SiteReport(model).finish({"url": ORIGIN, "complete": True, "pages": 0}, [])
    assert (report.lists, report.articles) == ([], [])
    assert render(report)
