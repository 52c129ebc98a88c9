"""Discord's Markdown as HTML: unknown marks are text, and links are http(s) only."""

import re
from itertools import groupby

from markupsafe import Markup, escape

from scoop.newsstand.links import Href

TAGS = {"strong": "strong", "underline": "u", "strike": "s", "em": "em", "slanted": "em"}
LINE_TAGS = {"# ": "h3", "## ": "h4", "### ": "h5", "-# ": "small", "- ": "li", "* ": "li", "> ": "blockquote"}
DEPTH_MAX = 8  # a line of stars would nest a thousand deep

_FENCE = re.compile(r"```(?:[\w+#.-]*\n)?\n*(.+?)\n*```", re.DOTALL)
_QUOTED_REST = re.compile(r"^>>> (.*)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"(#{1,3} |-# |[-*] |> )?(.*)", re.DOTALL)
_SPAN = re.compile(
    r"""
      \\ (?P<escaped> [^0-9A-Za-z\s])
    | (?P<ticks> `+) (?P<code> .+?) (?<!`) (?P=ticks) (?!`)
    | \[ (?P<label> (?: \\. | [^\\\[\]] )+ ) \]
      \( <? (?P<target> https?:// (?: [^\s()<>] | \( [^\s()<>]* \) )+ ) >? \)
    | < (?P<bracketed> https?:// [^\s<>]+ ) >
    | (?P<bare> https?:// [^\s<]+ [^\s<.,:;"'\])] )
    | (?P<mention> @everyone | @here | < (?: @[!&]? | \# ) \d+ > )
    | \*\* (?P<strong> (?: \\. | [^\\] )+? ) \*\* (?!\*)
    | __ (?P<underline> (?: \\. | [^\\] )+? ) __ (?!_)
    | ~~ (?P<strike> (?: \\. | [^\\] )+? ) ~~
    | \|\| (?P<spoiler> (?: \\. | [^\\] )+? ) \|\|
    | \* (?=\S) (?P<em> (?: \\. | \*\* | [^\\*] )+? ) (?<!\s) \* (?!\*)
    | \b _ (?P<slanted> (?: \\. | __ | [^\\_] )+? ) _ \b
    """,
    re.VERBOSE | re.DOTALL,
)


def render(text: str, href: Href) -> Markup:
    """Render a text with headings, quotes, lists and code."""
    pieces = _FENCE.split(text)
    return Markup().join(
        Markup("<pre><code>{}</code></pre>").format(piece) if place % 2 else _lines(piece.strip("\n"), href)
        for place, piece in enumerate(pieces)
    )


def render_line(text: str, href: Href, depth: int = 0) -> Markup:
    """Render the inline marks of a text."""
    pieces, end = [], 0
    for span in _SPAN.finditer(text) if depth < DEPTH_MAX else ():
        pieces += [escape(text[end : span.start()]), _span(span, href, depth + 1)]
        end = span.end()
    return Markup().join([*pieces, escape(text[end:])])


def _lines(text: str, href: Href) -> Markup:
    quoted = _QUOTED_REST.sub(lambda match: "> " + match[1].replace("\n", "\n> "), text)
    marked = [_LINE.fullmatch(line) for line in quoted.split("\n")]
    lines = [(line[1], line[2]) for line in marked if line]
    blocks = []
    for mark, group in groupby(lines, key=lambda line: line[0]):
        rest = [line[1] for line in group]
        # marks may continue over lines of a text or a quote, but not from one heading to the next
        texts = ["\n".join(rest)] if mark in (None, "> ") else rest
        blocks += [_block(LINE_TAGS[mark] if mark else "p", render_line(text, href)) for text in texts if text]
    return Markup().join(blocks)


def _block(tag: str, inner: Markup) -> Markup:
    return Markup("<{tag}>{inner}</{tag}>").format(tag=tag, inner=inner)


def _span(span: re.Match[str], href: Href, depth: int) -> Markup:
    kind = span.lastgroup or ""
    text = span[kind]
    if kind == "target" and "://" in span["label"]:
        return escape(span[0])  # one address must not pose as another
    if kind == "target":
        return _link(href(text), render_line(span["label"], href, depth))
    if kind in {"bracketed", "bare"}:
        return _link(href(text), escape(text))
    if kind in TAGS:
        return _block(TAGS[kind], render_line(text, href, depth))
    if kind == "spoiler":
        return Markup('<span class="spoiler">{}</span>').format(render_line(text, href, depth))
    if kind == "code":
        return _block("code", escape(text))
    if kind == "mention":
        return Markup('<span class="mention">{}</span>').format(text)
    return escape(text)


def _link(target: str, inner: Markup) -> Markup:
    return Markup('<a href="{}" rel="noopener noreferrer nofollow">{}</a>').format(target, inner)
