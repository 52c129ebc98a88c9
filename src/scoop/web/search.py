"""The search page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from urllib.parse import quote, urlencode

from fastapi import Response
from fastapi.responses import HTMLResponse

from scoop.actions import search
from scoop.actions.search import SearchResult
from scoop.core.search import Query, day_bounds
from scoop.errors import UsageError
from scoop.http import routes, searches
from scoop.http.cache import Cached
from scoop.http.deps import CurrentDesk
from scoop.http.routes import needs
from scoop.store import search as store
from scoop.store import topics
from scoop.store.db import Connection
from scoop.web import event_summary, labels, pages
from scoop.web.context import Context, PageContext
from scoop.web.forms import FormValues, QueryFields

router = routes.for_pages()

ROWS = 20
SHOWN_OUTLETS = 6  # of an event
FILTERS = ("collection", "topic", "source", "language", "since", "until")
EXAMPLES = (
    ("harbour strike", "events with both words, in any form, and events of the same meaning"),
    ('"harbour strike"', "events with exactly this phrase"),
    ("strike -football", "without a word"),
    ("strike OR walkout", "with one of the words"),
    ("strike lang:de after:2026-11-01", "in one language, seen on this day or later"),
    ("港 ストライキ", "in any language, with or without spaces"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The values of the filters with their names."""

    collections: list[tuple[str, str]]
    topics: list[tuple[str, str]]
    languages: list[tuple[str, str]]
    sources: list[str]


@router.get("/search")
@needs("read")
async def search_page(cache: Cached, desk: CurrentDesk, context: PageContext, fields: QueryFields) -> Response:
    choices = await cache.find("search choices", _choices)
    try:
        query = _query(fields, context)
    except UsageError as refused:
        return _render(context, fields, Query(text=""), SearchResult(), choices, error=str(refused))
    if not query.text:
        return _render(context, fields, query, SearchResult(), choices)
    language_of = event_summary.language_of(desk, context)
    result = await searches.find_stories(cache, desk, query, language=context.visitor.language, language_of=language_of)
    return pages.cached_page(
        cache,
        context,
        frozenset(fields.items()),
        (result, choices),
        lambda: _render(context, fields, query, result, choices),
    )


def _render(
    context: Context, fields: FormValues, query: Query, result: SearchResult, choices: Choices, *, error: str = ""
) -> HTMLResponse:
    next_offset = query.offset + ROWS
    return pages.page(
        "search.html",
        context,
        status=HTTPStatus.BAD_REQUEST if error else HTTPStatus.OK,
        fields=fields,
        result=result,
        error=error,
        choices=choices,
        offset=query.offset,
        by_story=query.by_story,
        SHOWN_OUTLETS=SHOWN_OUTLETS,
        has_filters=any(fields[name] for name in FILTERS),
        feed_href=_href("/feeds/search.rss", {name: fields[name] for name in ("q", *FILTERS)}),
        wide_href=_href("/search", {"q": fields["q"]}),
        other_view_href=_page_href(FormValues({**fields, "stories": "" if query.by_story else "1"}), 0),
        before_href=_page_href(fields, max(query.offset - ROWS, 0)) if query.offset else "",
        after_href=_page_href(fields, next_offset) if _has_page(result, next_offset) else "",
        examples=[(text, about, _href("/search", {"q": text})) for text, about in EXAMPLES],
    )


def _has_page(result: SearchResult, offset: int) -> bool:
    return offset < min(result.total_estimate, search.MAX_OFFSET)


def _query(fields: FormValues, context: PageContext) -> Query:
    try:
        since, until = day_bounds(_day(fields["since"]), _day(fields["until"]), context.timezone)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Query(
        text=fields["q"].strip(),
        timezone=context.timezone,
        collection=fields["collection"] or None,
        source=fields["source"].strip() or None,
        topic=fields["topic"] or None,
        language=fields["language"] or None,
        since=since,
        until=until,
        by_story=fields["stories"] == "1",
        limit=ROWS,
        offset=_offset(fields["offset"]),
    )


def _day(typed: str) -> date | None:
    try:
        return date.fromisoformat(typed) if typed else None
    except ValueError as error:
        raise UsageError(f"{typed[:40]!r} is not a day; write it as 2026-11-15") from error


def _offset(typed: str) -> int:
    is_number = typed.isascii() and typed.isdigit() and len(typed) <= len(str(search.MAX_OFFSET))
    return min(int(typed), search.MAX_OFFSET) if is_number else 0


async def _choices(conn: Connection) -> Choices:
    return Choices(
        collections=[(name, labels.collection_name(name)) for name in await store.list_facets(conn, "c")],
        topics=[(topic.topic_slug, topic.topic_name) for topic in await topics.list_topics(conn)],
        languages=[(language, labels.language_name(language)) for language in await store.list_facets(conn, "l")],
        sources=await store.list_facets(conn, "s"),
    )


def _page_href(fields: Mapping[str, str], offset: int) -> str:
    kept = {name: fields[name] for name in ("q", *FILTERS, "stories")}
    return _href("/search", {**kept, "offset": str(offset or "")})


def _href(path: str, params: Mapping[str, str]) -> str:
    query = urlencode({name: value for name, value in params.items() if value}, quote_via=quote)
    return f"{path}?{query}"
