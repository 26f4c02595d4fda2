"""The recipes of docs/scheduling.md: the same commands, with the demo server and folders of the test's own."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import venv
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from ageing import age
from filelock import FileLock
from recipes import ROOT, block, environment, shell

from webstruct.demo import DemoServer, DemoSite

DOCUMENT = "docs/scheduling.md"
SITE = "webstruct-out/example.com"

needs_scrapyd = pytest.mark.skipif(
    not (find_spec("scrapyd") and shutil.which("curl") and 77 <= int(version("setuptools").split(".")[0]) < 81),
    reason="scrapyd, curl or a setuptools from 77 to 80 is not installed",
)


class News:
    """The folder /srv/news of the recipes, and the site https://example.com/."""

    def __init__(self, folder, server):
        self.folder = folder
        self.server = server
        self.site = folder / SITE
        (folder / ".venv").mkdir()
        (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)

    def here(self, text):
        """Put our own addresses into a recipe, and let it crawl as fast as a loopback server allows."""
        text = text.replace("/srv/news", str(self.folder)).replace("https://example.com", self.server.url)
        text = re.sub(r"crawl (site|focused)", r"crawl \1 -s AUTOTHROTTLE_ENABLED=False", text)
        return text.replace("-d spider=", "-d setting=AUTOTHROTTLE_ENABLED=False -d spider=")

    def sleep_for_a_day(self):
        """Go to the site's next day; that its pages were fetched a day ago makes them due."""
        self.server.day += 1
        age(self.site)

    def lock(self):
        """Hold what a running crawl of the site holds."""
        return FileLock(self.site / "site.db.lock", timeout=0)


@pytest.fixture
def news(tmp_path):
    with DemoServer(DemoSite(pages=60, dirt=False)) as server:
        yield News(tmp_path, server)


@pytest.fixture
def learned(news):
    """A site after its first run, on the next day."""
    run = shell(news.here(block(DOCUMENT, "crawl site")), news.folder)
    assert run.returncode == 0, run.stderr
    news.sleep_for_a_day()
    return news


def crontab():
    """The variables, the schedule and the command of the recipe for cron."""
    *variables, line = block(DOCUMENT, "* * *").splitlines()
    schedule, command = line.split(maxsplit=5)[:5], line.split(maxsplit=5)[5]
    return dict(variable.split("=", 1) for variable in variables), schedule, command


def units(news):
    """Both unit files of the recipe."""
    service, timer = block(DOCUMENT, "[Service]"), block(DOCUMENT, "[Timer]")
    return {"webstruct@.service": news.here(service), "webstruct@.timer": news.here(timer)}


def test_the_schedule_is_one_of_cron():
    _, schedule, command = crontab()
    for field, most in zip(schedule, (59, 23, 31, 12, 7), strict=True):
        assert field == "*" or 0 <= int(field) <= most
    assert "%" not in command, "cron would take it for the end of the line"


def test_the_units_are_right(news):
    for name, text in units(news).items():
        (news.folder / name).write_text(text)
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    assert parser.read(news.folder / "webstruct@.timer") and parser["Install"]["WantedBy"] == "timers.target"
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units(news)],
        cwd=news.folder,
        capture_output=True,
        text=True,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_crontab_delivers_what_is_new_and_prints_nothing(learned):
    variables, _, command = crontab()
    run = shell(learned.here(command), learned.folder, **variables)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert_new_articles_were_fetched(learned)


def test_the_crontab_prints_why_a_run_did_not_end_well(learned):
    variables, _, command = crontab()
    before = len(learned.server.requests)
    with learned.lock():
        run = shell(learned.here(command), learned.folder, **variables)
    assert run.stdout.startswith("focused: exit code 4\n")
    assert "site.db is being written by another process" in run.stdout
    assert len(learned.server.requests) == before


def test_the_service_delivers_what_is_new(learned):
    unit = configparser.ConfigParser(interpolation=None)
    unit.read_string(units(learned)["webstruct@.service"])
    service = unit["Service"]
    name, value = service["Environment"].split("=", 1)
    run = shell(service["ExecStart"].replace("%i", "example.com"), service["WorkingDirectory"], **{name: value})
    assert run.returncode == 0, run.stderr
    assert_new_articles_were_fetched(learned)


def assert_new_articles_were_fetched(news):
    asked = [entry.path for entry in news.server.requests]
    for path in news.server.site.changes(1).new:
        assert asked.count(path) == 1


# scrapyd


class Scrapyd:
    """A scrapyd of the test's own on loopback, spoken to with the recipe's commands."""

    def __init__(self, news):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.news = news
        self.log = news.folder / "scrapyd.log"
        (news.folder / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {self.port}\npoll_interval = 0.2\n")

    def __enter__(self):
        assert block(DOCUMENT, "scrapyd\n").strip() == "scrapyd"
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [python_without_us(self.news.folder / "clean"), "-m", "scrapyd"],
                cwd=self.news.folder,
                env=environment(PYTHONPATH=""),
                stdout=log,
                stderr=log,
            )
        return self

    def __exit__(self, *error):
        self._process.terminate()
        self._process.wait(timeout=20)

    def wait(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline and self._process.poll() is None, self.log.read_text()[-3000:]
            time.sleep(0.1)

    def ask(self, command, folder):
        """Run a command of the recipe; the answers are JSON."""
        run = shell(self.news.here(command).replace("127.0.0.1:6800", f"127.0.0.1:{self.port}"), folder)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def finish(self, command):
        """Schedule a job, wait for its end and return its log."""
        job = json.loads(self.ask(command, self.news.folder))["jobid"]
        jobs, log = block(DOCUMENT, "listjobs.json").splitlines()
        self.wait(lambda: job in str(json.loads(self.ask(jobs, self.news.folder))["finished"]))
        spider = re.search(r"spider=(\w+)", command)[1]
        return self.ask(log.replace("JOBID", job).replace("/focused/", f"/{spider}/"), self.news.folder)


def python_without_us(folder):
    """An environment with everything that ours has but webstruct, an editable install: so that the egg's code runs."""
    venv.create(folder, with_pip=False, symlinks=True)
    packages = next(folder.glob("lib/*/site-packages"))
    (packages / "ours.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    return folder / "bin" / "python"


@pytest.fixture
def scrapyd(news):
    with Scrapyd(news) as running:
        running.wait(lambda: "Site starting" in running.log.read_text())
        yield running


def checkout(folder):
    """A copy of what setup.py needs, since building leaves files behind; its bot's name shows where code came from."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "webstruct", folder / "webstruct", ignore=shutil.ignore_patterns("__pycache__"))
    settings = folder / "webstruct" / "settings.py"
    settings.write_text(settings.read_text().replace('BOT_NAME = "webstruct"', 'BOT_NAME = "hatched"'))
    return folder


@needs_scrapyd
def test_scrapyd_runs_our_egg(scrapyd, tmp_path_factory):
    news = scrapyd.news
    deployed = scrapyd.ask(block(DOCUMENT, "addversion.json"), checkout(tmp_path_factory.mktemp("checkout")))
    assert json.loads(deployed)["spiders"] >= 2
    learn = block(DOCUMENT, "spider=site")
    log = scrapyd.finish(learn)
    assert "(bot: hatched)" in log, "the code is the egg's"
    assert "'webstruct/exit_code': 0" in log
    assert {"articles.jsonl", "pages.jsonl", "site.json", "report.html"} <= {path.name for path in news.site.iterdir()}
    with news.lock():
        scrapyd.finish(learn)
    assert "site.db is being written by another process" in scrapyd.log.read_text()
    assert "Process died: exitstatus=4" in scrapyd.log.read_text()
    news.sleep_for_a_day()
    assert "'webstruct/exit_code': 0" in scrapyd.finish(block(DOCUMENT, "spider=focused"))
    assert_new_articles_were_fetched(news)
