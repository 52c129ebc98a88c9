"""Plain text from the texts of feeds: HTML, escaped HTML, or text that only looks like HTML."""

import html
import re

from scoop.core import text

# As a browser reads a tag: a quote opens a value only after `=`, and an unclosed tag runs to the end. Every `<` that
# matches is consumed, so the time is linear even for hostile markup.
_REST_OF_TAG = r"""[^>=]*+(?:=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?[^>=]*+)*+(?:>|\Z)"""
_SILENT = "|".join(
    rf"(?i:{name})\b.*?(?:</(?i:{name})\b[^>]*+(?:>|\Z)|\Z)"
    for name in ("script", "style", "iframe", "template", "noembed", "noframes")
)
# One group, the name with its slash: `split` gives text and names in turn, in half the time of `sub` with a function.
_TAG = re.compile(
    rf"<(?:!--.*?(?:--!?>|\Z)|(?=[sitnSITN])(?:{_SILENT})|(/?[A-Za-z][A-Za-z0-9:]*+){_REST_OF_TAG}|[!?/][^>]*+(?:>|\Z))",
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
_CELLS = "td th"
_ACTIVE = "script style iframe object embed form input button svg math video audio link meta base"
_KNOWN = frozenset(f"{_INLINE} {_PARAGRAPHS} {_LINES} {_CELLS} {_ACTIVE}".split())
_LOOKS_LIKE_MARKUP = re.compile(rf"(?i)</(?:{'|'.join(sorted(_KNOWN))})\s*>|<(?:br|hr|p|img)\b[^<>]*>|<!\[CDATA\[")
_HEADLINE_TAG = re.compile(r"<(?:(/?)(?:\w+:)?([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?/?>|!--[^<>]*-->)")
_ESCAPED_AGAIN = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_INDENT = re.compile("\n +")


class _Breaks(dict[str | None, str]):
    """The white space in place of a tag, by its name with its slash; None is a comment or a silent element."""

    def __missing__(self, name: str | None) -> str:
        """A name in capitals, with a prefix, or unknown: looked up in its plain form, and not remembered."""
        slash, bare = ("/", name[1:]) if name and name[0] == "/" else ("", name or "")
        return self.get(slash + bare.rpartition(":")[2].lower(), "")


_BREAKS = _Breaks({None: ""})
for _names, _break in ((_INLINE, ""), (_CELLS, " "), (_LINES, "\n"), (_PARAGRAPHS, "\n\n")):
    for _name in _names.split():
        _BREAKS[_name] = _break
        _BREAKS[f"/{_name}"] = _break if _names is _PARAGRAPHS else ""


def headline(markup: str, limit: int) -> str:
    """One line of plain text; `Vec<T>` keeps its letters, and text that was escaped twice is unescaped twice."""
    line = markup[: limit * 4]
    if "<" in line or "&" in line:
        line = _without_cdata(line)
        for _ in range(2):
            line = _unescaped(_HEADLINE_TAG.sub(_headline_break, line) if "<" in line else line)
            if not is_markup(line):
                break
    return text.truncated(text.one_line(line), limit)


def body(markup: str, limit: int) -> str:
    """The text of HTML, with a blank line between paragraphs."""
    if "<" not in markup and "&" not in markup:
        return plain_text(markup, limit)
    plain = _text(markup[: limit * 4])
    if "<" in plain and _LOOKS_LIKE_MARKUP.search(plain):
        plain = _text(plain)
    return plain_text(plain, limit)


def plain_text(plain: str, limit: int) -> str:
    """Text without markup, in readable form."""
    return text.truncated(text.readable(plain[: limit * 2]), limit)


def is_markup(content: str) -> bool:
    """Whether a text that is declared as plain holds HTML."""
    if "<" in content and _LOOKS_LIKE_MARKUP.search(content):
        return True
    return "&" in content and _ESCAPED_AGAIN.search(content) is not None


def _text(markup: str) -> str:
    if "<" not in markup:
        return _unescaped(markup)
    markup = _without_cdata(markup)
    parts: list[str] = _TAG.split(markup if "<pre" in markup else _flat(markup))
    parts[1::2] = map(_BREAKS.__getitem__, parts[1::2])
    markup = "".join(parts)
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


def _headline_break(tag: re.Match[str]) -> str:
    """The white space in place of a tag; an unknown name is text, as the type in `Vec<T>`."""
    slash, name = tag[1], tag[2]
    if name is None:
        return ""
    return _BREAKS[slash + name.lower()] if name.lower() in _KNOWN else tag[0]
