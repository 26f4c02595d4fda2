"""Run inside a network namespace by `test_private_addresses.py`: a public site full of ways to private addresses.

Prints, as JSON, what the private servers were asked for, and how each crawl ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

PUBLIC, PRIVATE, NAME = "11.22.33.44", ("127.0.0.1", "10.1.2.3", "169.254.169.254"), "innocent.example"
PORT = 8000
WAYS = [f"http://{host}:{PORT}/secret" for host in (*PRIVATE, NAME, "localhost", "2130706433")]

asked: list[str] = []


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class PublicSite(Quiet):
    def do_GET(self):
        if self.path in ("/robots.txt", "/sitemap.xml"):
            self.answer(302, {"Location": WAYS[0]})
        elif self.path.startswith("/away/"):
            self.answer(302, {"Location": WAYS[int(self.path.removeprefix("/away/"))]})
        else:
            links = "".join(f"<p><a href='{way}'>a way out</a>" for way in WAYS)
            self.answer(200 if self.path == "/" else 404, {"Content-Type": "text/html"}, links.encode())


class Secret(Quiet):
    def do_GET(self):
        asked.append(self.headers["Host"] + self.path)
        self.answer(200, {"Content-Type": "text/html"}, b"<p>secret")


def main(out: Path) -> None:
    for address, handler in ((PUBLIC, PublicSite), *((private, Secret) for private in PRIVATE)):
        Thread(target=ThreadingHTTPServer((address, PORT), handler).serve_forever, daemon=True).start()
    ends = {}
    for number, way in enumerate(["", *(f"away/{number}" for number in range(len(WAYS)))]):
        words = [f"url=http://{PUBLIC}:{PORT}/{way}", f"out={out / str(number)}", "sitemap=yes", "subdomains=yes"]
        options = [option for word in words for option in ("-a", word)]
        quick = ["-s", "LOG_LEVEL=ERROR", "-s", "RETRY_ENABLED=False", "-s", "AUTOTHROTTLE_ENABLED=False"]
        run = subprocess.run([sys.executable, "-m", "scrapy", "crawl", "site", *options, *quick], capture_output=True)
        ends[way] = run.returncode
    print(json.dumps({"asked": asked, "ends": ends}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
