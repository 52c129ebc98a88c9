"""Plain text from what feeds hold: HTML, escaped HTML, or text that only looks like it."""

import html
import re

from scoop.core import text

# As a browser reads it: a quote opens a value only after `=`, and what is not closed runs to the end. Every `<` that
# matches is consumed, so the time is linear however hostile the markup is.
_REST_OF_TAG = r"""[^>=]*+(?:=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?[^>=]*+)*+(?:>|\Z)"""
_SILENT = "script|style|iframe|template|noembed|noframes"
_TAG = re.compile(
    rf"<(?:!--.*?(?:--!?>|\Z)|(?P<silent>(?i:{_SILENT}))\b.*?(?:</(?P=silent)\b[^>]*+(?:>|\Z)|\Z)"
    rf"|/?(?P<name>[A-Za-z][A-Za-z0-9:]*+){_REST_OF_TAG}|[!?/][^>]*+(?:>|\Z))",
    re.DOTALL,
)
_INLINE = (
    "a abbr acronym b bdi bdo big cite code del dfn em font i img ins kbd mark nobr q s samp small span strike strong "
    "sub sup time tt u var wbr"
)
_PARAGRAPHS = (
    "p div h1 h2 h3 h4 h5 h6 blockquote ul ol dl table pre section article aside figure figcaption header footer main "
    "hr details summary address center"
)
_LINES = "br li tr dt dd option caption"
_BREAK_BY_NAME = (
    dict.fromkeys(_PARAGRAPHS.split(), "\n\n") | dict.fromkeys(_LINES.split(), "\n") | dict.fromkeys(["td", "th"], " ")
)
_KNOWN = "|".join([*_INLINE.split(), *_BREAK_BY_NAME])
_LOOKS_LIKE_MARKUP = re.compile(rf"(?i)</(?:{_KNOWN})\s*>|<(?:br|hr|p|img)\b[^<>]*>|<!\[CDATA\[")
_HEADLINE_TAG = re.compile(rf"(?i)</?(?:\w+:)?(?P<name>{_KNOWN})(?:\s[^<>]*)?/?>|<!--[^<>]*-->")
_ESCAPED_AGAIN = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_SPACED_BREAK = re.compile(r" *+\n *+")


def headline(markup: str, limit: int) -> str:
    """One line of plain text; `Vec<T>` keeps its letters, and what was escaped twice is read twice."""
    line = _without_cdata(markup[: limit * 4])
    for _ in range(2):
        if "<" in line:
            line = _HEADLINE_TAG.sub(_break, line)
        if "&" not in line:
            break
        line = html.unescape(line)
        if not (_ESCAPED_AGAIN.search(line) or _LOOKS_LIKE_MARKUP.search(line)):
            break
    return text.truncated(text.one_line(line), limit)


def body(markup: str, limit: int) -> str:
    """The text of HTML, paragraphs kept apart."""
    if "<" not in markup and "&" not in markup:
        return written(markup, limit)
    plain = _text(markup[: limit * 4])
    if "<" in plain and _LOOKS_LIKE_MARKUP.search(plain):
        plain = _text(plain)
    return written(plain, limit)


def written(plain: str, limit: int) -> str:
    """Text that is no markup, as it was written."""
    return text.truncated(text.readable(plain[: limit * 2]), limit)


def is_markup(content: str) -> bool:
    """Whether what is said to be text is HTML after all."""
    return bool(_LOOKS_LIKE_MARKUP.search(content) or _ESCAPED_AGAIN.search(content))


def _text(markup: str) -> str:
    markup = _without_cdata(markup)
    if "<" in markup:
        # Outside <pre> a line break of the source is but a space.
        spaced = markup if "<pre" in markup else " ".join(markup.split())
        markup = _SPACED_BREAK.sub("\n", _TAG.sub(_break, spaced))
    return html.unescape(markup) if "&" in markup else markup


def _without_cdata(markup: str) -> str:
    return markup.replace("<![CDATA[", "").replace("]]>", "") if "<![CDATA[" in markup else markup


def _break(tag: re.Match[str]) -> str:
    name = tag["name"]
    return _BREAK_BY_NAME.get(name.rpartition(":")[2].lower(), "") if name else ""
