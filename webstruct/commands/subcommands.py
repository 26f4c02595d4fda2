"""The parts of `scrapy webstruct`: each says what it is, takes its arguments, calls the module that does the work."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from webstruct import exit_codes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.settings import Settings


class Subcommand:
    """What the frame needs to know of a subcommand; descriptions begin with what `summary` says in one line."""

    summary: ClassVar[str]
    description: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Add the arguments; all but one subcommand take the folder of a site."""
        _add_folder(parser)

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Do it; returns the exit code."""
        raise NotImplementedError


class Crawl(Subcommand):
    """Crawls a site."""

    summary = "crawl a site and learn it"
    description = "The same as `scrapy crawl site -a url=URL`, in any folder: no Scrapy project is needed."
    examples = ("https://example.com/", "https://example.com/ -a max_pages=2000 -a out=example")

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The site, and arguments of the spider."""
        parser.add_argument("url", metavar="URL", help="where the site begins")
        parser.add_argument(
            "-a", dest="arguments", action="append", default=[], metavar="NAME=VALUE", help="an argument of the spider"
        )

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Check the arguments, then crawl."""
        from webstruct.arguments import CrawlArguments
        from webstruct.spiders.site import SiteSpider

        given = {name: value for name, _, value in (argument.partition("=") for argument in options.arguments)}
        CrawlArguments.parse({**given, "url": options.url})
        return _run(SiteSpider, options, settings, **{**given, "url": options.url})[0]


class Report(Subcommand):
    """Writes the report."""

    summary = "write report.html again"
    description = (
        "Learn the site again from its store, write DIR/report.html and DIR/site.json, and print the report's path."
    )
    examples = ("webstruct-out/example.com", "webstruct-out/example.com --open")

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder, and whether to look at it."""
        _add_folder(parser)
        parser.add_argument("--open", action="store_true", help="open it in the browser")

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Write, name and open it."""
        import webbrowser

        from webstruct.export import write_report
        from webstruct.progress import Work
        from webstruct.sitefolder import SiteFolder

        with Work("writing the report", quiet=options.quiet):
            path = write_report(SiteFolder(options.folder))
        if not options.quiet:
            sys.stdout.write(f"{path}\n")
        if options.open:
            webbrowser.open(path.resolve().as_uri())
        return exit_codes.COMPLETE


class Articles(Subcommand):
    """Exports the articles."""

    summary = "the articles as Markdown, text, JSON lines or CSV"
    description = (
        "Write the articles of a site to standard output, to a file, or, if PATH is a folder or ends in a slash, into one\n"
        "file for each article. All text is UTF-8."
    )
    examples = (
        "webstruct-out/example.com --format csv -o articles.csv",
        "webstruct-out/example.com --format md -o articles/",
        "webstruct-out/example.com --format jsonl | head -1",
    )

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder, the format, the place."""
        _add_folder(parser)
        parser.add_argument("--format", choices=("md", "txt", "jsonl", "csv"), default="md", help="default: md")
        _add_output(parser, "a file, or a folder for one file an article (md and txt)")

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Write them."""
        from webstruct.export import write_article_files, write_articles
        from webstruct.progress import Work
        from webstruct.sitefolder import FolderError, SiteFolder

        site = SiteFolder(options.folder)
        total = site.summary()["types"]["article"]
        to_folder = options.output is not None and (options.output.endswith("/") or Path(options.output).is_dir())
        if to_folder and options.format not in ("md", "txt"):
            raise FolderError(
                f"{options.output} is a folder, and {options.format} is one file; name a file, or use --format md"
            )
        with Work("writing articles", quiet=options.quiet) as work:
            articles = work.follow(site.articles(), total)
            if to_folder:
                written = write_article_files(articles, options.format, Path(options.output))
            else:
                with _output(options.output) as file:
                    written = write_articles(articles, options.format, file)
        _summarise(options, f"{written} articles")
        return exit_codes.COMPLETE


class Explain(Subcommand):
    """Explains a page."""

    summary = "why a page has its type: evidence, blocks, scores, family"
    description = (
        "Explain what was decided of a page: the evidence for its type in words and numbers, its blocks with CII, API and\n"
        "SII, its template family with the wrapper, and the list pages that lead to it. URL in any spelling of the same page."
    )
    examples = (
        "webstruct-out/example.com https://example.com/news/flood",
        "webstruct-out/example.com https://example.com/news/ --json",
    )

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder and the page."""
        _add_folder(parser)
        parser.add_argument("url", metavar="URL", help="a page of the site")
        parser.add_argument("--json", action="store_true", help="all figures and all blocks as JSON")

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Explain it."""
        import json

        from webstruct.commands.running import printable
        from webstruct.explanation import explain, not_kept
        from webstruct.sitefolder import SiteFolder, row_of

        site = SiteFolder(options.folder)
        with site.store() as store, _output(None) as file:
            row = row_of(store, options.url)
            if row.state != "stored":
                file.write(printable(not_kept(store, row)) + "\n")
                return exit_codes.COMPLETE
            explanation = explain(site, store, row)
            if options.json:
                json.dump(explanation.as_dict(), file, ensure_ascii=False, indent=1)
                file.write("\n")
            else:
                file.write(printable("\n".join(explanation.lines())) + "\n")
        return exit_codes.COMPLETE


class Wrappers(Subcommand):
    """Exports the wrappers."""

    summary = "the templates and their wrappers as JSON"
    description = (
        "Write the template families of a site, with the wrapper that takes the article out of a page, as JSON."
    )
    examples = ("webstruct-out/example.com", "webstruct-out/example.com -o wrappers.json")

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder and the place."""
        _add_folder(parser)
        _add_output(parser)

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Write them."""
        import json

        from webstruct.export import wrappers
        from webstruct.sitefolder import SiteFolder

        found = wrappers(SiteFolder(options.folder))
        with _output(options.output) as file:
            json.dump(found, file, ensure_ascii=False, indent=1)
            file.write("\n")
        _summarise(options, f"{len(found['families'])} families")
        return exit_codes.COMPLETE


class Graph(Subcommand):
    """Exports the link graph."""

    summary = "the link graph as GraphML or GEXF"
    description = (
        "Write the pages and links of a site as a graph, for Gephi, Cytoscape, networkx and others: pages with type, hub,\n"
        "authority and rank, links with anchor text, entropy and block."
    )
    examples = (
        "webstruct-out/example.com -o site.graphml",
        "webstruct-out/example.com --format gexf --informative -o structure.gexf",
    )

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder, the format, the place."""
        _add_folder(parser)
        parser.add_argument("--format", choices=("graphml", "gexf"), default="graphml", help="default: graphml")
        parser.add_argument(
            "--informative", action="store_true", help="only list pages, articles, and links from one to the other"
        )
        _add_output(parser)

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Write it."""
        from webstruct.export import graph, write_graph
        from webstruct.progress import Work
        from webstruct.sitefolder import SiteFolder

        with Work("writing the graph", quiet=options.quiet), _output(options.output, binary=True) as file:
            found = graph(SiteFolder(options.folder), informative=options.informative)
            write_graph(found, options.format, file)
        _summarise(options, f"{found.number_of_nodes()} pages, {found.number_of_edges()} links")
        return exit_codes.COMPLETE


class Analyse(Subcommand):
    """Runs the closing analysis."""

    summary = "learn the site again from its store, without crawling"
    description = (
        "Run the closing analysis again on the pages in DIR/site.db, without a request to the site, and write articles.jsonl,\n"
        "pages.jsonl, site.json and report.html anew. Settings, feeds and item pipelines are those of the project and of -s."
    )
    examples = (
        "webstruct-out/example.com",
        "webstruct-out/example.com -s ITEM_PIPELINES='{\"shop.pipelines.Keep\": 300}'",
    )

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Analyse it."""
        from webstruct.progress import Work
        from webstruct.sitefolder import FolderError, SiteFolder
        from webstruct.spiders.stored import StoredSpider

        site = SiteFolder(options.folder)
        with site.store() as store:
            url, pages = store.get_meta("start_url"), store.counts().stored
        if url is None:
            raise FolderError(
                f"{site.path} holds no crawl yet; `scrapy webstruct crawl URL -a out={site.path}` begins one"
            )
        with Work(f"analysing {pages} pages", quiet=options.quiet):
            code, _ = _run(StoredSpider, options, settings, url=url, out=str(site.path))
        return _unless_pending(code)


class Import(Subcommand):
    """Learns archives."""

    summary = "learn a site from web archives (WARC), without crawling"
    description = (
        "Read the pages of one site from WARC files (.warc, .warc.gz) as if they were fetched now, learn the site, and write\n"
        "the same files as a crawl. The site is that of the first page, or of --url; other hosts are left out. What can't be\n"
        "used is skipped, and counted by reason. URLs that are not in the archive stay pending: a crawl can go on from here."
    )
    examples = (
        "example.warc.gz",
        "part-1.warc.gz part-2.warc.gz --url https://example.com/ --out webstruct-out/archive",
    )

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The archives, the site in them, the place."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a WARC file")
        parser.add_argument("--out", metavar="DIR", help="folder for the results (default: webstruct-out/<host>)")
        parser.add_argument("--url", help="the start page (default: the first HTML page of the archive)")
        parser.add_argument("--subdomains", action="store_true", help="hosts below the site's belong to it")

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Read and learn them."""
        from webstruct.arguments import CrawlArguments
        from webstruct.progress import Work
        from webstruct.spiders.stored import ArchiveSpider
        from webstruct.warc import WarcReader

        wanted = None if options.url is None else CrawlArguments.parse({"url": options.url}).url
        reader = WarcReader(options.files, max_bytes=_max_page_bytes(settings))
        arguments = {"url": reader.start_page(wanted), "out": options.out, "subdomains": _yes(options.subdomains)}
        with Work("reading the archive", quiet=options.quiet) as work:
            code, spider = _run(ArchiveSpider, options, settings, reader=reader, report=work.report, **arguments)
        if spider is not None:
            taken = spider.outcomes.pop(None, 0)
            reasons = "".join(f", {count} {reason}" for reason, count in spider.outcomes.most_common())
            _summarise(options, f"{taken} pages taken{reasons}")
        return _unless_pending(code)


class Export(Subcommand):
    """Writes an archive."""

    summary = "the stored pages as a web archive (WARC)"
    description = (
        "Write the pages in DIR/site.db as a WARC file, compressed unless its name ends in .warc. Bodies are as they were\n"
        "fetched; headers are made from what the store keeps of them."
    )
    examples = ("webstruct-out/example.com --warc example.warc.gz",)

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The folder and the archive."""
        _add_folder(parser)
        parser.add_argument("--warc", metavar="FILE", type=Path, required=True, help="the archive to write")

    @staticmethod
    def run(options: argparse.Namespace, settings: Settings) -> int:
        """Write it."""
        from webstruct.progress import Work
        from webstruct.sitefolder import SiteFolder
        from webstruct.warc import write_warc

        with SiteFolder(options.folder).store() as store, Work("writing the archive", quiet=options.quiet) as work:
            pages = store.counts().stored
            for _ in work.follow(write_warc(store, options.warc), pages):
                pass
        _summarise(options, f"{pages} pages")
        return exit_codes.COMPLETE


SUBCOMMANDS: dict[str, type[Subcommand]] = {
    "crawl": Crawl,
    "report": Report,
    "articles": Articles,
    "explain": Explain,
    "wrappers": Wrappers,
    "graph": Graph,
    "analyse": Analyse,
    "import": Import,
    "export": Export,
}


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that a crawl wrote")


def _add_output(parser: argparse.ArgumentParser, what: str = "a file") -> None:
    parser.add_argument("-o", "--output", metavar="PATH", help=f"{what} (default: standard output)")


@contextmanager
def _output(path: str | None, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file that is there when it is whole, or standard output; UTF-8 whatever the locale."""
    from webstruct.files import atomic_file

    if path is None and sys.stdout is not None:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        yield sys.stdout.buffer if binary else sys.stdout
        sys.stdout.flush()
    else:
        with atomic_file(Path(path or os.devnull), binary=binary) as file:
            yield file


def _summarise(options: argparse.Namespace, text: str) -> None:
    """Say on stderr what was done, since stdout may be the result itself."""
    if not options.quiet:
        sys.stderr.write(f"{text}\n")


def _run(spider: type[Any], options: argparse.Namespace, settings: Settings, **arguments: Any) -> tuple[int, Any]:
    """Run a spider; returns the exit code, and the spider if it came to run."""
    from scrapy.crawler import AsyncCrawlerProcess

    from webstruct.commands.running import run_spider

    if options.quiet:
        settings.set("WEBSTRUCT_PROGRESS", False, priority="cmdline")
        settings.set("LOG_LEVEL", options.loglevel or "WARNING", priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider)
    return run_spider(process, crawler, **arguments), crawler.spider


def _unless_pending(code: int) -> int:
    """Nothing was to be fetched, so URLs that are still pending are no fault."""
    return exit_codes.COMPLETE if code == exit_codes.PAGE_LIMIT else code


def _max_page_bytes(settings: Settings) -> int:
    from webstruct.defaults import POLITE

    given = settings.getpriority("DOWNLOAD_MAXSIZE")
    return settings.getint("DOWNLOAD_MAXSIZE") if given else int(POLITE["DOWNLOAD_MAXSIZE"])


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
