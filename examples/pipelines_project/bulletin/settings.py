"""Settings of an ordinary Scrapy project; what was added for webstruct stands at the end."""

BOT_NAME = "bulletin"
SPIDER_MODULES = ["bulletin.spiders"]
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
ITEM_PIPELINES = {"bulletin.pipelines.Tidy": 950}

# webstruct: each story's text and the words that tell it from the others, and at the end what was learned of the site.
ITEM_PIPELINES |= {
    "webstruct.pipelines.entropy.EntropyPipeline": 310,
    "webstruct.pipelines.wisdom.WisdomPipeline": 320,
    "webstruct.pipelines.lamis.LamisPipeline": 900,
}
WEBSTRUCT_OUT = "learned"
WEBSTRUCT_SETTLED_PAGES = 20  # a small newspaper; leave it at 200 for others
