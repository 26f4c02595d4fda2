"""Commands as the documentation has them, for tests that run them: only addresses and folders are others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FAST = "-s AUTOTHROTTLE_ENABLED=False -s DOWNLOAD_DELAY=0 -s LOG_LEVEL=WARNING"


def block(document, containing):
    """The one fenced block of a Markdown file with a given phrase in it."""
    found = [
        text
        for text in re.findall(r"^```\w*\n(.*?)^```$", (ROOT / document).read_text("utf-8"), re.M | re.S)
        if containing in text
    ]
    assert len(found) == 1, f"{len(found)} blocks of {document} have {containing!r}"
    return found[0]


def environment(**variables):
    """No more than a scheduler gives, and our code to import."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PYTHONPATH": str(ROOT),
        **variables,
    }


def shell(command, folder, *, timeout=120, **variables):
    """Run a command as cron does: by sh, in an almost empty environment."""
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
    )


SERVED = "http://127.0.0.1:8000"
_STEPS = re.compile(r"(?:`([\w./]+)`[^`\n]*:\n\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)


class Example(NamedTuple):
    """A command of a page, and what the page says that it shows; `…` stands for anything."""

    command: str
    shown: str


def follow(document, folder, server):
    """Do what a page says, from top to bottom: serve the demo site, save files, run commands; return how many were run.

    What a command shows must be what the page says; figures and the width of columns may differ, as both move with every
    improvement of a method. A block of another kind than `console` is a file if the line before it ends in its name and
    a colon, and is passed over otherwise; `python -m webstruct.demo … --day N` goes to that day.
    """
    commands = 0
    for name, language, text in _STEPS.findall((ROOT / document).read_text("utf-8")):
        if language == "console":
            for example in _examples(text):
                _run(example, folder, server)
                commands += 1
        elif text.startswith("python -m webstruct.demo"):
            server.day = int((re.search(r"--day (\d+)", text) or [0, 0])[1])
        elif name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text.replace(SERVED, server.url), "utf-8")
    return commands


def _examples(text):
    for example in text.removeprefix("$ ").split("\n$ "):
        command, _, shown = example.partition("\n")
        yield Example(command, shown)


def _run(example, folder, server):
    quick = f" {FAST}" if " crawl " in example.command else ""
    run = shell(example.command.replace(SERVED, server.url) + quick, folder)
    shown, wanted = _shape((run.stdout + run.stderr).replace(server.url, SERVED)), _shape(example.shown)
    pattern = ".*".join(map(re.escape, wanted.split("…")))
    assert re.fullmatch(pattern, shown, re.S), f"{example.command}\n{run.stdout}{run.stderr}"
    assert run.returncode == (2 if "error:" in example.shown else 0), example.command


def _shape(text):
    return "\n".join(re.sub(r"[+-]?\d+(\.\d+)?", "#", " ".join(line.split())) for line in text.splitlines())
