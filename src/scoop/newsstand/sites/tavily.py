"""Tavily's search API: articles that contain the words of a query."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Annotated, Any, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand.context import SiteContext
from scoop.newsstand.limits import RequestLimit
from scoop.newsstand.world import Edition

HOST = "api.tavily.com"
KEY_PREFIX = "tvly-"
HASTY_KEY = "tvly-hasty"  # has a low limit, so that tests can hit it
SPENT_KEYS = {"tvly-spent": 432, "tvly-overspent": 433}
HASTY_REQUESTS_PER_MINUTE = 2
SNIPPET_CHARACTERS = 400

_WORD = re.compile(r"\w+")


class SearchRequest(msgspec.Struct):
    query: Annotated[str, msgspec.Meta(min_length=1)]
    topic: Literal["general", "news", "finance"] = "general"
    days: int = 7
    max_results: Annotated[int, msgspec.Meta(ge=0, le=20)] = 5
    include_domains: list[str] = []
    exclude_domains: list[str] = []

    def asks_for(self, edition: Edition, oldest: datetime) -> bool:
        host = edition.outlet.host
        is_wanted = not self.include_domains or _is_under(host, self.include_domains)
        is_new = self.topic != "news" or edition.published_at >= oldest
        return is_wanted and is_new and not _is_under(host, self.exclude_domains)


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    limit = RequestLimit(requests=HASTY_REQUESTS_PER_MINUTE, per=timedelta(minutes=1), clock=context.clock)
    return {HOST: TavilyApi(context=context, limit=limit).routes()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TavilyApi:
    context: SiteContext
    limit: RequestLimit

    def routes(self) -> list[BaseRoute]:
        return [Route("/search", self.search, methods=["POST"])]

    async def search(self, request: Request) -> Response:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not key.startswith(KEY_PREFIX):
            return _refusal(401, "Unauthorized: missing or invalid API key.")
        if key in SPENT_KEYS:
            return _refusal(SPENT_KEYS[key], "This request exceeds your plan's set usage limit.")
        if key == HASTY_KEY and self.limit.left_after(key) < 0:
            wait = {"retry-after": str(self.limit.seconds_to_wait(key))}
            return _refusal(429, "Your request has been blocked due to excessive requests.", wait)
        try:
            question = msgspec.json.decode(await request.body(), type=SearchRequest)
        except msgspec.DecodeError as error:
            return _refusal(400, str(error))
        return JSONResponse({"query": question.query, "results": self._results(question), "response_time": 0.4})

    def _results(self, question: SearchRequest) -> list[dict[str, Any]]:
        words = set(_WORD.findall(question.query.lower()))
        oldest = self.context.clock() - timedelta(days=question.days)
        editions = [edition for edition in self.context.editions() if question.asks_for(edition, oldest)]
        scored = [(len(words & _words(edition)) / max(len(words), 1), edition) for edition in editions]
        ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [_result(score, edition, question.topic) for score, edition in ranked[: question.max_results]]


def _words(edition: Edition) -> set[str]:
    return set(_WORD.findall(f"{edition.title} {edition.body}".lower()))


def _is_under(host: str, domains: Sequence[str]) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def _result(score: float, edition: Edition, topic: str) -> dict[str, Any]:
    result = {
        "title": edition.title,
        "url": edition.url,
        "content": edition.body[:SNIPPET_CHARACTERS],
        "score": round(score, 3),
        "raw_content": None,
    }
    return result | ({"published_date": format_datetime(edition.published_at, usegmt=True)} if topic == "news" else {})


def _refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": {"error": reason}}, status_code=status, headers=headers)
