"""The main job on the bundled demo site, without the internet: serve it on loopback, crawl it, show what was learned."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from webstruct.demo import DemoServer, DemoSite

PROJECT = Path(__file__).parent.parent


def main() -> int:
    """Crawl the demo site and print an article."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--out", type=Path, default=Path("webstruct-out/demo"))
    args = parser.parse_args()
    # Another port is another site to the crawler, so the demo always begins anew.
    for old in args.out.glob("site.db*"):
        old.unlink()
    with DemoServer(DemoSite(pages=args.pages, language=args.language)) as server:
        print(f"Crawling the demo newspaper at {server.url} …", flush=True)
        code = subprocess.run(
            [
                sys.executable,
                "-m",
                "scrapy",
                "crawl",
                "site",
                "-a",
                f"url={server.url}/",
                "-a",
                f"out={args.out.resolve()}",
                "-s",
                "AUTOTHROTTLE_ENABLED=False",
                "-s",
                "LOG_LEVEL=WARNING",
            ],
            cwd=PROJECT,
        ).returncode
    if code:
        return code
    first = json.loads((args.out / "articles.jsonl").read_text("utf-8").splitlines()[0])
    print(f"\nOne of the articles ({' › '.join(first['section'])}, {first['date']}, {first['author']}):\n")
    print(first["title"] + "\n\n" + "\n".join(first["text"].splitlines()[:3]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
