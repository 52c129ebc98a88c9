"""Sources as an operator writes them, on the command line, in scoop.toml or as OPML: read, checked, tried, kept."""

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from scoop import options as plugin_options
from scoop import plugins, sources
from scoop.core import items, opml, redaction, schedules, urls
from scoop.core.items import ItemProblem
from scoop.core.opml import Outlines
from scoop.errors import ConfigError, Conflict, Reject, UsageError
from scoop.fetch.client import Client
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Item, Source, SourceSettings
from scoop.plugin_settings import PluginSettings
from scoop.sources import Harvest, SourcePlugin, Visit
from scoop.store import sources as store
from scoop.store.db import Connection

MAX_SLUG = 128
MAX_COLLECTION = 128
MAX_INTERVAL_MS = 600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePreview:
    """What a source would bring: its items, complete, and those that would be refused."""

    harvest: Harvest
    items: list[Item]
    refused: list[list[ItemProblem]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedImport:
    """What became of one feed of a list: added under a slug, known already, or refused with the problem."""

    url: str
    title: str
    collection: str
    status: Literal["added", "known", "refused"]
    slug: str | None = None
    problem: str | None = None


def kinds() -> dict[str, type[SourcePlugin]]:
    return plugins.discover(sources)


def read_settings(given: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source from what an operator wrote; UsageError names what is wrong.

    `target` is what was pasted: the address of a feed or site, or a short form such as hackernews, r/python,
    arxiv:cs.CL or search:"solar power". The rest are fields of SourceSettings.
    """
    known = {"target", *(each.name for each in fields(SourceSettings))}
    for name in given:
        if name not in known:
            raise UsageError(f"a source has no {name!r}; it has {', '.join(sorted(known))}")
    told = {name: value for name, value in given.items() if value is not None}
    if "collection" not in told:
        raise UsageError("a source needs a collection, as ai_news")
    target = str(told.pop("target", "") or told.get("base_url", ""))
    kind, options = resolve_target(target, kind=told.pop("kind", None))
    own_url, given_url = kinds()[kind].base_url, told.pop("base_url", None)
    elsewhere = {"base_url": given_url} if own_url and given_url not in {None, own_url} else {}
    told["options"] = _spelled(kind, options | elsewhere | dict(told.get("options", {})))
    base_url = told["options"].get("base_url", own_url) if own_url else given_url or target
    subject = _subject(told["options"]) if own_url else []
    slug = told.pop("slug", None) or _slug("_".join([kind, *subject]) if own_url else _place(base_url))
    name = told.pop("name", None) or (" ".join([kind, *subject]) if subject else urls.host(base_url))
    found = SourceSettings(**{**told, "base_url": base_url, "kind": kind, "slug": slug, "name": name})
    check(found)
    return found


def read_configured(tables: Sequence[Mapping[str, Any]]) -> list[SourceSettings]:
    """The sources of the configuration file; ConfigError names the table that is wrong, and how."""
    found: list[SourceSettings] = []
    for number, table in enumerate(tables, start=1):
        try:
            found.append(read_settings(table))
        except (UsageError, TypeError) as error:
            raise ConfigError(f"scoop.toml, [[sources]] number {number}: {error}") from error
    return found


def resolve_target(target: str, *, kind: str | None = None) -> tuple[str, dict[str, Any]]:
    """The kind of source that reads what was pasted, and the options in it; a feed unless it is something known."""
    if kind is not None and kind not in kinds():
        raise UsageError(f"there is no kind of source {kind!r}; there are {', '.join(sorted(kinds()))}")
    for possible, plugin in kinds().items():
        matches = (re.fullmatch(pattern, target.strip()) for pattern in plugin.targets if kind in {None, possible})
        if match := next(filter(None, matches), None):
            return possible, {name: value for name, value in match.groupdict().items() if value}
    if kind is not None and kinds()[kind].base_url:
        return kind, {}
    try:
        urls.canonical_url(target)
    except ValueError as error:
        raise UsageError(
            f"{error}; give the address of a feed or site, or a short form as {', '.join(short_forms())}"
        ) from error
    return kind or "rss", {}


def short_forms() -> list[str]:
    """Examples of what can be pasted in place of an address."""
    examples = [example for plugin in kinds().values() for example in plugin.targets.values()]
    return [example for example in examples if "://" not in example]


def check(found: SourceSettings) -> None:
    """UsageError for settings that no source can have."""
    if not re.fullmatch(rf"[a-z0-9_]{{1,{MAX_SLUG}}}", found.slug):
        raise UsageError(f"the slug {found.slug!r} must be of a-z, 0-9 and _ only; name it by --slug")
    if not 1 <= len(str(found.collection).strip()) <= MAX_COLLECTION:
        raise UsageError(f"the collection must be 1 to {MAX_COLLECTION} characters, as ai_news")
    if not str(found.name).strip():
        raise UsageError("the name must not be blank")
    if not isinstance(found.request_interval_ms, int) or not 0 <= found.request_interval_ms <= MAX_INTERVAL_MS:
        raise UsageError(f"request_interval_ms must be a whole number from 0 to {MAX_INTERVAL_MS:,}")
    connect_to = found.options.get("connect_to")
    if connect_to is not None and not re.fullmatch(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}", connect_to):
        raise UsageError(f"connect_to is {connect_to!r}; it must be ADDRESS:PORT, as 127.0.0.1:8788")
    for path in found.allowed_paths:
        if not path.startswith("/"):
            raise UsageError(f"the allowed path {path!r} must begin with /")
    try:
        schedules.zone(found.timezone)
        urls.canonical_url(found.base_url)
        schedules.parse(found.schedule)
        schedules.windows(found.crawl_windows)
    except ValueError as error:
        raise UsageError(str(error)) from error


async def add(conn: Connection, found: SourceSettings) -> Source:
    """Keep a new source, inside the caller's transaction; Conflict where its slug is taken."""
    if await store.is_taken(conn, found.slug):
        raise Conflict(f"there is a source {found.slug!r} already; give this one another slug")
    await store.put(conn, found)
    return await store.by_slug(conn, found.slug)


def patch_settings(known: Source, given: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source with what an operator changes; an option that is None is taken away."""
    kept = {each.name: getattr(known, each.name) for each in fields(SourceSettings)}
    kind = kinds().get(given.get("kind") or known.kind)
    if given.get("target") is not None or (kind is not None and kind.base_url):
        del kept["base_url"]  # a service has its own address: that of an earlier kind must not get its key
    options = known.options | dict(given.get("options") or {})
    told = {name: value for name, value in options.items() if value is not None}
    return read_settings({**kept, **given, "slug": known.slug, "options": told})


async def change(conn: Connection, slug: str, given: Mapping[str, Any]) -> SourceSettings:
    """Change a source, inside the caller's transaction: what is not given stays, options are added to those it has."""
    found = patch_settings(await store.locked(conn, slug), given)
    await store.put(conn, found)
    return found


async def import_opml(conn: Connection, found: Outlines, *, collection: str, schedule: str) -> list[FeedImport]:
    """Add the feeds of a list, inside the caller's transaction; those that are there already stay as they are."""
    present = await store.list_sources(conn)
    # A list may have thousands: whoever else is served meanwhile shall not wait for that.
    imported, new = await asyncio.to_thread(_sorted_out, found, present, collection=collection, schedule=schedule)
    await store.put_all(conn, new)
    return imported


def _sorted_out(
    found: Outlines, present: Sequence[Source], *, collection: str, schedule: str
) -> tuple[list[FeedImport], list[SourceSettings]]:
    """What becomes of each feed of a list, and the sources that are new."""
    known, slugs = {source.base_url for source in present}, {source.slug for source in present}
    namesakes: Counter[str] = Counter()
    imported, new = [], []
    for feed in found.feeds:
        given = {"target": feed.url, "kind": "rss", "name": feed.title, "collection": feed.collection or collection}
        about = {"url": feed.url, "title": feed.title, "collection": given["collection"]}
        if feed.url in known:
            imported.append(FeedImport(**about, status="known"))
            continue
        try:
            one = read_settings({**given, "schedule": schedule})
        except UsageError as error:
            imported.append(FeedImport(**about, status="refused", problem=str(error)))
            continue
        new.append(with_free_slug(one, slugs, namesakes[one.slug]))
        namesakes[one.slug] += 1
        known.add(feed.url)
        slugs.add(new[-1].slug)
        imported.append(FeedImport(**about, status="added", slug=new[-1].slug))
    return imported, new


async def export_opml(
    conn: Connection, *, collection: str | None = None, now: datetime, secrets: bool = False
) -> bytes:
    """The feeds as OPML, one folder per collection; with `secrets` whole addresses, and those of the own network."""
    found = await store.list_sources(conn, collection=collection, kind="rss")
    feeds = [source for source in found if secrets or not source.options.get("allow_private")]
    outlines = [
        opml.Outline(
            url=source.base_url if secrets else redaction.redact_url(source.base_url),
            title=source.name,
            collection=source.collection,
            category=source.category,
        )
        for source in sorted(feeds, key=lambda source: source.collection)
    ]
    return opml.write(outlines, title="Scoop", now=now)


async def preview_source(
    found: SourceSettings, *, client: Client, sandbox: Sandbox, plugin_settings: PluginSettings, now: datetime
) -> SourcePreview:
    """Visit a source without keeping anything; FetchFailed when it gives nothing."""
    source = Source(
        **{each.name: getattr(found, each.name) for each in fields(SourceSettings)},
        source_id=0,
        next_visit_at=now,
        health_since=now,
    )
    plugin: SourcePlugin = plugins.makers(sources, plugin_settings)[found.kind](found.options)
    visit = Visit(
        source=sources.with_own_address(source, plugin),
        options=plugin.options,
        checkpoint={},
        now=now,
        client=client,
        robots=RobotsFiles(),
        sandbox=sandbox,
    )
    harvest = await plugin.fetch(visit)
    completed = [
        items.complete_item(item, source=found.slug, collection=found.collection, category=found.category, now=now)
        for item in harvest.items
    ]
    problems = [items.list_problems(item) for item in completed]
    return SourcePreview(
        harvest=harvest,
        items=[item for item, wrong in zip(completed, problems, strict=True) if not wrong],
        refused=[wrong for wrong in problems if wrong],
    )


def with_free_slug(found: SourceSettings, slugs: Collection[str], namesakes: int = 0) -> SourceSettings:
    """The same source under a slug that nobody has; so many `namesakes` are known to be there."""
    numbers = (f"_{number + 1}" if number else "" for number in itertools.count(namesakes))
    slug = next(slug for number in numbers if (slug := f"{found.slug[: MAX_SLUG - 8]}{number}") not in slugs)
    return replace(found, slug=slug)


def _spelled(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as their kind wants them: a list may be written with commas, a number as text."""
    try:
        plugins.makers(sources)[kind](options)
        return plugin_options.plain_values(kinds()[kind].Options, options)
    except Reject as error:
        raise UsageError(str(error)) from error


def _subject(options: Mapping[str, Any]) -> list[str]:
    """What a source of a service is about: the words among its own options."""
    return [
        value
        for name, value in options.items()
        if isinstance(value, str) and name not in sources.ServiceOptions.__struct_fields__
    ]


def _slug(told: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", told.lower()).strip("_")[:MAX_SLUG].rstrip("_")


def _place(base_url: str) -> str:
    return urls.host(urls.canonical_url(base_url)).removeprefix("www.")
