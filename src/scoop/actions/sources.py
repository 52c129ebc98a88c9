"""Sources: read their settings, add, change, list and preview them."""

import itertools
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from scoop import options as plugin_options
from scoop import plugins, sources
from scoop.actions import filters
from scoop.actions import settings as definition
from scoop.actions.source_settings import MAX_SLUG, SETTINGS
from scoop.core import items, urls
from scoop.core.items import ItemProblem
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
    """The result of a fetch: complete items, and the problems of those that would be refused."""

    harvest: Harvest
    items: list[Item]
    refused: list[list[ItemProblem]]


def kinds() -> dict[str, type[SourcePlugin]]:
    return plugins.discover(sources)


def read_settings(values: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source from what an operator wrote; UsageError names the setting and the fix.

    The names are those of `source_settings.SETTINGS`, and `base_url`, the address of a source of any kind. A target
    without a scheme is read as https.
    """
    definition.check_names("source", SETTINGS, values.keys() - {"base_url"})
    definition.check(SETTINGS, values)
    chosen = {name: value for name, value in values.items() if value is not None}
    if "collection" not in chosen:
        raise UsageError("collection: a source needs one, as ai_news")
    target = urls.candidate_urls(chosen.pop("target", "") or str(chosen.get("base_url", "")))[0]
    kind, implied = resolve_target(target, kind=chosen.get("kind"))
    options = implied | {name: value for name, value in chosen.get("options", {}).items() if value is not None}
    base_url, options = _locate(kind, options, base_url=chosen.get("base_url"), target=target)
    return _complete({**chosen, "kind": kind, "base_url": base_url, "options": options})


def read_candidates(values: Mapping[str, Any]) -> list[SourceSettings]:
    """The sources that a target may mean, in the order in which they are tried: https before http."""
    targets = urls.candidate_urls(str(values.get("target") or ""))
    return [read_settings({**values, "target": target}) for target in targets]


def read_configured(tables: Sequence[Mapping[str, Any]]) -> list[SourceSettings]:
    """The sources of the configuration file; ConfigError names the table and the problem."""
    configured: list[SourceSettings] = []
    for number, table in enumerate(tables, start=1):
        try:
            configured.append(read_settings(table))
        except (UsageError, TypeError) as error:
            raise ConfigError(f"scoop.toml, [[sources]] number {number}: {error}") from error
    return configured


def resolve_target(target: str, *, kind: str | None = None) -> tuple[str, dict[str, Any]]:
    """The kind of source that reads an address or short form, and the options in it; rss where no plugin claims it."""
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
    """Examples of short forms that stand for an address."""
    examples = [example for plugin in kinds().values() for example in plugin.targets.values()]
    return [example for example in examples if "://" not in example]


def _locate(kind: str, options: Mapping[str, Any], *, base_url: str | None, target: str) -> tuple[str, dict[str, Any]]:
    """The address of a source and its checked options; another address than the service's own becomes an option."""
    own_url = kinds()[kind].base_url
    if own_url is None:
        return base_url or target, _read_options(kind, options)
    moved = {"base_url": base_url} if base_url not in {None, own_url} else {}
    checked = _read_options(kind, {**moved, **options})
    return checked.get("base_url", own_url), checked


def _read_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the types of their kind: a list may be written with commas, a number as text."""
    try:
        plugins.makers(sources)[kind](options)
        return plugin_options.plain_values(kinds()[kind].Options, options)
    except Reject as error:
        raise UsageError(str(error)) from error


def _complete(values: Mapping[str, Any]) -> SourceSettings:
    """The settings with a name and a slug, which are made from the service or the host where they are not chosen."""
    _check_address(values["base_url"], values["options"].get("connect_to"))
    is_service = kinds()[values["kind"]].base_url is not None
    words = [values["kind"], *_subject(values["options"])] if is_service else []
    host = urls.host(urls.canonical_url(values["base_url"])).removeprefix("www.")
    slug = values.get("slug") or _make_slug("_".join(words) or host)
    own_name = " ".join(words) if len(words) > 1 else urls.host(values["base_url"])
    name = values.get("name") or own_name
    definition.check(SETTINGS, {"slug": slug})
    name_from = "address" if name == own_name else "person"
    return SourceSettings(**{**values, "slug": slug, "name": name, "name_from": name_from})


def _check_address(base_url: str, connect_to: str | None) -> None:
    if connect_to is not None and not re.fullmatch(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}", connect_to):
        raise UsageError(f"connect_to is {connect_to!r}; it must be ADDRESS:PORT, as 127.0.0.1:8788")
    try:
        urls.canonical_url(base_url)
    except ValueError as error:
        raise UsageError(f"target: {error}") from error


def _subject(options: Mapping[str, Any]) -> list[str]:
    """What a source of a service is about: the texts among its own options."""
    return [
        value
        for name, value in options.items()
        if isinstance(value, str) and name not in sources.ServiceOptions.__struct_fields__
    ]


def _make_slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:MAX_SLUG].rstrip("_")


def with_title(settings: SourceSettings, harvest: Harvest) -> SourceSettings:
    """The settings with the name that the feed's title gives them, unless somebody named them."""
    named = harvest.name(settings.base_url) if settings.name_from == "address" else None
    return replace(settings, name=named.name, name_from="title") if named else settings


def with_readable_slug(
    settings: SourceSettings, slugs: Collection[str], namesakes: Counter[str] | None = None
) -> SourceSettings:
    """The settings with a slug that is not in `slugs`, made from their name unless that is the address.

    `namesakes` counts the slugs that were made of each name in one import.
    """
    readable = "" if settings.name_from == "address" else _make_slug(settings.name)
    slug = readable or settings.slug
    free = with_free_slug(replace(settings, slug=slug), slugs, namesakes[slug] if namesakes else 0)
    if namesakes is not None:
        namesakes[slug] += 1
    return free


def with_free_slug(settings: SourceSettings, slugs: Collection[str], namesakes: int = 0) -> SourceSettings:
    """The settings with a slug that is not in `slugs`; the first `namesakes` numbers are known to be taken."""
    numbers = (f"_{number + 1}" if number else "" for number in itertools.count(namesakes))
    candidates = (f"{settings.slug[: MAX_SLUG - 8]}{number}" for number in numbers)
    return replace(settings, slug=next(slug for slug in candidates if slug not in slugs))


async def find_alike(conn: Connection, candidates: Sequence[SourceSettings]) -> Source | None:
    """A source that reads the same as one of the candidates."""
    subjects = [_read_subject(settings) for settings in candidates]
    alike = await store.list_sources(conn, kind=candidates[0].kind)
    return next((source for source in alike if _read_subject(source) in subjects), None)


def _read_subject(settings: SourceSettings) -> tuple[str, dict[str, Any]]:
    """What distinguishes two sources of a kind: the address, and the options that do not only say how to reach it."""
    shared = sources.ServiceOptions.__struct_fields__
    return settings.base_url, {name: value for name, value in settings.options.items() if name not in shared}


async def add(conn: Connection, settings: SourceSettings, *, has_slug: bool) -> Source:
    """Add a source, inside the caller's transaction; `has_slug`: its slug was chosen and is not to be made.

    Conflict where a chosen slug is taken, or where a source without one exists.
    """
    if not has_slug:
        if alike := await find_alike(conn, [settings]):
            raise Conflict(f"there is a source {alike.slug!r} that reads this already; give this one another slug")
        settings = with_readable_slug(settings, await _list_slugs(conn))
    if await store.is_taken(conn, settings.slug):
        raise Conflict(f"there is a source {settings.slug!r} already; give this one another slug")
    await store.put(conn, settings)
    return await store.by_slug(conn, settings.slug)


async def add_or_change(conn: Connection, settings: SourceSettings, *, has_slug: bool) -> Source:
    """Add a source, or change the one that has its slug or, where none was chosen, reads the same."""
    if not has_slug:
        alike = await find_alike(conn, [settings])
        settings = with_known_name(settings, alike) if alike else with_readable_slug(settings, await _list_slugs(conn))
    await store.put(conn, settings)
    return await store.by_slug(conn, settings.slug)


def with_known_name(settings: SourceSettings, known: Source) -> SourceSettings:
    """The settings under the slug of a source, and with its name where they have none of a person."""
    if settings.name_from == "person":
        return replace(settings, slug=known.slug)
    return replace(settings, slug=known.slug, name=known.name, name_from=known.name_from)


async def put_configured(conn: Connection, configured: Sequence[SourceSettings]) -> None:
    """Add or change the sources of the configuration file; a name that it does not give stays."""
    present = {source.slug: source for source in await store.list_sources(conn)}
    for settings in configured:
        known = present.get(settings.slug)
        await store.put(conn, with_known_name(settings, known) if known else settings)


async def _list_slugs(conn: Connection) -> set[str]:
    return {source.slug for source in await store.list_sources(conn)}


def patch_settings(source: Source, patch: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source with a patch: None is the default again, an option that is None is removed.

    Options are added to those that the source has.
    """
    kept = {field.name: getattr(source, field.name) for field in fields(SourceSettings) if field.name != "name_from"}
    kind = patch.get("kind") or source.kind
    plugin = kinds().get(kind)
    if patch.get("target") is not None or (plugin is not None and plugin.base_url):
        del kept["base_url"]  # a service has its own address: that of an earlier kind must not get its key
    options = source.options | dict(patch.get("options") or {})
    changed = definition.apply_patch(SourceSettings, kept, patch)
    settings = read_settings({**changed, "kind": kind, "slug": source.slug, "options": options})
    return settings if settings.name != source.name else replace(settings, name_from=source.name_from)


async def change(conn: Connection, slug: str, patch: Mapping[str, Any]) -> SourceSettings:
    """Change a source by a patch, inside the caller's transaction."""
    settings = patch_settings(await store.lock(conn, slug), patch)
    await store.put(conn, settings)
    return settings


async def retry_allowed(conn: Connection, allowed: Collection[str]) -> None:
    """Make sources due whose private address was refused and is `allowed` now, by host or by host and port."""
    refused = await store.list_sources(conn, health="refused_address")
    names = {source.slug: {urls.host(source.base_url), urls.host_and_port(source.base_url)} for source in refused}
    await store.make_due(conn, [slug for slug, hosts in names.items() if not hosts.isdisjoint(allowed)])


async def list_sources(
    conn: Connection, *, collection: str | None = None, kind: str | None = None, **more: Any
) -> list[Source]:
    """Sources by slug; UnknownName where a filter names a collection or kind that does not exist."""
    listed = await store.list_sources(conn, collection=collection, kind=kind, **more)
    if not listed:
        await check_filter(conn, collection=collection, kind=kind)
    return listed


async def check_filter(conn: Connection, *, collection: str | None = None, kind: str | None = None) -> None:
    """UnknownName for a collection that nothing is in, and for a kind that is not installed."""
    await filters.check_collection(conn, collection)
    if kind is not None and kind not in kinds():
        raise UnknownName("kind", f"there is no kind of source {kind!r}; there are: {', '.join(sorted(kinds()))}")


async def preview_source(
    settings: SourceSettings, *, client: Client, sandbox: Sandbox, plugin_settings: PluginSettings, now: datetime
) -> SourcePreview:
    """Fetch a source without storing anything; FetchFailed where it fails."""
    chosen = {field.name: getattr(settings, field.name) for field in fields(SourceSettings)}
    source = Source(**chosen, source_id=0, next_visit_at=now, health_since=now)
    plugin: SourcePlugin = plugins.makers(sources, plugin_settings)[settings.kind](settings.options)
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
    about = {"source": settings.slug, "collection": settings.collection, "category": settings.category}
    completed = [items.complete_item(item, **about, now=now) for item in harvest.items]
    problems = [items.list_problems(item) for item in completed]
    return SourcePreview(
        harvest=harvest,
        items=[item for item, wrong in zip(completed, problems, strict=True) if not wrong],
        refused=[wrong for wrong in problems if wrong],
    )


async def preview_first(
    candidates: Sequence[SourceSettings], preview: Callable[[SourceSettings], Awaitable[SourcePreview]]
) -> tuple[SourceSettings, SourcePreview]:
    """The first candidate whose server answers, and its preview; FetchFailed of the first where none answers."""
    failures: list[FetchFailed] = []
    for settings in candidates:
        try:
            return settings, await preview(settings)
        except FetchFailed as failure:
            if failure.health not in NO_ANSWER:
                raise
            failures.append(failure)
    raise failures[0]
