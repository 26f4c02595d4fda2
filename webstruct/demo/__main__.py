"""Serve the demo site: ``python -m webstruct.demo --pages 60 --language en --port 8000``."""

from __future__ import annotations

import argparse
import signal
from contextlib import suppress

from webstruct.demo.server import DemoServer
from webstruct.demo.site import LANGUAGES, DemoSite
from webstruct.errors import WebstructError


def main() -> None:
    """Print the address and serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m webstruct.demo", description="Serve a made-up newspaper.")
    parser.add_argument("--pages", type=int, default=60, help="about how many pages (default: %(default)s)")
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="en")
    parser.add_argument("--port", type=int, default=8000, help="0 takes any free port (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, another newspaper")
    parser.add_argument("--day", type=int, default=0, help="days since the site was founded; day 6 is a redesign")
    options = parser.parse_args()
    try:
        site = DemoSite(options.pages, options.language, options.seed, day=options.day)
        server = DemoServer(site, port=options.port)
    except (OSError, OverflowError, WebstructError) as error:
        parser.error(str(error))
    with suppress(KeyboardInterrupt), server:
        print(f"{server.site.plan.language.site_name} is at {server.url}/ (Ctrl-C ends it)", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
