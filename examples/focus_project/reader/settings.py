"""Settings of an ordinary Scrapy project; what was added for webstruct stands at the end."""

BOT_NAME = "reader"
SPIDER_MODULES = ["reader.spiders"]
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
CLOSESPIDER_PAGECOUNT = 500

# webstruct: on sites that were learned before, follow only the lists that the spider begins with.
SPIDER_MIDDLEWARES = {"webstruct.middlewares.focus.FocusMiddleware": 500}
WEBSTRUCT_SITES = ["known/newspaper"]
