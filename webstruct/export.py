"""What was learned, in forms that other programs read: articles as Markdown, text, JSON lines or CSV; wrappers; graphs."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import networkx as nx

from webstruct.items import ArticleItem
from webstruct.results import conclude, site_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import IO

    from webstruct.sitefolder import SiteFolder

    Article = Mapping[str, Any]

_FIELDS = tuple(ArticleItem.__dataclass_fields__)
_SLUG_BYTES = 80
_NOT_IN_NAMES = re.compile(r"[^\w]+")
# What XML 1.0 can't hold, even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def markdown(article: Article) -> str:
    """An article as a Markdown document: its title as heading, what is known of it as front matter."""
    known = {name: article.get(name) for name in ("title", "url", "date", "author", "language")}
    front = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in known.items() if value]
    section = json.dumps(article.get("section") or [], ensure_ascii=False)
    lines = ["---", *front, f"section: {section}", "---", "", f"# {article['title']}", "", article["markdown"], ""]
    return "\n".join(lines)


def plain_text(article: Article) -> str:
    """An article as text: title, address and date, then what it says."""
    head = [article["title"], article["url"], *([article["date"]] if article.get("date") else [])]
    return "\n".join([*head, "", article["text"], ""])


def json_line(article: Article) -> str:
    """An article as a line of JSON."""
    return json.dumps(article, ensure_ascii=False) + "\n"


DOCUMENTS: Mapping[str, Callable[[Article], str]] = {"md": markdown, "txt": plain_text, "jsonl": json_line}
FORMATS = (*DOCUMENTS, "csv")


def write_articles(articles: Iterable[Article], form: str, file: IO[str]) -> int:
    """Write articles one after the other; returns how many."""
    number = 0
    if form == "csv":
        rows = csv.DictWriter(file, _FIELDS, extrasaction="ignore")
        rows.writeheader()
        for number, article in enumerate(articles, 1):  # noqa: B007
            rows.writerow(
                {**article, "section": " > ".join(article["section"]), "toc_urls": " ".join(article["toc_urls"])}
            )
        return number
    separator = "" if form == "jsonl" else "\n"
    for number, article in enumerate(articles, 1):
        file.write((separator if number > 1 else "") + DOCUMENTS[form](article))
    return number


def write_article_files(articles: Iterable[Article], form: str, folder: Path) -> int:
    """Write each article into a file of its own, named by its number and title; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    for number, article in enumerate(articles, 1):
        name = f"{number:05}-{slug(article['title'])}".rstrip("-")
        (folder / f"{name}.{form}").write_text(DOCUMENTS[form](article), encoding="utf-8", newline="")
    return number


def slug(title: str) -> str:
    """A title as part of a file name.

    >>> slug("Flood: “worst in years” / 水位上升"), slug("../../etc/passwd")
    ('flood-worst-in-years-水位上升', 'etc-passwd')
    """
    words = _NOT_IN_NAMES.sub("-", title.lower()).strip("-_")
    return words.encode("utf-8", "ignore")[:_SLUG_BYTES].decode("utf-8", "ignore").rstrip("-_")


def wrappers(site: SiteFolder) -> dict[str, Any]:
    """The templates of the site with their wrappers, as JSON values."""
    with site.store() as store:
        families = store.families()
        url = store.get_meta("start_url")
    return {
        "url": url,
        "families": [
            {"id": family.id, "type": family.type, "pages": family.pages, "wrapper": family.value}
            for family in families
        ],
    }


def graph(site: SiteFolder, *, informative: bool = False) -> nx.DiGraph:
    """The pages and their links; `informative` leaves only list pages, articles, and the links from one to the other."""
    result = site_graph(site.path)
    if informative:
        structure = site.summary()["structure"]
        kept = [(entry["toc"], article) for entry in structure for article in entry["articles"]]
        result = result.edge_subgraph(kept).copy()
    for attributes in (data for *_, data in (*result.nodes(data=True), *result.edges(data=True))):
        for name, value in attributes.items():
            if isinstance(value, str):
                attributes[name] = _NOT_XML.sub("\ufffd", value)
    return result


def write_graph(result: nx.DiGraph, form: str, file: IO[bytes]) -> None:
    """Write a graph as GraphML (piece by piece) or GEXF (which networkx builds in memory first)."""
    if form == "graphml":
        nx.write_graphml(result, file, named_key_ids=True)
    else:
        nx.write_gexf(result, file)


def write_report(site: SiteFolder) -> Path:
    """Write `report.html` again, from the store; returns its path."""
    summary = site.summary()
    for _ in conclude(site.path, summary["complete"], finished=summary["finished"]):
        pass
    return site.path / "report.html"
