"""The tavily source: a web search."""

from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

import msgspec

from scoop import sources
from scoop.core import text, urls
from scoop.core.feed_reading import dates
from scoop.core.secrets import Secret
from scoop.errors import FetchFailed
from scoop.model import Item
from scoop.sources import Harvest, Visit
from scoop.sources.http import digest, item, link, parse_json

MAX_RESULTS = 20  # of one search, the limit of Tavily's API
COUNTED_IN = ZoneInfo("Asia/Tokyo")  # results are counted by days in this timezone, wherever the desk is
KEPT_LINKS = 1_000  # hashes of recent results
HASH_DIGITS = 16
ANYONE = "tvly-anyone"  # for a server with Tavily's API that needs no key, as the newsstand
KEY = "SCOOP_SOURCES_TAVILY_API_KEY"
REASONS = {
    401: f"your key ({KEY}) is not valid",
    403: f"your key ({KEY}) may not do this",
    429: "too many searches at once",
    432: "the limit of the Tavily plan is used up",
    433: "the pay-as-you-go limit of the Tavily account is used up",
}

_DOMAINS = Annotated[tuple[str, ...], msgspec.Meta(max_length=100)]


class TavilyResult(msgspec.Struct):
    """One result of the API."""

    url: str
    title: str | None = None
    content: str | None = None
    score: float | None = None
    published_date: str | None = None


class Results(msgspec.Struct):
    results: list[msgspec.Raw]


class Tavily:
    """A web search through Tavily's API, with your own key as the option `api_key`.

    The results of a day are limited and counted by dates in Japan, however often the source is visited: at the limit,
    Scoop sends no more requests that day. A page that was found recently is skipped.
    """

    name = "tavily"
    access = "editor"
    base_url = "https://api.tavily.com/search"
    targets: ClassVar = {r"search:(?P<query>.+)": "search:solar power"}

    class Options(sources.ServiceOptions, frozen=True, kw_only=True):
        """The search and its limits.

        `api_key`: your key of Tavily's API.
        `query`: the words to search for.
        `topic`: search news, or all pages.
        `days`: the greatest age of news, in days.
        `include_domains`: search only these domains.
        `exclude_domains`: skip these domains.
        `max_results_per_day`: the number of results of a day.
        """

        api_key: Secret | None = None
        query: Annotated[str, msgspec.Meta(max_length=400, description="the words to search for")] = ""
        topic: Literal["news", "general"] = "news"
        days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 3
        include_domains: _DOMAINS = ()
        exclude_domains: _DOMAINS = ()
        max_results_per_day: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10

        def __post_init__(self) -> None:
            if not self.query.strip():
                raise ValueError("give the option query: the words to search for")

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        options = self.options
        today = visit.now.astimezone(COUNTED_IN).date().isoformat()
        taken = visit.checkpoint["taken"] if visit.checkpoint.get("day") == today else 0
        left = options.max_results_per_day - taken
        if left <= 0:
            return Harvest(checkpoint=dict(visit.checkpoint))
        results, problems = await _search(visit, options, at_most=min(left, MAX_RESULTS))
        seen = dict.fromkeys(visit.checkpoint.get("seen", ()))
        new_by_link = {_hash(result.url): result for result in results if _hash(result.url) not in seen}
        return Harvest(
            items=[found for result in new_by_link.values() if (found := _item(result))],
            checkpoint={
                "day": today,
                "taken": taken + len(results),
                "seen": [*new_by_link, *seen][:KEPT_LINKS],
            },
            health="ok" if results else "empty",
            problems=problems,
        )


async def _search(visit: Visit, options: Tavily.Options, *, at_most: int) -> tuple[list[TavilyResult], list[str]]:
    """The results, and a problem for each one that cannot be parsed."""
    url = visit.source.base_url
    if options.api_key is None and options.connect_to is None:
        raise FetchFailed(f"Tavily needs your key: set {KEY}", health="http_error")
    key = options.api_key.for_url(url) if options.api_key else ANYONE
    try:
        response = await visit.post(url, json=_query(options, at_most), headers={"Authorization": f"Bearer {key}"})
    except FetchFailed as failure:
        if failure.status not in REASONS:
            raise
        reason = f"Tavily rejected the search ({failure.status}): {REASONS[failure.status]}"
        raise FetchFailed(reason, health="http_error", status=failure.status, after=failure.after) from failure
    results: list[TavilyResult] = []
    problems: list[str] = []
    for raw in parse_json(response, Results).results[:at_most]:
        try:
            results.append(msgspec.json.decode(raw, type=TavilyResult))
        except msgspec.DecodeError as error:
            problems.append(f"a result could not be parsed: {error}")
    return results, problems


def _query(options: Tavily.Options, at_most: int) -> dict[str, Any]:
    query = {
        "query": options.query,
        "topic": options.topic,
        "max_results": at_most,
        "include_domains": options.include_domains,
        "exclude_domains": options.exclude_domains,
    }
    return query | ({"days": options.days} if options.topic == "news" else {})


def _item(result: TavilyResult) -> Item | None:
    url = link(result.url)
    if url is None or not text.normalized(result.title or ""):
        return None
    return item(
        urls.canonical_url(url),
        result.title or "",
        canonical_url=url,
        published_at=dates.moment(result.published_date or ""),
        body_text=result.content or "",
        metadata={"platform": "tavily", "score": result.score},
    )


def _hash(url: str) -> str:
    """A short hash of a page's canonical address."""
    try:
        spelled = urls.canonical_url(url)
    except ValueError:
        spelled = url
    return digest(spelled)[:HASH_DIGITS]
