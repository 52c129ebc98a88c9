"""Sources as an operator writes them, on the command line, in scoop.toml or as OPML: read, checked, tried, kept."""

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from scoop import options as plugin_options
from scoop import plugins, sources
from scoop.actions import filters, settings, source_settings
from scoop.actions.source_settings import SETTINGS
from scoop.core import items, opml, redaction, urls
from scoop.core.items import ItemProblem
from scoop.core.opml import Outlines
from scoop.errors import ConfigError, Conflict, FetchFailed, Reject, UnknownName, UsageError
from scoop.fetch.client import Client
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Health, Item, Source, SourceSettings
from scoop.plugin_settings import PluginSettings
from scoop.sources import Harvest, SourcePlugin, Visit
from scoop.store import sources as store
from scoop.store.db import Connection

NO_ANSWER: frozenset[Health] = frozenset({"unreachable", "timeout", "robots"})  # robots: its file was not reached


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


def read_settings(values: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source from what an operator wrote; UsageError names what is wrong.

    The names are those of `source_settings.SETTINGS`, and `base_url`, the address of a source of any kind. A target
    without a scheme is read as https.
    """
    settings.check_names("source", SETTINGS, values.keys() - {"base_url"})
    given = {name: value for name, value in values.items() if value is not None}
    settings.check(SETTINGS, given)
    if "collection" not in given:
        raise UsageError("collection: a source needs one, as ai_news")
    target = urls.candidate_urls(given.pop("target", "") or str(given.get("base_url", "")))[0]
    kind, options = resolve_target(target, kind=given.pop("kind", None))
    own_url, given_url = kinds()[kind].base_url, given.pop("base_url", None)
    elsewhere = {"base_url": given_url} if own_url and given_url not in {None, own_url} else {}
    chosen = {name: value for name, value in given.get("options", {}).items() if value is not None}
    given["options"] = _spelled(kind, options | elsewhere | chosen)
    base_url = given["options"].get("base_url", own_url) if own_url else given_url or target
    subject = _subject(given["options"]) if own_url else []
    slug = given.pop("slug", None) or _slug("_".join([kind, *subject]) if own_url else _place(base_url))
    name = given.pop("name", None) or (" ".join([kind, *subject]) if subject else urls.host(base_url))
    found = SourceSettings(**{**given, "base_url": base_url, "kind": kind, "slug": slug, "name": name})
    _check(found)
    return found


def read_candidates(values: Mapping[str, Any]) -> list[SourceSettings]:
    """The sources that a target may mean, in the order in which they are tried: https before http."""
    targets = urls.candidate_urls(str(values.get("target") or ""))
    return [read_settings({**values, "target": target}) for target in targets]


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


def _check(found: SourceSettings) -> None:
    """UsageError for a slug, an address or an option that `SETTINGS` does not know, as it is made of others."""
    settings.check(SETTINGS, {"slug": found.slug})
    connect_to = found.options.get("connect_to")
    if connect_to is not None and not re.fullmatch(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}", connect_to):
        raise UsageError(f"connect_to is {connect_to!r}; it must be ADDRESS:PORT, as 127.0.0.1:8788")
    try:
        urls.canonical_url(found.base_url)
    except ValueError as error:
        raise UsageError(f"target: {error}") from error


async def add(conn: Connection, found: SourceSettings) -> Source:
    """Keep a new source, inside the caller's transaction; Conflict where its slug is taken."""
    if await store.is_taken(conn, found.slug):
        raise Conflict(f"there is a source {found.slug!r} already; give this one another slug")
    await store.put(conn, found)
    return await store.by_slug(conn, found.slug)


def patch_settings(known: Source, patch: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source with a patch: None is the default again, an option that is None is taken away.

    Options are added to those that the source has.
    """
    kept = {field.name: getattr(known, field.name) for field in fields(SourceSettings)}
    kind = kinds().get(patch.get("kind") or known.kind)
    if patch.get("target") is not None or (kind is not None and kind.base_url):
        del kept["base_url"]  # a service has its own address: that of an earlier kind must not get its key
    options = known.options | dict(patch.get("options") or {})
    changed = settings.apply_patch(SourceSettings, kept, patch)
    return read_settings({**changed, "kind": patch.get("kind") or known.kind, "slug": known.slug, "options": options})


async def change(conn: Connection, slug: str, patch: Mapping[str, Any]) -> SourceSettings:
    """Change a source by a patch, inside the caller's transaction."""
    found = patch_settings(await store.lock(conn, slug), patch)
    await store.put(conn, found)
    return found


async def retry_allowed(conn: Connection, allowed: Collection[str]) -> None:
    """Make sources due whose private address was refused and is `allowed` now, by host or by host and port."""
    refused = await store.list_sources(conn, health="refused_address")
    names = {source.slug: {urls.host(source.base_url), urls.host_and_port(source.base_url)} for source in refused}
    await store.make_due(conn, [slug for slug, hosts in names.items() if not hosts.isdisjoint(allowed)])


async def list_sources(
    conn: Connection, *, collection: str | None = None, kind: str | None = None, **more: Any
) -> list[Source]:
    """Sources by slug; UnknownName where a filter names a collection or kind that does not exist."""
    found = await store.list_sources(conn, collection=collection, kind=kind, **more)
    if not found:
        await check_filter(conn, collection=collection, kind=kind)
    return found


async def check_filter(conn: Connection, *, collection: str | None = None, kind: str | None = None) -> None:
    """UnknownName for a collection that nothing is in, and for a kind that is not installed."""
    await filters.check_collection(conn, collection)
    if kind is not None and kind not in kinds():
        raise UnknownName("kind", f"there is no kind of source {kind!r}; there are: {', '.join(sorted(kinds()))}")


async def import_opml(
    conn: Connection, outlines: Outlines, *, collection: str, schedule: str, options: Mapping[str, Any] | None = None
) -> list[FeedImport]:
    """Add the feeds of a list, inside the caller's transaction; those that exist stay as they are."""
    present = await store.list_sources(conn)
    defaults = {"collection": collection, "schedule": schedule, "options": dict(options or {})}
    # In a thread: a list may have thousands, and the server answers other requests meanwhile.
    imported, new = await asyncio.to_thread(_plan_import, outlines, present, defaults)
    await store.put_all(conn, new)
    return imported


def _plan_import(
    outlines: Outlines, present: Sequence[Source], defaults: Mapping[str, Any]
) -> tuple[list[FeedImport], list[SourceSettings]]:
    """The result for each feed of a list, and the sources that are new."""
    known, slugs = {source.base_url for source in present}, {source.slug for source in present}
    namesakes: Counter[str] = Counter()
    imported, new = [], []
    for feed in outlines.feeds:
        values = {**defaults, "target": feed.url, "kind": "rss", "name": feed.title}
        values["collection"] = feed.collection or defaults["collection"]
        about = {"url": feed.url, "title": feed.title, "collection": values["collection"]}
        if feed.url in known:
            imported.append(FeedImport(**about, status="known"))
            continue
        try:
            settings = read_settings(values)
        except UsageError as error:
            imported.append(FeedImport(**about, status="refused", problem=str(error)))
            continue
        new.append(with_free_slug(settings, slugs, namesakes[settings.slug]))
        namesakes[settings.slug] += 1
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


async def preview_first(
    candidates: Sequence[SourceSettings], preview: Callable[[SourceSettings], Awaitable[SourcePreview]]
) -> tuple[SourceSettings, SourcePreview]:
    """The first candidate whose server answers, and its preview; FetchFailed of the first where none does."""
    failures: list[FetchFailed] = []
    for found in candidates:
        try:
            return found, await preview(found)
        except FetchFailed as failure:
            failures.append(failure)
            if failure.health not in NO_ANSWER:
                break
    raise failures[0]


def with_free_slug(found: SourceSettings, slugs: Collection[str], namesakes: int = 0) -> SourceSettings:
    """The same source under a slug that nobody has; so many `namesakes` are known to be there."""
    numbers = (f"_{number + 1}" if number else "" for number in itertools.count(namesakes))
    slug = next(
        slug for number in numbers if (slug := f"{found.slug[: source_settings.MAX_SLUG - 8]}{number}") not in slugs
    )
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
    return re.sub(r"[^a-z0-9]+", "_", told.lower()).strip("_")[: source_settings.MAX_SLUG].rstrip("_")


def _place(base_url: str) -> str:
    return urls.host(urls.canonical_url(base_url)).removeprefix("www.")
