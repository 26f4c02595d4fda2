"""Spiders: `scrapy crawl site -a url=…`."""
