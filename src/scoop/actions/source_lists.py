"""Lists of sources: feeds as OPML, import and export; sites as JSON or TOML, import."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from scoop.actions import sources
from scoop.core import feed_names, opml, redaction, urls
from scoop.core.opml import Outline, Outlines
from scoop.core.site_lists import SiteList
from scoop.errors import UsageError
from scoop.model import Source, SourceSettings
from scoop.store import sources as store
from scoop.store.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedImport:
    """The result for one feed or site of a list: added under a slug, known already, or refused with the problem."""

    url: str
    title: str
    collection: str
    status: Literal["added", "known", "refused"]
    slug: str | None = None
    problem: str | None = None


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
        collection = feed.collection or defaults["collection"]
        about = {"url": feed.url, "title": feed.title, "collection": collection}
        if feed.url in known:
            imported.append(FeedImport(**about, status="known"))
            continue
        own = {"target": feed.url, "kind": "rss", "name": _name(feed), "collection": collection}
        try:
            settings = sources.read_settings({**defaults, **own})
        except UsageError as error:
            imported.append(FeedImport(**about, status="refused", problem=str(error)))
            continue
        named = replace(settings, name_from="title") if settings.name_from == "person" else settings
        new.append(sources.with_readable_slug(named, slugs, namesakes))
        known.add(feed.url)
        slugs.add(new[-1].slug)
        imported.append(FeedImport(**about, status="added", slug=new[-1].slug))
    return imported, new


async def import_sites(
    conn: Connection, listed: SiteList, *, collection: str, schedule: str, options: Mapping[str, Any] | None = None
) -> list[FeedImport]:
    """Add the sites of a list, inside the caller's transaction; those whose slug exists stay as they are.

    `collection`, `schedule` and `options` are for sites that do not name their own.
    """
    known = {source.slug for source in await store.list_sources(conn)}
    defaults = {"kind": "site", "collection": collection, "schedule": schedule}
    imported, new = [], []
    for site in listed.sites:
        values = {**defaults, **site, "options": {**(options or {}), **site.get("options", {})}}
        about = {"url": site["target"], "title": str(site.get("name", "")), "collection": str(values["collection"])}
        if site["slug"] in known:
            imported.append(FeedImport(**about, status="known", slug=site["slug"]))
            continue
        try:
            new.append(sources.read_settings(values))
        except (UsageError, TypeError) as error:
            imported.append(FeedImport(**about, status="refused", problem=str(error)))
            continue
        known.add(site["slug"])
        imported.append(FeedImport(**about, status="added", slug=site["slug"]))
    await store.put_all(conn, new)
    return imported


def _name(feed: Outline) -> str:
    """The name of a feed by its title in the list; its host if it has no title there."""
    own_host = urls.host(feed.url)
    if feed.title == own_host:
        return own_host
    return feed_names.feed_name(feed.title, urls.host(feed.html_url or feed.url))


async def export_opml(
    conn: Connection, *, collection: str | None = None, now: datetime, secrets: bool = False
) -> bytes:
    """The feeds as OPML, one folder per collection; with `secrets` whole addresses, and those of the own network."""
    listed = await store.list_sources(conn, collection=collection, kind="rss")
    feeds = [source for source in listed if secrets or not source.options.get("allow_private")]
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
