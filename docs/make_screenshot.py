"""Make `docs/images/report.png`: the report of the served demo site, as a browser shows it.

Needs Chromium and the extras `test`, for Playwright, and `docs`, for Pillow: `python docs/make_screenshot.py`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from webstruct.demo import DemoServer, DemoSite

ROOT = Path(__file__).parent.parent
IMAGE = ROOT / "docs" / "images" / "report.png"
QUICK = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "DOWNLOAD_DELAY=0", "-s", "LOG_LEVEL=WARNING")


def crawl(pages: int, port: int, out: Path) -> None:
    """Crawl the demo site with the real command."""
    with DemoServer(DemoSite(pages=pages), port=port) as server:
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={server.url}", "-a", f"out={out}"]
        subprocess.run([*command, *QUICK], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def photograph(report: Path, browser: str) -> None:
    """The upper part of the report: overview, sections, and the link graph after the cut."""
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser, chromium_sandbox=False, args=["--disable-gpu"])
        page = running.new_page(viewport={"width": 1200, "height": 1000}, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_timeout(500)
        legend = page.locator("#graph .legend").bounding_box()
        assert legend is not None
        area = {"x": 0, "y": 0, "width": 1200, "height": legend["y"] + legend["height"] + 16}
        page.screenshot(path=IMAGE, full_page=True, clip=area)
        running.close()
    Image.open(IMAGE).convert("RGB").quantize(256).save(IMAGE, optimize=True)


def main() -> None:
    """Crawl, look, keep."""
    parser = argparse.ArgumentParser(description="Make the screenshot of the README.")
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options = parser.parse_args()
    if not options.browser:
        parser.error("no Chromium was found; say where it is with --browser")
    IMAGE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        crawl(options.pages, options.port, Path(folder))
        photograph(Path(folder) / "report.html", options.browser)
    print(f"{IMAGE} has {IMAGE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
