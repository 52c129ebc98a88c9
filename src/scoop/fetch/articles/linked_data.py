"""Parsing of JSON-LD: the schema.org metadata that pages embed."""

import html
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

JsonLdNode = dict[str, Any]

MAX_SCRIPT_CHARACTERS = 2_000_000
MAX_NODES = 5_000  # of one page, including nested ones
MAX_NAMES = 64
_ARTICLE = re.compile(r"(?:https?://schema\.org/)?(?:\w*Article|BlogPosting|LiveBlogPosting|Report|Review|ClaimReview)")
_AROUND = re.compile(r"^[\s;]*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)?\s*")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_LINE_COMMENT = re.compile(r'(?m)(^|[,{\[]|",)[ \t]*//[^\n"]*$')
_DECODER = json.JSONDecoder(strict=False)


def articles(scripts: Iterable[str]) -> list[JsonLdNode]:
    """The articles that the scripts describe, the outermost first."""
    return [node for node in _nodes(scripts) if _is_article(node)]


def text(value: Any) -> str:
    """The text of a value that may be a list, or an object with a name."""
    if isinstance(value, list):
        return next(filter(None, map(text, value[:MAX_NAMES])), "")
    if isinstance(value, dict):
        return text(value.get("@value") or value.get("name") or "")
    return html.unescape(value) if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The text of each value of a list."""
    return [text(one) for one in value[:MAX_NAMES]] if isinstance(value, list) else [text(value)]


def address(value: Any) -> str:
    """The URL of a value that may be a list, or an object that has one."""
    if isinstance(value, list):
        return next(filter(None, map(address, value[:MAX_NAMES])), "")
    if isinstance(value, dict):
        return address(value.get("url") or value.get("contentUrl") or value.get("@id") or "")
    return value if isinstance(value, str) else ""


def _nodes(scripts: Iterable[str]) -> Iterator[JsonLdNode]:
    waiting = deque(value for script in scripts if (value := _parsed(script)) is not None)
    for _ in range(MAX_NODES):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, dict):
            yield value
            waiting.extend(inner for inner in value.values() if isinstance(inner, dict | list))
        else:
            waiting.extend(inner for inner in value if isinstance(inner, dict | list))


def _parsed(script: str) -> Any:
    if len(script) > MAX_SCRIPT_CHARACTERS:
        return None
    script = _AROUND.sub("", script, count=1)
    found = _first_value(script)
    if found is None:
        found = _first_value(_TRAILING_COMMA.sub(r"\1", _LINE_COMMENT.sub(r"\1", script)))
    return found if isinstance(found, dict | list) else None


def _first_value(script: str) -> Any:
    """The JSON value that a script starts with; anything after it is ignored."""
    try:
        return _DECODER.raw_decode(script)[0]
    except (ValueError, RecursionError):
        return None


def _is_article(node: JsonLdNode) -> bool:
    kinds = node.get("@type")
    return any(
        isinstance(kind, str) and _ARTICLE.fullmatch(kind) for kind in (kinds if isinstance(kinds, list) else [kinds])
    )
