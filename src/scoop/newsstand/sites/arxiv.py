"""arXiv's API: an Atom feed of the papers that match a query."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from xml.etree import ElementTree as ET

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import world
from scoop.newsstand.context import SiteContext
from scoop.newsstand.limits import RequestLimit

HOST = "export.arxiv.org"
HASTY_HOST = "hasty.export.arxiv.org"  # the same papers, with arXiv's limit of one request in three seconds
BETWEEN_REQUESTS = timedelta(seconds=3)
MAX_RESULTS = 2_000
FIRST_NUMBER = 1_201

_TERM = re.compile(r'(?:(?P<joint>AND|OR|ANDNOT)\s+)?(?P<field>ti|au|abs|cat|all):(?P<words>"[^"]*"|\S+)\s*')
_ATOM = {"xmlns": "http://www.w3.org/2005/Atom", "xmlns:arxiv": "http://arxiv.org/schemas/atom"}
_SEARCH = {"xmlns:opensearch": "http://a9.com/-/spec/opensearch/1.1/"}


class ArxivVersion(msgspec.Struct, forbid_unknown_fields=True):
    hours_ago: float
    abstract: str


class Paper(msgspec.Struct, forbid_unknown_fields=True):
    hours_ago: float
    title: str
    authors: list[str]
    categories: list[str]
    abstract: str
    version_2: ArxivVersion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprint:
    """A paper in the version published at one moment."""

    id: str
    paper: Paper
    version: int
    abstract: str
    published_at: datetime
    updated_at: datetime

    def is_found_by(self, field: str, words: str) -> bool:
        texts = {
            "ti": self.paper.title,
            "au": " ".join(self.paper.authors),
            "abs": self.abstract,
            "cat": " ".join(self.paper.categories),
        }
        searched = texts[field] if field in texts else " ".join(texts.values())
        return words.strip('"').lower() in searched.lower()


class MalformedQuery(ValueError):
    """An error that arXiv reports as an entry."""


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    limit = RequestLimit(requests=1, per=BETWEEN_REQUESTS, clock=context.clock)
    return {
        HOST: ArxivApi(context=context, limit=None).routes(),
        HASTY_HOST: ArxivApi(context=context, limit=limit).routes(),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivApi:
    context: SiteContext
    limit: RequestLimit | None

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/query", self.query)]

    async def query(self, request: Request) -> Response:
        if self.limit and self.limit.left_after(HASTY_HOST) < 0:
            wait = {"retry-after": str(self.limit.seconds_to_wait(HASTY_HOST))}
            return PlainTextResponse("Rate exceeded.", status_code=429, headers=wait)
        params = request.query_params
        try:
            matches = _search(_preprints(self.context), params.get("search_query", ""))
            start, count = int(params.get("start", 0)), int(params.get("max_results", 10))
        except ValueError as error:
            return _atom(_feed([_error(str(error))], total=1), status=400)
        order = "updated_at" if params.get("sortBy") == "lastUpdatedDate" else "published_at"
        matches.sort(key=lambda preprint: getattr(preprint, order), reverse=params.get("sortOrder") != "ascending")
        shown = matches[start : start + min(count, MAX_RESULTS)]
        return _atom(_feed([_entry(preprint) for preprint in shown], total=len(matches)))


@cache
def _papers() -> list[Paper]:
    tables = tomllib.loads((world.SHIPPED / "papers" / "arxiv.toml").read_text("utf-8"))
    return msgspec.convert(tables["paper"], list[Paper])


def _preprints(context: SiteContext) -> list[Preprint]:
    now = context.clock()
    preprints = []
    for number, paper in enumerate(_papers(), start=FIRST_NUMBER):
        published_at = context.anchor - timedelta(hours=paper.hours_ago)
        second = paper.version_2
        updated_at = context.anchor - timedelta(hours=second.hours_ago) if second else published_at
        is_second = second is not None and updated_at <= now
        if published_at <= now:
            preprints.append(
                Preprint(
                    id=f"{published_at:%y%m}.{number:05d}",
                    paper=paper,
                    version=2 if is_second else 1,
                    abstract=second.abstract if second and is_second else paper.abstract,
                    published_at=published_at,
                    updated_at=updated_at if is_second else published_at,
                )
            )
    return preprints


def _search(preprints: list[Preprint], query: str) -> list[Preprint]:
    """Terms joined from left to right; brackets are not supported."""
    matches: list[Preprint] = []
    position = 0
    while match := _TERM.match(query, position):
        hits = [preprint for preprint in preprints if preprint.is_found_by(match["field"], match["words"])]
        match match["joint"]:
            case "AND":
                matches = [preprint for preprint in matches if preprint in hits]
            case "ANDNOT":
                matches = [preprint for preprint in matches if preprint not in hits]
            case _:
                matches = [preprint for preprint in preprints if preprint in matches or preprint in hits]
        position = match.end()
    if position < len(query) or not query:
        raise MalformedQuery(f"malformed search_query: {query!r}")
    return matches


def _atom(feed: ET.Element, status: int = 200) -> Response:
    body = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(body, status_code=status, media_type="application/atom+xml")


def _feed(entries: list[ET.Element], total: int) -> ET.Element:
    feed = ET.Element("feed", _ATOM | _SEARCH)
    _add(feed, "title", "arXiv Query")
    _add(feed, "id", "http://arxiv.org/api/newsstand")
    _add(feed, "opensearch:totalResults", str(total))
    feed.extend(entries)
    return feed


def _entry(preprint: Preprint) -> ET.Element:
    entry = ET.Element("entry")
    page = f"http://arxiv.org/abs/{preprint.id}v{preprint.version}"
    _add(entry, "id", page)
    _add(entry, "updated", f"{preprint.updated_at:%Y-%m-%dT%H:%M:%SZ}")
    _add(entry, "published", f"{preprint.published_at:%Y-%m-%dT%H:%M:%SZ}")
    _add(entry, "title", preprint.paper.title.replace(": ", ":\n  "))  # arXiv breaks lines anywhere
    _add(entry, "summary", "  " + preprint.abstract.replace(". ", ".\n") + "\n")
    for name in preprint.paper.authors:
        _add(_add(entry, "author"), "name", name)
    _add(entry, "link", rel="alternate", type="text/html", href=page)
    _add(entry, "link", title="pdf", rel="related", type="application/pdf", href=page.replace("/abs/", "/pdf/"))
    _add(entry, "arxiv:primary_category", term=preprint.paper.categories[0])
    for category in preprint.paper.categories:
        _add(entry, "category", term=category, scheme="http://arxiv.org/schemas/atom")
    return entry


def _error(reason: str) -> ET.Element:
    entry = ET.Element("entry")
    _add(entry, "id", "http://arxiv.org/api/errors#malformed_query")
    _add(entry, "title", "Error")
    _add(entry, "summary", reason)
    return entry


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text
    return element
