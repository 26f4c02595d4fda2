"""Scrapy project settings, for `scrapy crawl site` in this folder and for scrapyd."""

import os

# Our matrices are small: more threads than one only burn processor time. Read when numpy is loaded, which is later.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BOT_NAME = "webstruct"
SPIDER_MODULES = ["webstruct.spiders"]
COMMANDS_MODULE = "webstruct.commands"
LOG_LEVEL = "INFO"
