"""What the site says in its own voice (menus, boxes, buttons), English and Chinese side by side."""

from __future__ import annotations

_LABELS = {
    "home": ("Home", "首页"),
    "latest": ("Latest", "滚动新闻"),
    "read_more": ("Read more", "阅读全文"),
    "related": ("Related stories", "相关新闻"),
    "most_read": ("Most read", "热门排行"),
    "newsletter": ("The morning letter", "晨间来信"),
    "newsletter_text": (
        "Five stories, one page, every weekday at seven. Sign up for our free newsletter "
        "and never miss what matters. You can leave at any time.",
        "五条新闻，一页读完，工作日早七点送达。欢迎免费订阅本报邮件，不错过任何要紧的事，可随时退订。",
    ),
    "subscribe": ("Subscribe", "订阅"),
    "cookies": (
        "We use cookies to keep this newspaper running and to count our readers. By reading on you agree to this.",
        "本网站使用必要的存储技术维持运行并统计读者人数，继续浏览即表示您同意。",
    ),
    "accept": ("Accept all", "全部接受"),
    "share": ("Share", "分享到"),
    "print": ("Print", "打印"),
    "mail": ("E-mail", "邮件"),
    "tags": ("Topics", "关键词"),
    "tag": ("Topic", "专题"),
    "author": ("By", "作者"),
    "about_author": ("About the author", "作者简介"),
    "previous": ("Previous", "上一页"),
    "next": ("Next", "下一页"),
    "previous_story": ("Previous story", "上一篇"),
    "next_story": ("Next story", "下一篇"),
    "comments": ("Comments", "网友评论"),
    "reply": ("Reply", "回复"),
    "advertisement": ("Advertisement", "广告"),
    "advertisement_text": (
        "Warm socks for cold mornings. Order today, wear tomorrow.",
        "冷天早晨，暖袜一双。今日下单，明日上脚。",
    ),
    "see_also": ("Do not miss", "不要错过"),
    "top": ("Top stories", "头条新闻"),
    "more_from": ("More from", "更多"),
    "empty": ("There are no stories here yet.", "这里还没有文章。"),
    "search": ("Search", "搜索"),
    "search_hint": ("Type a word and press enter.", "请输入关键词后按回车键。"),
    "login": ("Log in", "登录"),
    "user": ("User name", "用户名"),
    "password": ("Password", "密码"),
    "video": ("Video", "视频"),
    "watch": ("Watch: the week in two minutes", "两分钟看一周"),
    "about": ("About us", "关于我们"),
    "contact": ("Contact", "联系方式"),
    "privacy": ("Privacy", "隐私声明"),
    "imprint": ("Imprint", "版权信息"),
    "archive": ("Archive", "资料库"),
    "page": ("Page", "第"),
    "copyright": (
        "The Daily Lantern. All stories, names and places are invented.",
        "灯笼日报 版权所有，本站人物、地名与新闻均为虚构。",
    ),
    "slogan": ("News from places that do not exist", "来自不存在之地的新闻"),
    "empty_tag": ("Unwritten", "尚未成文"),
    "not_found": (
        "Sorry, the page you were looking for could not be found. It may have been moved or deleted.",
        "抱歉，您要找的页面不存在，可能已被移动或删除。",
    ),
    "readers": ("Readers today", "今日读者"),
    "anonymous": ("Reader", "网友"),
}

ENGLISH_LABELS = {name: english for name, (english, _) in _LABELS.items()}
CHINESE_LABELS = {name: chinese for name, (_, chinese) in _LABELS.items()}
