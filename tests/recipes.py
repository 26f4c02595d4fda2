"""Commands as the documentation has them, for tests that run them: only addresses and folders are others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUICK = "-s AUTOTHROTTLE_ENABLED=False -s LOG_LEVEL=INFO"


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
        text=True,
        timeout=timeout,
    )
