"""arXiv's API: an Atom feed of the papers that answer a query."""

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
from scoop.newsstand.context import Stand
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
    """A paper in the version that is out at one moment."""

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
        asked = texts[field] if field in texts else " ".join(texts.values())
        return words.strip('"').lower() in asked.lower()


class MalformedQuery(ValueError):
    """What arXiv answers with an error entry."""


def sites(stand: Stand) -> Mapping[str, Sequence[BaseRoute]]:
    limit = RequestLimit(requests=1, per=BETWEEN_REQUESTS, clock=stand.clock)
    return {
        HOST: ArxivApi(stand=stand, limit=None).routes(),
        HASTY_HOST: ArxivApi(stand=stand, limit=limit).routes(),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivApi:
    stand: Stand
    limit: RequestLimit | None

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/query", self.query)]

    async def query(self, request: Request) -> Response:
        if self.limit and self.limit.left_after(HASTY_HOST) < 0:
            wait = {"retry-after": str(self.limit.seconds_to_wait(HASTY_HOST))}
            return PlainTextResponse("Rate exceeded.", status_code=429, headers=wait)
        asked = request.query_params
        try:
            found = _found(_preprints(self.stand), asked.get("search_query", ""))
            start, count = int(asked.get("start", 0)), int(asked.get("max_results", 10))
        except ValueError as error:
            return _atom(_feed([_error(str(error))], total=1), status=400)
        order = "updated_at" if asked.get("sortBy") == "lastUpdatedDate" else "published_at"
        found.sort(key=lambda each: getattr(each, order), reverse=asked.get("sortOrder") != "ascending")
        shown = found[start : start + min(count, MAX_RESULTS)]
        return _atom(_feed([_entry(each) for each in shown], total=len(found)))


@cache
def _papers() -> list[Paper]:
    tables = tomllib.loads((world.SHIPPED / "papers" / "arxiv.toml").read_text("utf-8"))
    return msgspec.convert(tables["paper"], list[Paper])


def _preprints(stand: Stand) -> list[Preprint]:
    now = stand.clock()
    found = []
    for number, paper in enumerate(_papers(), start=FIRST_NUMBER):
        published_at = stand.anchor - timedelta(hours=paper.hours_ago)
        second = paper.version_2
        updated_at = stand.anchor - timedelta(hours=second.hours_ago) if second else published_at
        is_second = second is not None and updated_at <= now
        if published_at <= now:
            found.append(
                Preprint(
                    id=f"{published_at:%y%m}.{number:05d}",
                    paper=paper,
                    version=2 if is_second else 1,
                    abstract=second.abstract if second and is_second else paper.abstract,
                    published_at=published_at,
                    updated_at=updated_at if is_second else published_at,
                )
            )
    return found


def _found(preprints: list[Preprint], query: str) -> list[Preprint]:
    """Terms joined from left to right; arXiv's brackets are not understood here."""
    found: list[Preprint] = []
    position = 0
    while match := _TERM.match(query, position):
        hits = [each for each in preprints if each.is_found_by(match["field"], match["words"])]
        match match["joint"]:
            case "AND":
                found = [each for each in found if each in hits]
            case "ANDNOT":
                found = [each for each in found if each not in hits]
            case _:
                found = [each for each in preprints if each in found or each in hits]
        position = match.end()
    if position < len(query) or not query:
        raise MalformedQuery(f"malformed search_query: {query!r}")
    return found


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
    _add(entry, "title", preprint.paper.title.replace(": ", ":\n  "))  # arXiv breaks lines where it likes
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
