"""Scrapy extensions: what the person at the keyboard sees, and files that are never half written."""
