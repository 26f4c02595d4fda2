"""Metadata lives in pyproject.toml; this file is for tools that call setup.py, as scrapyd does to build eggs."""

from setuptools import setup

setup(
    entry_points={
        "scrapy": ["settings = webstruct.settings"],
        "scrapy.commands": [
            "skeleton = webstruct.commands.skeleton:Command",
            "webstruct = webstruct.commands.webstruct:Command",
        ],
    }
)
