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
_ACTIVE = "script style iframe object embed form input button svg math video audio link meta base"
_KNOWN = "|".join([*_INLINE.split(), *_ACTIVE.split(), *_BREAK_BY_NAME])
_LOOKS_LIKE_MARKUP = re.compile(rf"(?i)</(?:{_KNOWN})\s*>|<(?:br|hr|p|img)\b[^<>]*>|<!\[CDATA\[")
_HEADLINE_TAG = re.compile(rf"(?i)</?(?:\w+:)?(?P<name>{_KNOWN})(?:\s[^<>]*)?/?>|<!--[^<>]*-->")
_ESCAPED_AGAIN = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_INDENT = re.compile("\n +")
# Replaced first, in a fraction of the time that the general way takes.
_COMMONEST = (("</p> <p>", "\n\n"), ("<p>", "\n\n"), ("</p>", "\n\n"), ("<br />", "\n"), ("</a>", ""))


def headline(markup: str, limit: int) -> str:
    """One line of plain text; `Vec<T>` keeps its letters, and what was escaped twice is read twice."""
    if "<" not in markup and "&" not in markup:
        return _line(markup[: limit * 4], limit)
    line = _without_cdata(markup[: limit * 4])
    for _ in range(2):
        line = _unescaped(_HEADLINE_TAG.sub(_break, line) if "<" in line else line)
        if not is_markup(line):
            break
    return _line(line, limit)


def body(markup: str, limit: int) -> str:
    """The text of HTML, paragraphs kept apart."""
    if "<" not in markup and "&" not in markup:
        return plain_text(markup, limit)
    plain = _text(markup[: limit * 4])
    if "<" in plain and _LOOKS_LIKE_MARKUP.search(plain):
        plain = _text(plain)
    return plain_text(plain, limit)


def plain_text(plain: str, limit: int) -> str:
    """Text that is no markup, as it was written."""
    return text.truncated(text.readable(plain[: limit * 2]), limit)


def is_markup(content: str) -> bool:
    """Whether what should be text is HTML after all."""
    if "<" in content and _LOOKS_LIKE_MARKUP.search(content):
        return True
    return "&" in content and _ESCAPED_AGAIN.search(content) is not None


def _line(plain: str, limit: int) -> str:
    if plain.isascii() and plain.isprintable() and len(plain) <= limit:
        return " ".join(plain.split())
    return text.truncated(text.one_line(plain), limit)


def _text(markup: str) -> str:
    if "<" not in markup:
        return _unescaped(markup)
    markup = _without_cdata(markup)
    if "<pre" not in markup:
        markup = _flat(markup)
    for tag, replacement in _COMMONEST:
        markup = markup.replace(tag, replacement)
    if "<" in markup:
        markup = _TAG.sub(_break, markup)
    return _unescaped(_INDENT.sub("\n", markup) if "\n " in markup else markup)


def _flat(markup: str) -> str:
    """White space as browsers show it: one space."""
    flat = markup.replace("\n", " ").replace("\t", " ")
    return " ".join(flat.split()) if "  " in flat else flat


def _unescaped(markup: str) -> str:
    if "&" not in markup:
        return markup
    if markup.count("&") == markup.count("&amp;"):  # far faster, and the usual case
        return markup.replace("&amp;", "&")
    return html.unescape(markup)


def _without_cdata(markup: str) -> str:
    return markup.replace("<![CDATA[", "").replace("]]>", "") if "<![CDATA[" in markup else markup


def _break(tag: re.Match[str]) -> str:
    if not tag["name"]:
        return ""
    found = _BREAK_BY_NAME.get(tag["name"].rpartition(":")[2].lower(), "")
    return "" if found != "\n\n" and tag[0][1] == "/" else found
