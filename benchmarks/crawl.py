"""CPU and memory of a whole crawl, closing analysis included, next to a bare Scrapy spider on the same pages.

    python benchmarks/crawl.py [--pages 2000] [--language en] [--rounds 3] [--ours-only] [--json FILE]

The demo site is served by another process on loopback, without its traps, so that both spiders meet the same pages.
CPU is that of the crawl with its worker processes (user and system), the minimum of some rounds; the figure that counts is
the ratio. Memory is the peak of the main process, and of its largest worker; a pause is a time in which the reactor could
not answer. With ``--ours-only`` the bare spider is left out: for the memory of large crawls.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

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
    parser.add_argument("--ours-only", action="store_true")
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
            if not args.ours_only:
                bare.append(measure("runspider", str(HERE / "bare_spider.py"), "-a", f"url={url}"))
            with tempfile.TemporaryDirectory() as out:
                ours.append(measure("crawl", "site", "-a", f"url={url}", "-a", f"out={out}", "-a", "max_pages=1000000"))
    finally:
        server.kill()
        server.communicate()
    figures: dict[str, Any] = {
        name: summary(rows, args.pages) for name, rows in (("bare", bare), ("webstruct", ours)) if rows
    }
    for name, row in figures.items():
        print(f"{name:10} " + "   ".join(f"{what} {value:.2f}" for what, value in row.items()))
    if bare:
        figures["ratio"] = figures["webstruct"]["cpu_ms_page"] / figures["bare"]["cpu_ms_page"]
        print(f"ratio {figures['ratio']:.2f}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))


def summary(rows: list[dict[str, float]], pages: int) -> dict[str, float]:
    """The least CPU of the rounds, and the worst of everything else."""
    worst = {name: max(row[name] for row in rows) for name in rows[0] if name != "cpu"}
    return {"cpu_ms_page": 1000 * min(row["cpu"] for row in rows) / pages, **worst}


def measure(*words: str) -> dict[str, float]:
    """CPU seconds, memory and pauses of one Scrapy command."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen.json"
        quiet = {
            "LOG_LEVEL": "ERROR",
            "AUTOTHROTTLE_ENABLED": "False",
            "DOWNLOAD_DELAY": "0",
            "TELNETCONSOLE_ENABLED": "False",
            "EXTENSIONS": json.dumps({"benchmarks.watch.Watch": 0}),
            "BENCHMARK_WATCH": str(seen),
        }
        settings = [word for name, value in quiet.items() for word in ("-s", f"{name}={value}")]
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *words, *settings], cwd=HERE.parent, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"scrapy {' '.join(words)} ended with {process.returncode}")
        return {
            "cpu": usage.ru_utime + usage.ru_stime,
            **json.loads(seen.read_text()),
            "worker_peak_mb": usage.ru_maxrss / 1024,
        }


if __name__ == "__main__":
    main()
