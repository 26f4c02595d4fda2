"""Scrapy project settings, for `scrapy crawl site` in this folder and for scrapyd."""

BOT_NAME = "webstruct"
SPIDER_MODULES = ["webstruct.spiders"]
COMMANDS_MODULE = "webstruct.commands"
LOG_LEVEL = "INFO"
