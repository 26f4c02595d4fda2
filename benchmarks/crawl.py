"""CPU and memory of a whole crawl, closing analysis included, next to a bare Scrapy spider on the same pages.

    python benchmarks/crawl.py [--pages 2000] [--language en] [--rounds 3] [--json FILE]

The demo site is served by another process on loopback, without its traps, so that both spiders meet the same pages.
CPU is that of the crawling process (user and system), the minimum of some rounds; the figure that counts is the ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SERVE = """
import sys, threading
from webstruct.demo import DemoServer, DemoSite
with DemoServer(DemoSite(pages=int(sys.argv[1]), language=sys.argv[2], dirt=False)) as server:
    print(server.url, flush=True)
    threading.Event().wait()
"""


def main() -> None:
    """Print one row a spider, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--language", default="en")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(args.pages), args.language], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout
        url = server.stdout.readline().strip() + "/"
        bare, ours = [], []
        for _ in range(args.rounds):
            bare.append(measure("runspider", str(HERE / "bare_spider.py"), "-a", f"url={url}"))
            with tempfile.TemporaryDirectory() as out:
                ours.append(measure("crawl", "site", "-a", f"url={url}", "-a", f"out={out}", "-a", "max_pages=1000000"))
    finally:
        server.kill()
        server.communicate()
    figures = {}
    for name, rows in (("bare", bare), ("webstruct", ours)):
        cpu, memory = min(row[0] for row in rows), max(row[1] for row in rows)
        figures[name] = {"cpu_ms_page": 1000 * cpu / args.pages, "peak_mb": memory}
        print(f"{name:10} {1000 * cpu / args.pages:6.2f} ms CPU a page   peak {memory:.0f} MB")
    ratio = figures["webstruct"]["cpu_ms_page"] / figures["bare"]["cpu_ms_page"]
    print(f"ratio {ratio:.2f}")
    if args.json:
        args.json.write_text(json.dumps({**figures, "ratio": ratio}, indent=1))


def measure(*words: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of one Scrapy command."""
    quiet = (
        "-s",
        "LOG_LEVEL=ERROR",
        "-s",
        "AUTOTHROTTLE_ENABLED=False",
        "-s",
        "DOWNLOAD_DELAY=0",
        "-s",
        "TELNETCONSOLE_ENABLED=False",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", *words, *quiet], cwd=HERE.parent, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"scrapy {' '.join(words)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
