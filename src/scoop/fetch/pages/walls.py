"""Why a page has no article to read: walls, empty pages, and what is no page at all."""

import re

from lxml.html import HtmlElement

from scoop.fetch.pages.claims import Claims


def is_html(html: bytes, content_type: str) -> bool:
    return b"<" in html


def problem(tree: HtmlElement, said: Claims, text: str) -> str | None:
    return None
