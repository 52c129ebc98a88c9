"""Search as a page: what is found, in what it was found, and how to find less or more."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from urllib.parse import quote, urlencode

from fastapi import Response

from scoop.actions import search
from scoop.actions.search import SearchResult
from scoop.core.search import Query, day_bounds
from scoop.errors import UsageError
from scoop.http import deps, routes
from scoop.http.deps import CurrentDesk
from scoop.http.routes import needs
from scoop.store import search as store
from scoop.store import topics
from scoop.store.db import Connection
from scoop.web import labels, pages
from scoop.web.context import PageContext
from scoop.web.forms import FormValues, QueryFields

router = routes.for_pages()

ROWS = 20
NARROWED_BY = ("collection", "topic", "source", "language", "since", "until")
IN_FEED = ("q", "collection", "source", "topic", "language")
EXAMPLES = (
    ("harbour strike", "stories with both words, in any form, and those that say it in other words"),
    ('"harbour strike"', "stories with exactly this phrase"),
    ("strike -football", "without a word"),
    ("strike OR walkout", "with one of them"),
    ("港 ストライキ", "in any language; where no spaces are written, none are needed"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a search can be narrowed to: values with their names."""

    collections: list[tuple[str, str]]
    topics: list[tuple[str, str]]
    languages: list[tuple[str, str]]
    sources: list[str]


@router.get("/search")
@needs("read")
async def search_page(desk: CurrentDesk, context: PageContext, asked: QueryFields) -> Response:
    try:
        query, error = _query(asked, context), ""
    except UsageError as refused:
        query, error = Query(text=""), str(refused)
    found = await deps.search_stories(desk, query) if query.text else SearchResult()
    async with desk.reading() as conn:
        choices = await _choices(conn)
    shown = query.offset + len(found.items)
    return pages.page(
        "search.html",
        context,
        status=HTTPStatus.BAD_REQUEST if error else HTTPStatus.OK,
        asked=asked,
        found=found,
        error=error,
        choices=choices,
        offset=query.offset,
        is_narrowed=any(asked[name] for name in NARROWED_BY),
        feed_href=_href("/feeds/search.rss", {name: asked[name] for name in IN_FEED}),
        wide_href=_href("/search", {"q": asked["q"]}),
        before_href=_further(asked, max(query.offset - ROWS, 0)) if query.offset else "",
        after_href=_further(asked, shown) if ROWS <= shown < min(found.total_estimate, search.MAX_OFFSET) else "",
        examples=[(text, about, _href("/search", {"q": text})) for text, about in EXAMPLES],
    )


def _query(asked: FormValues, context: PageContext) -> Query:
    try:
        since, until = day_bounds(_day(asked["since"]), _day(asked["until"]), context.timezone)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Query(
        text=asked["q"].strip(),
        collection=asked["collection"] or None,
        source=asked["source"].strip() or None,
        topic=asked["topic"] or None,
        language=asked["language"] or None,
        since=since,
        until=until,
        limit=ROWS,
        offset=_offset(asked["offset"]),
    )


def _day(typed: str) -> date | None:
    try:
        return date.fromisoformat(typed) if typed else None
    except ValueError as error:
        raise UsageError(f"{typed[:40]!r} is not a day as in 2026-11-15") from error


def _offset(typed: str) -> int:
    is_number = typed.isascii() and typed.isdigit() and len(typed) <= len(str(search.MAX_OFFSET))
    return min(int(typed), search.MAX_OFFSET) if is_number else 0


async def _choices(conn: Connection) -> Choices:
    return Choices(
        collections=[(each, labels.collection_name(each)) for each in await store.list_facets(conn, "c")],
        topics=[(each.topic_slug, each.topic_name) for each in await topics.list_topics(conn)],
        languages=[(each, labels.language_name(each)) for each in await store.list_facets(conn, "l")],
        sources=await store.list_facets(conn, "s"),
    )


def _further(asked: Mapping[str, str], offset: int) -> str:
    narrowed = {name: asked[name] for name in ("q", *NARROWED_BY)}
    return _href("/search", {**narrowed, "offset": str(offset or "")})


def _href(path: str, asked: Mapping[str, str]) -> str:
    query = urlencode({name: value for name, value in asked.items() if value}, quote_via=quote)
    return f"{path}?{query}"
