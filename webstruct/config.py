"""All `WEBSTRUCT_*` settings, read once and checked; docs/settings.md lists them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstruct.errors import WebstructError
from webstruct.template import SAMPLE

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PREFIX = "WEBSTRUCT_"


class SettingError(WebstructError):
    """A wrong setting; the message names it, its value and what is allowed."""


@dataclass(frozen=True)
class Config:
    """How the pipelines work in a project.

    Attributes
    ----------
    url_field, html_field
        The fields of an item that hold a page's URL and HTML.
    result_field
        The field of an item that takes what was found, as a dictionary.
    settled_pages
        From how many pages on statistics are taken for settled (WISDOM Fig. 11: about 200).
    template_pages
        How many pages of a family a template is learned from (the paper's t).
    store
        The folder of an earlier crawl whose statistics to begin with; none if empty.
    out
        The folder that `LamisPipeline` writes to in other people's projects.
    progress
        Whether the `site` and `focused` spiders report their progress, and what was learned.
    sites
        Folders of known sites for `FocusMiddleware`.
    features
        Whether the closing analysis weighs the words of every page.
    """

    url_field: str = "url"
    html_field: str = "html"
    result_field: str = "webstruct"
    settled_pages: int = 200
    template_pages: int = SAMPLE
    store: str = ""
    out: str = ""
    progress: bool = True
    sites: tuple[str, ...] = ()
    features: bool = False

    @classmethod
    def read(cls, settings: BaseSettings) -> Config:
        """The settings of a project; an unknown or a wrong one ends the crawl at once."""
        given = {name: settings[name] for name in settings if str(name).startswith(PREFIX)}
        known = {PREFIX + name.upper(): name for name in cls.__dataclass_fields__}
        if unknown := sorted(given.keys() - known.keys()):
            raise SettingError(f"there is no setting {unknown[0]}; there are {', '.join(sorted(known))}")
        return cls(
            **{
                known[name]: _checked(name, value, cls.__dataclass_fields__[known[name]])
                for name, value in given.items()
            }
        )


def _checked(name: str, value: Any, field: Any) -> Any:
    if isinstance(field.default, bool):
        if str(value).lower() not in ("true", "false", "1", "0"):
            raise SettingError(f"{name}={value!r} should be True or False")
        return str(value).lower() in ("true", "1")
    if isinstance(field.default, int):
        if not str(value).isdecimal() or int(value) < 2:
            raise SettingError(f"{name}={value!r} should be a whole number, at least 2")
        return int(value)
    if isinstance(field.default, tuple):
        folders = value.split(",") if isinstance(value, str) else value
        return tuple(_known_site(name, str(folder).strip()) for folder in folders)
    if field.name == "store" and value:
        return _known_site(name, str(value))
    if field.name.endswith("_field") and not value:
        raise SettingError(f"{name} should name a field of your items")
    return str(value)


def _known_site(name: str, folder: str) -> str:
    if not (Path(folder) / "site.db").is_file():
        raise SettingError(f"{name}={folder!r} is not a folder with a site.db in it")
    return folder
