"""Pages of many kinds with the right answers beside them: what is read there must not get worse."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scoop.fetch import articles

PAGES = Path(__file__).parent / "pages"
NAMES = sorted(path.stem for path in PAGES.glob("*.html"))


def answers(name: str) -> dict[str, Any]:
    return json.loads((PAGES / f"{name}.json").read_text(encoding="utf-8"))


def test_there_are_pages_to_measure_on() -> None:
    assert len(NAMES) >= 16


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_the_articles_and_nothing_else(name: str) -> None:
    right = answers(name)
    page = articles.extract((PAGES / f"{name}.html").read_bytes(), url=right["url"])
    assert page.text == "\n\n".join(right["text"])


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_says_of_itself_is_understood(name: str) -> None:
    right = answers(name)
    page = articles.extract((PAGES / f"{name}.html").read_bytes(), url=right["url"])
    assert page.title == right["title"]
    assert page.authors == tuple(right["authors"])
    assert page.published_at == (datetime.fromisoformat(right["published_at"]) if right["published_at"] else None)
    assert page.language == right["language"]
    assert page.canonical_url == right["canonical_url"]
    assert page.problem == right["problem"]
