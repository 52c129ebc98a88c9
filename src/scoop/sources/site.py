"""The site source: links of start pages and sitemaps, for sites without a feed."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import can_ada
import msgspec
from lxml import etree, html

from scoop import sources
from scoop.core import redaction, robots, text, urls
from scoop.core.feed_reading import dates
from scoop.core.feed_reading.feed import MAX_TITLE
from scoop.core.robots import Robots
from scoop.errors import FetchFailed
from scoop.fetch.sandbox import SandboxExceeded
from scoop.model import Item, Source
from scoop.sources import Harvest, Visit
from scoop.sources.http import digest, item, link, with_interval

MAX_BYTES = 5 << 20  # of a page or an unpacked sitemap
MAX_SITEMAPS = 5
MAX_LINKS = 10_000  # of a visit
MAX_TEXT_NODES = 100  # of one link
KEPT_LINKS = 5_000
MAX_WAITING = 1_000  # links over the limits of a run or a day, kept for later visits
HASH_DIGITS = 16
MIN_TITLE_WORDS = 3  # "Read more" is not a headline
MIN_TITLE_CHARACTERS = 12  # the same in scripts without spaces

Parsed = TypeVar("Parsed")

_GZIP = b"\x1f\x8b"
_SLUG_END = re.compile(r"\.\w{1,5}$")
_NOT_A_WORD = re.compile(r"[-_+\s]+")
_Patterns = Annotated[tuple[str, ...], msgspec.Meta(max_length=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A link that may lead to an article."""

    url: str
    found_on: str
    title: str = ""
    published_at: datetime | None = None
    changed_at: datetime | None = None

    @property
    def age(self) -> float:
        """The sort key: newest first, links without a date last."""
        dated = self.published_at or self.changed_at
        return -dated.timestamp() if dated else 0.0


@dataclass(slots=True)
class Crawl:
    """The links found so far, each address once, and the failures."""

    found_by_url: dict[str, FoundLink] = field(default_factory=dict)
    failures: list[FetchFailed] = field(default_factory=list)

    def add(self, found: Iterable[FoundLink]) -> None:
        for each in found:
            if len(self.found_by_url) >= MAX_LINKS:
                return
            url = urls.canonical_url(each.url)
            known = self.found_by_url.get(url, each)
            self.found_by_url[url] = replace(
                known,
                title=max(known.title, each.title, key=len),
                published_at=known.published_at or each.published_at,
            )


class SitePlugin:
    """Articles of a site without a feed: the links on its start pages, and in its sitemap if you want.

    The source's address is the first start page. Links are followed inside the site only, where robots.txt allows it
    and, if the source has allowed paths, under those. A link is used once; the article's own page is fetched later and
    gives the text. A pattern is the beginning of a path; * matches anything and a final $ the end.

    Links over the limits of a run or a day wait for later visits, also if they disappear from the pages meanwhile (up
    to 1,000 links); newer links come first.
    """

    name = "site"
    access = "editor"

    class Options(sources.SourceOptions, frozen=True, kw_only=True):
        """The pages with links, and the links to follow.

        `start_pages`: further pages with links, as paths or addresses.
        `include`: only links whose path matches one of these patterns, as /news/*.html$.
        `exclude`: no links whose path matches one of these patterns.
        `sitemap`: true for the sitemaps that robots.txt names, or the address of one.
        `max_per_run`: the number of new articles of a visit.
        `max_per_day`: the number of new articles a day, in the source's timezone.
        """

        start_pages: Annotated[tuple[str, ...], msgspec.Meta(max_length=20)] = ()
        include: _Patterns = ()
        exclude: _Patterns = ()
        sitemap: bool | str = False
        max_per_run: Annotated[int, msgspec.Meta(ge=1, le=500)] = 30
        max_per_day: Annotated[int, msgspec.Meta(ge=1, le=5000)] = 60

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        rules = await visit.rules()
        starts = [start for page in ("", *self.options.start_pages) if (start := link(page, visit.source.base_url))]
        sitemaps = _sitemaps(self.options, rules, visit.source.base_url)
        crawl = await _crawl(with_interval(visit, timedelta(seconds=rules.crawl_delay or 0)), starts, sitemaps)
        return self._harvest(visit, crawl, _link_filter(visit.source, self.options, rules, starts))

    def _harvest(self, visit: Visit, crawl: Crawl, link_filter: "LinkFilter") -> Harvest:
        """The links that were not used before, as many as a run and a day allow; the others wait."""
        today, taken = _taken_today(visit)
        room = max(0, min(self.options.max_per_run, self.options.max_per_day - taken))
        found_by_hash = {_short(url): found for url, found in crawl.found_by_url.items() if link_filter.allows(url)}
        waiting = {short: found for short, found in _waiting(visit).items() if link_filter.allows(found.url)}
        seen = dict.fromkeys(visit.checkpoint.get("seen", ()))
        unused = [(short, found) for short, found in {**found_by_hash, **waiting}.items() if short not in seen]
        new = [short for short, _ in unused[:room]]
        # The old links of a page that failed this time would look new the next time.
        kept = seen if crawl.failures else [short for short in seen if short in found_by_hash]
        return Harvest(
            items=[_item(found) for _, found in unused[:room]],
            checkpoint={
                "day": today,
                "taken": taken + len(new),
                "seen": [*new, *kept][:KEPT_LINKS],
                "waiting": [msgspec.to_builtins(found) for _, found in unused[room:][:MAX_WAITING]],
            },
            health="ok" if found_by_hash else "empty",
            problems=[str(failure) for failure in crawl.failures],
        )


def _taken_today(visit: Visit) -> tuple[str, int]:
    """The day in the timezone of the source, and the number of articles that were taken on it."""
    today = visit.now.astimezone(ZoneInfo(visit.source.timezone)).date().isoformat()
    return today, visit.checkpoint["taken"] if visit.checkpoint.get("day") == today else 0


def _waiting(visit: Visit) -> dict[str, FoundLink]:
    """The links that earlier visits found, but had no room for."""
    waiting = msgspec.convert(visit.checkpoint.get("waiting", ()), list[FoundLink])
    return {_short(urls.canonical_url(found.url)): found for found in waiting}


def _sitemaps(options: SitePlugin.Options, rules: Robots, base_url: str) -> list[str]:
    is_named_by_robots = options.sitemap in {True, "true"}
    named = rules.sitemaps if is_named_by_robots else [str(options.sitemap)] if options.sitemap else []
    return [url for name in named if (url := link(name, base_url))]


async def _crawl(visit: Visit, pages: Iterable[str], sitemaps: Iterable[str]) -> Crawl:
    """The links of all start pages and sitemaps; FetchFailed if none of them could be read."""
    crawl = Crawl()
    for page in dict.fromkeys(pages):
        try:
            response = await visit.get(page)
            content_type = response.headers.get("Content-Type", "")
            body = response.body[:MAX_BYTES]
            crawl.add(await _in_sandbox(visit, page, links, body, content_type=content_type, url=response.url))
        except FetchFailed as failure:
            crawl.failures.append(failure)
    await _read_sitemaps(visit, list(sitemaps), crawl)
    if crawl.failures and not crawl.found_by_url:
        raise crawl.failures[0]
    return crawl


async def _in_sandbox(visit: Visit, page: str, parse: Callable[..., Parsed | None], body: bytes, **more: str) -> Parsed:
    """The result of a parser, run in the sandbox; FetchFailed if there is none."""
    try:
        found = await visit.sandbox.run(parse, body, **more)
    except SandboxExceeded as error:
        raise FetchFailed(f"{page} cannot be read: {error}", health="parse_error") from error
    if found is None:
        raise FetchFailed(f"{page} did not send a page or a sitemap", health="parse_error")
    return found


def links(body: bytes, *, content_type: str, url: str) -> list[FoundLink] | None:
    """The links of a page in their order, without nofollow links; None if it is not a page."""
    charset = re.search(r"charset=\"?([\w-]{2,40})", content_type)
    root = _tree(body, charset[1] if charset else None)
    if root is None:
        return None
    base = next((link(each.get("href"), url) for each in root.iter("base")), None) or url
    found = []
    for anchor in islice(root.iter("a"), MAX_LINKS):
        if not anchor.get("href") or "nofollow" in (anchor.get("rel") or "").lower():
            continue
        if target := link(anchor.get("href"), base):
            headline = next(anchor.iter("h1", "h2", "h3", "h4"), anchor)  # a card contains more than its headline
            words = "".join(islice(headline.itertext(), MAX_TEXT_NODES))[:MAX_TITLE]
            found.append(FoundLink(url=target, found_on=url, title=text.one_line(words)))
    return found


def _tree(body: bytes, charset: str | None) -> Any:
    """The tree of a page, however malformed; None for text without markup."""
    if b"<" not in body:
        return None
    try:
        parser = html.HTMLParser(encoding=charset)
    except LookupError:  # an unknown charset: the page may name another
        parser = html.HTMLParser()
    try:
        return html.document_fromstring(body, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, UnicodeDecodeError, AssertionError, ValueError):
        return None


async def _read_sitemaps(visit: Visit, waiting: list[str], crawl: Crawl) -> None:
    """Read sitemaps and their indexes, up to MAX_SITEMAPS."""
    read: set[str] = set()
    while waiting and len(read) < MAX_SITEMAPS:
        url = waiting.pop(0)
        if url in read:
            continue
        read.add(url)
        try:
            found, further = await _in_sandbox(visit, url, sitemap, (await visit.get(url)).body, url=url)
        except FetchFailed as failure:
            crawl.failures.append(failure)
            continue
        crawl.add(found)
        waiting += further


def sitemap(body: bytes, *, url: str) -> tuple[list[FoundLink], list[str]] | None:
    """The pages of a sitemap, newest first, and the sitemaps of an index; None if it is neither."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(_unpacked(body), parser)
    except (etree.XMLSyntaxError, ValueError, OSError, EOFError, zlib.error):
        return None
    if root is None or _tag(root) not in {"urlset", "sitemapindex"}:
        return None
    entries = [(name, _facts(each)) for each in islice(root, MAX_LINKS) if (name := _tag(each)) in {"url", "sitemap"}]
    pages = [page for name, facts in entries if name == "url" and (page := _page(facts, url))]
    maps = [page for name, facts in entries if name == "sitemap" and (page := _page(facts, url))]
    newest_maps = sorted(maps, key=lambda page: page.age)[:MAX_SITEMAPS]
    return sorted(pages, key=lambda page: page.age), [page.url for page in newest_maps]


def _unpacked(body: bytes) -> bytes:
    is_packed = body.startswith(_GZIP)
    return gzip.GzipFile(fileobj=io.BytesIO(body)).read(MAX_BYTES) if is_packed else body[:MAX_BYTES]


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def _facts(entry: Any) -> dict[str, str]:
    """The first text of each element of an entry by its tag: loc, lastmod, and those of the news extension."""
    texts: dict[str, str] = {}
    for element in entry.iter():
        texts.setdefault(_tag(element), element.text or "")
    return texts


def _page(facts: Mapping[str, str], sitemap: str) -> FoundLink | None:
    url = link(facts.get("loc"), sitemap)
    if url is None:
        return None
    return FoundLink(
        url=url,
        found_on=sitemap,
        title=text.one_line(facts.get("title", "")),
        published_at=dates.moment(facts.get("publication_date", "")),
        changed_at=dates.moment(facts.get("lastmod", "")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilter:
    """Decides which links may lead to an article of the site."""

    starts: tuple[str, ...]
    allowed_paths: tuple[str, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    rules: Robots

    def allows(self, url: str) -> bool:
        parsed = can_ada.parse(url)
        path = f"{parsed.pathname}{parsed.search}"
        return (
            path != "/"
            and url not in self.starts
            and any(_is_under(parsed.hostname, urls.host(start)) for start in self.starts)
            and (not self.allowed_paths or path.startswith(self.allowed_paths))
            and (not self.include or any(robots.matches(pattern, path) for pattern in self.include))
            and not any(robots.matches(pattern, path) for pattern in self.exclude)
            and self.rules.allows(path)
        )


def _link_filter(source: Source, options: SitePlugin.Options, rules: Robots, starts: Iterable[str]) -> LinkFilter:
    return LinkFilter(
        starts=tuple(urls.canonical_url(start) for start in starts),
        allowed_paths=tuple(source.allowed_paths),
        include=options.include,
        exclude=options.exclude,
        rules=rules,
    )


def _is_under(host: str, own: str) -> bool:
    domain = own.removeprefix("www.")
    return host == domain or host.endswith(f".{domain}")


def _short(url: str) -> str:
    return digest(url)[:HASH_DIGITS]


def _item(found: FoundLink) -> Item:
    url = urls.canonical_url(found.url)
    title = found.title if _is_headline(found.title) else _words_of_slug(url)
    return item(
        url,
        title if text.normalized(title) else url,
        canonical_url=found.url,
        published_at=found.published_at,
        metadata={"platform": "site", "found_on": redaction.redact_url(found.found_on), "full_text": "required"},
    )


def _is_headline(title: str) -> bool:
    is_unspaced = text.word_count(title) > len(title.split())
    return len(title.split()) >= MIN_TITLE_WORDS or (is_unspaced and len(title) >= MIN_TITLE_CHARACTERS)


def _words_of_slug(url: str) -> str:
    """The words of the last part of a path that contains letters."""
    parts = [_SLUG_END.sub("", unquote(part)) for part in can_ada.parse(url).pathname.split("/")]
    slug = next((part for part in reversed(parts) if any(map(str.isalpha, part))), "")
    return text.one_line(_NOT_A_WORD.sub(" ", slug)).capitalize()
