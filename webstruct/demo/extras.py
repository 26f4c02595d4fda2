"""What is neither list nor article: about, contact, forms, a video stub, pictures and the style sheet."""

from __future__ import annotations

from html import escape
from random import Random
from typing import TYPE_CHECKING

from webstruct.demo.chrome import Chrome, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable

STYLE = """
body { margin: 0; font: 17px/1.55 Georgia, "Songti SC", "Noto Serif CJK SC", serif; color: #222;
  background: #fbfaf7; }
a { color: #14405e; text-decoration: none; } a:hover { text-decoration: underline; }
img { max-width: 100%; height: auto; }
.masthead { text-align: center; padding: 22px 0 8px; border-bottom: 3px double #333; }
.logo, .logo a { font-size: 46px; color: #111; letter-spacing: 1px; } .slogan { margin: 0;
  font-style: italic; color: #777; }
.nav-wrap, #menu { text-align: center; border-bottom: 1px solid #ccc; background: #fff; }
.menu { margin: 0; padding: 0; list-style: none; } .menu > li { display: inline-block; position: relative;
  padding: 9px 13px; }
.sub-menu { display: none; position: absolute; left: 0; top: 100%; z-index: 2; min-width: 150px;
  padding: 6px 0;
  background: #fff; border: 1px solid #ccc; list-style: none; text-align: left; }
.sub-menu li { padding: 4px 14px; } .menu li:hover .sub-menu { display: block; }
.breadcrumb, .path { max-width: 1080px; margin: 12px auto; font-size: 14px; color: #777; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 290px; gap: 40px; max-width: 1080px;
  margin: 20px auto; padding: 0 16px; }
h1 { font-size: 36px; line-height: 1.2; margin: 8px 0 12px; } h3 { margin: 0 0 4px; line-height: 1.3; }
.standfirst { font-size: 20px; color: #444; } .byline, .entry-meta, .share, .date, .kind { font-size: 14px;
  color: #777; }
.lead img { width: 100%; } .teaser { overflow: hidden; padding: 14px 0; border-top: 1px solid #ddd; }
.teaser p { margin: 4px 0 0; font-size: 16px; } .teaser .thumbnail { float: left; margin: 4px 16px 0 0; }
.cards { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; padding: 0; list-style: none;
  font-size: 16px; line-height: 1.35; }
.cards a { display: block; } .home-section h2, .widget-title, .top h2 { border-top: 2px solid #333;
  padding-top: 6px; font-size: 20px; }
.tags { display: inline; padding: 0; list-style: none; } .tags li { display: inline-block;
  margin-right: 8px; padding: 1px 9px; background: #eee; }
.newsletter, .author-box { padding: 12px 16px; background: #f1ede3; font-size: 15px; }
.newsletter h4, .author-box h4 { margin: 0; }
.ad, .promo { margin: 16px 0; padding: 10px 16px; border: 1px dashed #bbb; font-size: 15px; color: #777; }
figure { margin: 20px 0; } figcaption, .picture-text { margin: 2px 0; font-size: 14px; color: #777; }
blockquote { margin: 20px 0; padding-left: 18px; border-left: 4px solid #b08d57; font-style: italic; }
pre { padding: 12px; background: #eee; overflow: auto; font-size: 14px; }
.figures { border-collapse: collapse; } .figures td { border: 1px solid #ccc; padding: 3px 12px; }
.comment { padding: 8px 0; border-top: 1px solid #ddd; font-size: 15px; } .comment h3 { font-size: 15px; }
.pagination { margin: 24px 0; } .pagination a, .pagination b { padding: 2px 8px; border: 1px solid #ccc; }
.pager span, .post-navigation span { display: block; margin: 10px 0; font-size: 15px; }
.footer { margin-top: 40px; padding: 18px; border-top: 3px double #333; text-align: center;
  font-size: 14px; color: #777; }
.cookie-banner { padding: 6px 16px; background: #333; color: #eee; font: 13px sans-serif;
  text-align: center; } .cookie-banner p { display: inline; }
.old { background: #fff; } .old .page { text-align: left; } .old .most-read { font-size: 14px; }
@media (max-width: 760px) { .columns { display: block; } .cards { grid-template-columns: repeat(2, 1fr); } }
"""


def static_sheet(chrome: Chrome, name: str) -> Sheet:
    """Return one of the pages that every site has."""
    label = escape(chrome.labels[name])
    main = f"<h1>{label}</h1>\n{CONTENTS.get(name, _text)(chrome, name)}"
    frame = "boxes" if name in ("search", "login") else "modern"
    return Sheet(f"/{name}.html", chrome.labels[name], main, frame=frame, body_class=f"page page-{name}")


def _text(chrome: Chrome, name: str) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in chrome.newsroom.language.pages[name])


def _contact(chrome: Chrome, name: str) -> str:
    mail = '<a href="mailto:desk@lantern.example">desk@lantern.example</a>'
    return f'{_text(chrome, name)}<p>{mail}, <a href="tel:+4900000000">+49 0000 0000</a></p>'


def _search(chrome: Chrome, name: str) -> str:
    hint, button = escape(chrome.labels["search_hint"]), escape(chrome.labels[name])
    return f'<form action="/search.html"><input name="q"><button>{button}</button></form><p>{hint}</p>'


def _login(chrome: Chrome, name: str) -> str:
    user, password = escape(chrome.labels["user"]), escape(chrome.labels["password"])
    return (
        f'<form action="/login.html" method="post"><p>{user} <input name="user"></p>'
        f'<p>{password} <input type="password" name="password"></p>'
        f"<button>{escape(chrome.labels[name])}</button></form>"
    )


def _video(chrome: Chrome, name: str) -> str:
    """Make a stub with nothing but a moving picture."""
    text = escape(chrome.labels["watch"])
    return f'<video controls poster="/images/1001.svg" width="640"></video><p>{text}</p>'


CONTENTS: dict[str, Callable[[Chrome, str], str]] = {
    "contact": _contact,
    "search": _search,
    "login": _login,
    "video": _video,
}


def picture(identifier: int) -> str:
    """Draw the picture of an article: hills before a sky, in colours of its own."""
    random = Random(identifier)
    hue = random.randrange(360)
    hills = "".join(
        f'<path d="M0 {base} Q{random.randrange(80, 560)} {base - random.randrange(40, 160)} 640 {base} '
        'V360 H0Z" '
        f'fill="hsl({hue + 25 * layer} 35% {55 - 13 * layer}%)"/>'
        for layer, base in enumerate((230, 280, 320))
    )
    sun = f'<circle cx="{random.randrange(80, 560)}" cy="{random.randrange(50, 130)}" r="34" fill="#fff3d6"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360"><rect width="640" height="360" '
        f'fill="hsl({hue} 45% 78%)"/>{sun}{hills}</svg>'
    )
