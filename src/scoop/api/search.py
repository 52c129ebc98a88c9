"""Search over the API."""

from typing import Annotated

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.actions import search
from scoop.actions.search import SearchResult
from scoop.core.search import Query, day_bounds
from scoop.http import responses, routes, searches
from scoop.http.cache import Cached
from scoop.http.deps import CurrentDesk
from scoop.http.params import LongText, RequestModel, SearchDay, ShortText
from scoop.http.routes import needs

router = routes.for_programs("Search")

SYNTAX = 'Words; "a phrase", -without, this OR that; fields: source:, collection:, topic:, lang:, after:, before:.'


class SearchParams(RequestModel):
    q: Annotated[LongText, Field(description=SYNTAX)]
    collection: Annotated[ShortText | None, Field(description="Only this collection, as ai_news.")] = None
    source: Annotated[ShortText | None, Field(description="Only this source, by its slug.")] = None
    topic: Annotated[ShortText | None, Field(description="Only events with a story of this topic, by its slug.")] = None
    since: Annotated[SearchDay | None, Field(description="Seen on this day or later.")] = None
    until: Annotated[SearchDay | None, Field(description="Seen on this day or earlier.")] = None
    language: Annotated[ShortText | None, Field(max_length=35, description="Only this language, as de.")] = None
    stories: Annotated[bool, Field(description="Whether to list single stories, not events.")] = False
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of results.")] = 20
    offset: Annotated[int, Field(ge=0, le=search.MAX_OFFSET, description="Number of results to skip.")] = 0


@router.get("/search", response_model=SearchResult)
@needs("read")
async def search_stories(
    request: Request, cache: Cached, desk: CurrentDesk, params: Annotated[SearchParams, fastapi.Query()]
) -> Response:
    """The events that match a query, the best first; with `stories=1` single stories, of which an event may have many.

    `event` is as `/api/v1/events` lists it, `story` its story that matches best, `other_stories` the next ones.
    `found_by` lists how: by words, by meaning, or by a word of similar spelling. `headline` is the title of the event,
    `title` and `passage` are of the best story, as spans; those that match the query have `is_hit`. `hints` say why
    there are few results, `corrections` which words were searched as well. A field of the query replaces the
    parameter of the same meaning.
    """
    since, until = day_bounds(params.since, params.until, desk.timezone)
    filters = params.model_dump(include={"collection", "source", "topic", "language", "limit", "offset"})
    query = Query(text=params.q, timezone=desk.timezone, since=since, until=until, by_story=params.stories, **filters)
    return responses.json(request, await searches.find_stories(cache, desk, query))
