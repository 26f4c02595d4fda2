"""The report in a real browser: nothing of the site runs, and what the report offers works by mouse and by keyboard."""

from __future__ import annotations

import shutil

import pytest
from report_samples import demo_report, hostile_report

from webstruct.report import render

playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[test]'")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
).split()

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=BROWSER, args=FLAGS, chromium_sandbox=False)
        yield running
        running.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    reports = {"en": demo_report(120)[0], "zh": demo_report(60, "zh")[0], "hostile": hostile_report()}
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(render(report), "utf-8")
    return folder


class Watched:
    """An open report, and what it did that it should not."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.problems = []
        self.requests = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def close(self):
        self.context.close()


@pytest.fixture
def opened(browser, files):
    watched = []

    def open_report(name, **options):
        watched.append(Watched(browser, files / f"{name}.html", **options))
        return watched[-1].page

    yield open_report
    for one in watched:
        path = one.page.url
        one.close()
        assert one.problems == []
        assert one.requests == [path.partition("#")[0]]


def view(page):
    return page.locator(".canvas").evaluate("frame => frame.graphView()")


def ink(page):
    """How many pixels of the drawing are not empty."""
    return page.locator("canvas").evaluate(
        """canvas => {
            const { width, height } = canvas;
            const copy = Object.assign(document.createElement("canvas"), { width, height });
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            return context.getImageData(0, 0, width, height).data.filter((value, at) => at % 4 === 3 && value).length;
        }"""
    )


def titles(page):
    return page.locator("#articles tbody td:first-child button").all_inner_texts()


# Harm


def test_hostile_text_runs_nothing_and_breaks_nothing(opened):
    page = opened("hostile")
    for summary in page.locator("summary").all():
        if not summary.evaluate("summary => summary.parentElement.open"):
            summary.click()
    for article in page.locator("#articles tbody button").all()[:12]:
        article.click()
    page.locator(".canvas").focus()
    for key in ("+", "n", "n", "ArrowLeft", "p"):
        page.keyboard.press(key)
    page.get_by_label("Find a page").fill("script")
    page.get_by_label("Search titles and texts").fill("script")
    assert page.evaluate("typeof harmed") == "undefined"
    assert page.evaluate("document.scripts.length") == 2
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_huge_words_do_not_widen_the_page(opened):
    page = opened("hostile", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_policy_stops_what_would_slip_in(browser, files):
    watched = Watched(browser, files / "en.html")
    refused = []
    watched.page.on("requestfailed", lambda request: refused.append(request.failure))
    watched.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.append("window.harmed = 1");
            document.body.append(script);
            const image = document.createElement("img");
            image.src = "http://127.0.0.1:9/x.png";
            document.body.append(image);
        }"""
    )
    assert watched.page.evaluate("typeof harmed") == "undefined"
    told = "\n".join(watched.problems)
    assert "TrustedScript" in told
    assert "Content Security Policy" in told
    assert refused == ["csp"]
    watched.close()


# Articles


def test_search_narrows_articles_down_and_says_how_many(opened):
    page = opened("en")
    report, _ = demo_report(120)
    word = next(word for word in report.articles[7]["text"].lower().split() if len(word) > 8 and word.isalpha())
    matching = [row for row in report.articles if word in " ".join(
        [row["title"], row["url"], row["author"], *row["section"], row["text"]]).lower()]  # fmt: skip
    page.get_by_label("Search titles and texts").fill(word)
    assert page.locator("#articles [data-status]").inner_text().endswith(f"of {len(matching)} articles")
    assert titles(page) == [row["title"] for row in matching[:25]]
    page.get_by_label("Search titles and texts").fill("no such word anywhere")
    assert page.locator("#articles [data-status]").inner_text() == "No article has these words."


def test_articles_sort_by_every_column_both_ways(opened):
    page = opened("en")
    report, _ = demo_report(120)
    head = page.locator("#articles thead th").nth(4)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    longest = sorted(report.articles, key=lambda row: -row["chars"])
    assert titles(page)[0] == longest[0]["title"]
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert titles(page)[0] == longest[-1]["title"]
    page.locator("#articles thead th").nth(1).get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None
    dates = page.locator("#articles tbody td:nth-child(2)").all_inner_texts()
    assert dates == sorted(dates)


def test_an_article_opens_with_its_text_and_pages_turn(opened):
    page = opened("en")
    report, _ = demo_report(120)
    first = page.locator("#articles tbody button").first
    first.focus()
    page.keyboard.press("Enter")
    assert first.get_attribute("aria-expanded") == "true"
    shown = page.locator("#articles tr.text:visible .body").evaluate("body => body.textContent")
    assert shown == report.articles[0]["text"]
    page.get_by_role("button", name="Next").click()
    assert titles(page)[0] == report.articles[25]["title"]


def test_chinese_articles_are_found_and_marked_as_chinese(opened):
    page = opened("zh")
    report, _ = demo_report(60, "zh")
    page.get_by_label("Search titles and texts").fill(report.articles[3]["title"])
    assert report.articles[3]["title"] in titles(page)
    assert len(titles(page)) < len(report.articles)
    assert page.locator("#articles tbody button").first.get_attribute("lang") == "zh"


def test_list_pages_sort_by_number(opened):
    page = opened("en")
    head = page.locator("#lists thead th").nth(4)
    head.get_by_role("button").click()
    listed = [int(text) for text in page.locator("#lists tbody td:nth-child(5)").all_inner_texts()]
    assert listed == sorted(listed, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"


# The graph


def test_the_graph_shows_more_before_the_cut_than_after(opened):
    page = opened("en", reduced_motion="reduce")
    page.locator("#graph").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('canvas').width > 300")
    after = ink(page)
    page.get_by_label("All links").check(force=True)
    page.wait_for_timeout(100)
    before = ink(page)
    assert before > 0
    page.get_by_label("Anchor entropy up to").fill("20")
    page.wait_for_timeout(100)
    assert after > 0
    assert ink(page) <= before
    assert (view(page)["cut"], view(page)["entropy"]) == (0, 20)


def test_the_graph_zooms_and_moves_by_keyboard_and_lets_the_focus_go(opened):
    page = opened("en")
    page.locator(".canvas").focus()
    start = view(page)
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    moved = view(page)
    assert moved["scale"] > start["scale"]
    assert moved["x"] > start["x"]
    page.keyboard.press("0")
    assert view(page) == start
    page.keyboard.press("n")
    assert "list page, lists" in page.locator("[data-chosen]").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("[data-chosen]").inner_text() == ""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "Reset"


def test_the_wheel_zooms_only_when_the_graph_has_the_focus(opened):
    page = opened("en")
    page.locator(".canvas").scroll_into_view_if_needed()
    start = view(page)["scale"]
    page.locator(".canvas").hover()
    page.mouse.wheel(0, -200)
    assert view(page)["scale"] == start
    page.locator(".canvas").focus()
    page.locator(".canvas").hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function("start => document.querySelector('.canvas').graphView().scale > start", arg=start)


def test_a_page_is_found_and_told(opened):
    page = opened("en")
    report, _ = demo_report(120)
    page.get_by_label("Find a page").fill(report.articles[0]["url"])
    chosen = page.locator("[data-chosen]")
    assert report.articles[0]["url"] in chosen.inner_text()
    assert chosen.get_by_role("link").get_attribute("rel") == "noopener noreferrer"


# Drawn pages, looks and paper


def test_blocks_are_one_stop_for_tab_and_a_walk_for_arrows(opened):
    page = opened("en")
    drawing = page.locator("[data-drawing]").first
    assert drawing.locator("[tabindex='0']").count() == 1
    drawing.locator("[tabindex='0']").focus()
    first = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "CII" in first
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") != first
    assert page.locator(".box:focus > .figures span").is_visible()
    assert drawing.locator("[tabindex='0']").count() == 1


BRIGHTNESS = """(kind) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    return [...document.querySelectorAll(`.run.${kind}`)].map((run) => {
        canvas.fillStyle = getComputedStyle(run).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((sum, value) => sum + value, 0);
    });
}"""


def shade_by_importance(page):
    """By keyboard: the chosen radio button is where Tab stops, an arrow goes to the next."""
    page.locator("[name=shading]:checked").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="Importance").is_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("script", [True, False])
def test_by_importance_noise_is_in_the_shade_and_content_in_the_light(opened, scheme, script):
    page = opened("en", color_scheme=scheme, java_script_enabled=script)
    by_role = page.evaluate(BRIGHTNESS, "lit4")
    assert page.locator(".legend.states").is_visible()
    assert not page.locator(".legend.levels").is_visible()
    shade_by_importance(page)
    noise, middle, content = (page.evaluate(BRIGHTNESS, f"lit{level}") for level in (1, 3, 4))
    assert len({*noise}) == len({*middle}) == len({*content}) == 1
    assert noise[0] < middle[0] < content[0]
    assert content != by_role
    assert page.locator(".legend.levels").is_visible()
    assert not page.locator(".legend.states").is_visible()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(BRIGHTNESS, "lit4") == by_role


def test_paper_shows_the_shading_that_was_chosen(opened):
    page = opened("en", color_scheme="dark")
    shade_by_importance(page)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(BRIGHTNESS, "lit1")[0] < page.evaluate(BRIGHTNESS, "lit4")[0]
    assert page.evaluate(BRIGHTNESS, "lit4")[0] > 700
    assert page.locator(".legend.levels").is_visible()
    assert page.locator("#templates .controls").is_hidden()
    exact = "run => getComputedStyle(run).printColorAdjust"
    assert page.locator(".box").first.evaluate(exact) == page.locator(".run").first.evaluate(exact) == "exact"


def test_dark_and_light_follow_the_reader(opened):
    def ground(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = opened("en", color_scheme="light"), opened("en", color_scheme="dark")
    assert ground(light) == "rgb(246, 247, 249)"
    assert ground(dark) == "rgb(17, 21, 27)"
    dark.emulate_media(color_scheme="light")
    assert ground(dark) == ground(light)


CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgb = (color) => { canvas.fillStyle = "#000"; canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
    const light = (color) => rgb(color).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
    const ground = (element) => { for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor;
        if (color !== "rgba(0, 0, 0, 0)") return color; } return "white"; };
    const poor = new Set();
    for (const element of document.querySelectorAll("main *, header *, nav *, footer *")) {
        const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!text || !element.offsetParent || element.closest("svg, :disabled")) continue;
        const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) poor.add(`${element.tagName}.${element.className} ${contrast.toFixed(2)}`);
    }
    return [...poor];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(opened, scheme):
    page = opened("en", color_scheme=scheme)
    assert page.evaluate(CONTRAST) == []
    shade_by_importance(page)
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_prints(opened, scheme):
    page = opened("en", color_scheme=scheme)
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") + paper.count(b"/Type/Page") >= 3


def test_nothing_is_wider_than_a_phone(opened):
    page = opened("zh", viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
