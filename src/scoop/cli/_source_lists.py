"""`scoop sources import` and `scoop sources export`: lists of feeds as OPML, and of sites as JSON or TOML."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import _reach, console, runtime
from scoop.config import Config
from scoop.core import site_lists
from scoop.core.site_lists import SiteList
from scoop.errors import InputError

if TYPE_CHECKING:
    from scoop.actions.source_lists import FeedImport
    from scoop.core.opml import Outlines

FEED_SCHEDULE = "1h"
_BLANK = b"\xef\xbb\xbf \t\r\n\xfe\xff\0"  # before the first character, in any encoding of XML


@click.command("import")
@click.argument("file", metavar="FILE|-")
@click.option("--collection", default="news", show_default=True, help="For sources that name none.")
@click.option(
    "--every",
    "schedule",
    help=f"How often they are fetched. Default: {FEED_SCHEDULE}; sites: {site_lists.SCHEDULE} in their timezone.",
)
@_reach.options
@console.as_json
@click.pass_obj
def import_list(config: Config, /, file: str, as_json: bool, **values: Any) -> None:
    """Add the feeds of an OPML file, or the sites of a JSON or TOML file.

    The folders of an OPML file become collections. A file of sites has an array of objects, or [[sites]] tables, with
    the keys siteId, name, category, baseUrl, crawlWindows, allowedPaths, requestIntervalMs and timezone, and may have
    collection, schedule and options. Sources that exist stay as they are.

    \b
    Examples:
      scoop sources import subscriptions.opml
      scoop sources import sites.json --collection press
      scoop sources import - --collection world_news < subscriptions.opml
    """
    from scoop.core import opml

    body = _read_file(file)
    listed = opml.read(body) if body.lstrip(_BLANK).startswith(b"<") else site_lists.read(body)
    imported = runtime.run(_import(config, listed, **values))
    added = [feed.slug for feed in imported if feed.status == "added"]
    known = sum(feed.status == "known" for feed in imported)
    refused = [f"{feed.title or feed.url}: {feed.problem}" for feed in imported if feed.status == "refused"]
    problems = [*listed.problems, *refused]
    if as_json:
        console.print_json({"added": added, "known": known, "problems": problems})
    else:
        click.echo(f"{len(added):,} added, {known:,} existed, {len(problems):,} with a problem")
        for problem in problems:
            click.echo(f"scoop: {problem}", err=True)
    sys.exit(1 if problems and not (added or known) else 0)


def _read_file(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from error


async def _import(
    config: Config,
    listed: "Outlines | SiteList",
    *,
    collection: str,
    schedule: str | None,
    allow_private: bool,
    connect_to: str | None,
) -> "list[FeedImport]":
    from scoop.actions import source_lists

    options = _reach.read(allow_private, connect_to)
    async with runtime.open_connection(config) as conn, conn.transaction():
        if isinstance(listed, SiteList):
            schedule = schedule or site_lists.SCHEDULE
            return await source_lists.import_sites(
                conn, listed, collection=collection, schedule=schedule, options=options
            )
        schedule = schedule or FEED_SCHEDULE
        return await source_lists.import_opml(conn, listed, collection=collection, schedule=schedule, options=options)


@click.command("export")
@click.option("--collection", help="Only this collection.")
@click.option("--secrets", is_flag=True, help="Write whole addresses, with queries, users and passwords.")
@click.pass_obj
def export_opml(config: Config, collection: str | None, secrets: bool) -> None:
    """Write the feeds as OPML, one folder per collection.

    Addresses are written without query, user and password, and feeds with an internal address are left out, so that
    the file can be given away. To move to another desk, use --secrets.

    \b
    Examples:
      scoop sources export > subscriptions.opml
      scoop sources export --secrets > backup.opml
    """
    sys.stdout.buffer.write(runtime.run(_export(config, collection, secrets)))


async def _export(config: Config, collection: str | None, secrets: bool) -> bytes:
    from scoop.actions import source_lists

    async with runtime.open_connection(config) as conn:
        return await source_lists.export_opml(conn, collection=collection, now=datetime.now(UTC), secrets=secrets)
