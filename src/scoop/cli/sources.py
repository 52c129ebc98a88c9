"""`scoop sources`: where items come from."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.errors import FetchFailed, InputError, UsageError

if TYPE_CHECKING:
    from scoop.actions.sources import FeedImport, SourcePreview
    from scoop.core.opml import Outlines
    from scoop.model import SourceSettings

SHOWN_ITEMS = 5


@click.group(cls=usage.Group)
def command() -> None:
    """Where items come from: list, add, edit, test, import, export.

    \b
    Examples:
      scoop sources add https://example.com/feed.xml --collection ai_news
      scoop sources add r/MachineLearning --collection ai_news
      scoop sources add https://example.com/press --kind site --collection press
      scoop sources list
      scoop sources import subscriptions.opml
    """


@command.command("list")
@console.as_json
@click.pass_obj
def list_sources(config: Config, as_json: bool) -> None:
    """Show all sources: how each is, since when, and when it is visited next."""
    runtime.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        found = await sources.list_sources(conn)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("source", "kind", "health", "since", "next visit", "what it says"),
        [
            (
                s.slug,
                s.kind,
                s.health.replace("_", " ") if s.enabled else "off",
                console.format_age(s.health_since),
                console.format_wait(s.next_visit_at) if s.enabled else "-",
                s.health_note,
            )
            for s in found
        ],
        empty="there are no sources; add one: scoop sources add https://example.com/feed.xml --collection world_news",
    )


def _settings(required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options by which a source is described, to add it or to change it."""
    options = [
        click.option("--collection", required=required, help="The collection its items belong to, as ai_news."),
        click.option("--name", help="Its name for people (default: the host)."),
        click.option("--category", help="What it tells: news, press_release, ... (default: news)."),
        click.option(
            "--every", "schedule", help="When it is visited: 30m, 1h, 1d, or a cron as '0 7 * * *' (default: 1h)."
        ),
        click.option("--window", "windows", multiple=True, metavar="HH:MM-HH:MM", help="Visit only then; repeatable."),
        click.option("--timezone", help="The timezone of cron, windows and dates without one (default: UTC)."),
        click.option("--path", "allowed_paths", multiple=True, help="A path that a site crawl may enter; repeatable."),
        click.option("--interval", "request_interval_ms", type=int, metavar="MS", help="Between requests to its host."),
        click.option("-o", "--option", "options", multiple=True, metavar="NAME=VALUE", help="Of its kind; repeatable."),
        click.option("--connect-to", metavar="ADDRESS:PORT", help="Ask this address, for servers of your own."),
    ]

    def described(function: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            function = option(function)
        return function

    return described


def _given(windows: tuple[str, ...], options: tuple[str, ...], connect_to: str | None, **told: Any) -> dict[str, Any]:
    """What was said on the command line, as fields of a source; what was not said is left out."""
    pairs = [option.partition("=") for option in options]
    for name, equals, _ in pairs:
        if not equals:
            raise UsageError(f"--option {name!r} must be NAME=VALUE")
    own = {name.strip(): _value(value) for name, _, value in pairs}
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in told.items() if value}
    if windows:
        given["crawl_windows"] = [dict(zip(("start", "end"), window.split("-", 1), strict=False)) for window in windows]
    if own or connect_to:
        given["options"] = own | ({"connect_to": connect_to} if connect_to else {})
    return given


def _value(text: str) -> Any:
    """true and false are no texts; a list is written with commas where the kind wants one."""
    return {"true": True, "false": False}.get(text.lower(), text)


@command.command()
@click.argument("target")
@click.option("--kind", help="How it is read: rss, site, hackernews, ... (default: understood from TARGET).")
@click.option("--slug", help="Its short name (default: made from the host).")
@_settings(required=True)
@click.option("--no-check", is_flag=True, help="Add it without visiting it first.")
@console.as_json
@click.pass_obj
def add(config: Config, /, target: str, no_check: bool, as_json: bool, **told: Any) -> None:
    """Add a source: visit it once, show what it brings, keep it.

    TARGET is the address of a feed, a site or a YouTube channel, or a short form: hackernews, r/NAME, arxiv:CATEGORY,
    search:WORDS. A source that gives nothing is not added, unless with --no-check.

    \b
    Examples:
      scoop sources add https://example.com/feed.xml --collection world_news --every 30m
      scoop sources add hackernews --collection ai_news -o list=best -o min_score=100
      scoop sources add arxiv:cs.CL --collection ai_news --every '0 6 * * *'
      scoop sources add https://example.com/news --kind site --collection press --window 06:30-07:15
    """
    from scoop.actions import sources as source_actions

    settings = source_actions.read_settings({"target": target, **_given(**told)})
    tried = None if no_check else runtime.run(_tried(config, settings))
    source_id = runtime.run(_put(config, settings))
    if as_json:
        console.print_json(
            {"source_id": source_id, "slug": settings.slug, "items": len(tried.items) if tried else None}
        )
        return
    if tried:
        _show(tried)
    click.echo(f"{settings.slug} is visited every {settings.schedule}; now: scoop ingest --source {settings.slug}")


@command.command()
@click.argument("slug")
@_settings(required=False)
@console.as_json
@click.pass_obj
def edit(config: Config, /, slug: str, as_json: bool, **told: Any) -> None:
    """Change a source; what is not named stays, options are added to those it has.

    \b
    Examples:
      scoop sources edit example_com --every 2h
      scoop sources edit hackernews -o limit=60
    """
    changed = runtime.run(_edit(config, slug, _given(**told)))
    if as_json:
        console.print_json(changed)
    else:
        click.echo(f"{slug} is changed")


async def _edit(config: Config, slug: str, given: dict[str, Any]) -> "SourceSettings":
    from scoop.actions import sources as source_actions

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await source_actions.change(conn, slug, given)


@command.command()
@click.argument("slug")
@console.as_json
@click.pass_obj
def test(config: Config, slug: str, as_json: bool) -> None:
    """Visit a source and show what it would bring; nothing is kept."""
    tried = runtime.run(_test(config, slug))
    if as_json:
        console.print_json(
            {
                "slug": slug,
                "health": tried.harvest.health,
                "items": tried.items,
                "problems": tried.harvest.problems,
                "refused": tried.refused,
            }
        )
    else:
        _show(tried)


async def _test(config: Config, slug: str) -> "SourcePreview":
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        source = await sources.by_slug(conn, slug)
    return await _tried(config, source)


async def _tried(config: Config, settings: "SourceSettings") -> "SourcePreview":
    from scoop.app import try_source

    try:
        return await try_source(config, settings, now=datetime.now(UTC))
    except FetchFailed as failure:
        told = f"{failure} ({failure.health.replace('_', ' ')})"
        raise InputError(f"{told}; --no-check adds it all the same") from failure


def _show(tried: "SourcePreview") -> None:
    console.print_table(
        ("published", "title"),
        [(console.parse_time(item.get("published_at")), item["title"]) for item in tried.items[:SHOWN_ITEMS]],
        empty="it answers, but has no items",
        cut="title",
    )
    more = len(tried.items) - SHOWN_ITEMS
    if more > 0:
        click.echo(f"... and {more:,} more")
    for problem in tried.harvest.problems:
        click.echo(f"scoop: {problem}", err=True)
    for problems in tried.refused:
        click.echo(f"scoop: refused: {'; '.join(f'{p.path} {p.reason}' for p in problems)}", err=True)


async def _put(config: Config, settings: "SourceSettings") -> int:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        return await sources.put(conn, settings)


@command.command()
@click.argument("slugs", nargs=-1, required=True, metavar="SLUG...")
@click.option("--off", is_flag=True, help="Let them rest instead.")
@console.as_json
@click.pass_obj
def enable(config: Config, slugs: tuple[str, ...], off: bool, as_json: bool) -> None:
    """Let sources be visited again, or rest with --off."""
    runtime.run(_enable(config, slugs, enabled=not off))
    if as_json:
        console.print_json({"slugs": slugs, "enabled": not off})
    else:
        click.echo(f"{', '.join(slugs)}: {'rests until it is enabled' if off else 'is visited'}")


async def _enable(config: Config, slugs: tuple[str, ...], *, enabled: bool) -> None:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn, conn.transaction():
        for slug in slugs:
            await sources.set_enabled(conn, slug, enabled=enabled)


@command.command()
@click.argument("slug")
@console.as_json
@click.pass_obj
def remove(config: Config, slug: str, as_json: bool) -> None:
    """Forget a source; what it brought stays."""
    runtime.run(_remove(config, slug))
    if as_json:
        console.print_json({"removed": slug})
    else:
        click.echo(f"{slug} is no longer visited; its documents and stories stay")


async def _remove(config: Config, slug: str) -> None:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        await sources.remove(conn, slug)


@command.command("import")
@click.argument("file", metavar="FILE|-")
@click.option("--collection", default="news", show_default=True, help="For feeds that are in no folder.")
@click.option("--every", "schedule", default="1h", show_default=True, help="How often they are visited.")
@console.as_json
@click.pass_obj
def import_opml(config: Config, file: str, collection: str, schedule: str, as_json: bool) -> None:
    """Add the feeds of an OPML file; its folders become collections.

    Feeds that are there already stay as they are.

    \b
    Examples:
      scoop sources import subscriptions.opml
      scoop sources import - --collection world_news < subscriptions.opml
    """
    from scoop.core import opml

    found = opml.read(_read(file))
    imported = runtime.run(_import(config, found, collection, schedule))
    added = [each.slug for each in imported if each.status == "added"]
    known = sum(each.status == "known" for each in imported)
    refused = [f"{each.title or each.url}: {each.problem}" for each in imported if each.status == "refused"]
    problems = [*found.problems, *refused]
    if as_json:
        console.print_json({"added": added, "known": known, "problems": problems})
    else:
        click.echo(f"{len(added):,} added, {known:,} there already, {len(problems):,} with a problem")
        for problem in problems:
            click.echo(f"scoop: {problem}", err=True)
    sys.exit(1 if problems and not (added or known) else 0)


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from error


async def _import(config: Config, found: "Outlines", collection: str, schedule: str) -> "list[FeedImport]":
    from scoop.actions import sources as source_actions

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await source_actions.import_opml(conn, found, collection=collection, schedule=schedule)


@command.command("export")
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
    from scoop.actions import sources as source_actions

    async with runtime.open_connection(config) as conn:
        return await source_actions.export_opml(conn, collection=collection, now=datetime.now(UTC), secrets=secrets)
