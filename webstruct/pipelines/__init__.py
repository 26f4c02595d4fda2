"""Item pipelines: the methods as steps of a Scrapy project, each usable alone."""
