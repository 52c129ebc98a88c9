"""`scoop sources`: where items come from."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

import click

from scoop.actions.source_settings import SETTINGS
from scoop.cli import _reach, _settings, _source_lists, console, runtime, usage
from scoop.config import Config
from scoop.errors import FetchFailed, InputError
from scoop.model import Health, SourceSettings

if TYPE_CHECKING:
    from scoop.actions.sources import SourcePreview
    from scoop.model import Source

SHOWN_ITEMS = 5

slugs_argument = click.argument("slugs", nargs=-1, required=True, metavar="NAME...")


@click.group(cls=usage.CommandGroup, aliases={"enable --off": "disable"})
def command() -> None:
    """Where items come from: list, show, add, change, remove, enable, disable, test, import, export.

    \b
    Examples:
      scoop sources add https://example.com/feed.xml --collection ai_news
      scoop sources add r/MachineLearning --collection ai_news
      scoop sources add https://example.com/press --kind site --collection press
      scoop sources list
      scoop sources import subscriptions.opml
    """


def _read_patch(allow_private: bool, connect_to: str | None, **values: Any) -> dict[str, Any]:
    """The settings that the command line names."""
    patch = _settings.read(SETTINGS, values)
    options = (patch.get("options") or {}) | _reach.read(allow_private, connect_to)
    return patch | ({"options": options} if options else {})


@command.command("list")
@click.option("--collection", help="Only sources of this collection.")
@click.option("--kind", help="Only sources of this kind.")
@click.option("--health", type=click.Choice(get_args(Health)), help="Only sources in this state.")
@console.as_json
@click.pass_obj
def list_sources(config: Config, /, as_json: bool, **filters: str | None) -> None:
    """Show sources with their health, since when, and the time of the next fetch."""
    found = runtime.run(_list(config, filters))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("source", "name", "kind", "health", "since", "next fetch", "result"),
        [
            (
                source.slug,
                source.name,
                source.kind,
                source.health.replace("_", " ") if source.enabled else "disabled",
                console.format_age(source.health_since),
                console.format_wait(source.next_visit_at) if source.enabled else "-",
                "" if source.health == "ok" else source.health_note,
            )
            for source in found
        ],
        whole=["source"],
        empty="no source matches"
        if any(filters.values())
        else "there are no sources; add one: scoop sources add https://example.com/feed.xml --collection world_news",
    )


async def _list(config: Config, filters: Mapping[str, Any]) -> "list[Source]":
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        found = await sources.list_sources(conn, **filters)
        if not found:
            from scoop.actions import sources as source_actions  # 0.25 s of CPU time, for the kinds of sources

            await source_actions.check_filter(conn, collection=filters["collection"], kind=filters["kind"])
    return found


@command.command()
@click.argument("slug", metavar="NAME")
@console.as_json
@click.pass_obj
def show(config: Config, slug: str, as_json: bool) -> None:
    """Show the settings and the health of a source, with its whole address."""
    source = runtime.run(_get(config, slug))
    if as_json:
        console.print_json(source)
        return
    for name, value in _describe(source).items():
        click.echo(f"{name:<22}{value}")


async def _get(config: Config, slug: str) -> "Source":
    from scoop.store import sources

    async with runtime.open_connection(config) as conn:
        return await sources.by_slug(conn, slug)


def _describe(source: "Source") -> dict[str, str]:
    """The settings and the state of a source as lines of text; empty ones are left out."""
    from scoop.core import health

    settings = {setting.name: _settings.write(setting, getattr(source, setting.name, None)) for setting in SETTINGS}
    state = {
        "health": f"{source.health.replace('_', ' ')} since {console.format_time(source.health_since)}",
        "result": source.health_note,
        "advice": health.ADVICE.get(source.health, ""),
        "failures": str(source.failures or ""),
        "moves to": source.moved_to or "",
        "last item": console.format_time(source.last_item_at) if source.last_item_at else "",
        "next fetch": console.format_time(source.next_visit_at) if source.enabled else "none while it is disabled",
    }
    return {name: text for name, text in {"address": source.base_url, **settings, **state}.items() if text}


@command.command()
@click.argument("target")
@_settings.options(SETTINGS, SourceSettings, is_new=True)
@_reach.options
@click.option("--no-check", is_flag=True, help="Add it without fetching it first.")
@console.as_json
@click.pass_obj
def add(config: Config, /, target: str, no_check: bool, as_json: bool, **values: Any) -> None:
    """Add a source: fetch it once, show its items, store it.

    TARGET is the address of a feed, a site or a YouTube channel, or a short form: hackernews, r/NAME, arxiv:CATEGORY,
    search:WORDS. An address without a scheme is tried with https, then with http. A source that cannot be fetched is
    not added, unless with --no-check.

    \b
    Examples:
      scoop sources add https://example.com/feed.xml --collection world_news --every 30m
      scoop sources add hackernews --collection ai_news -o list=best -o min_score=100
      scoop sources add arxiv:cs.CL --collection ai_news --every '0 6 * * *'
      scoop sources add https://example.com/news --kind site --collection press --window 06:30-07:15
    """
    from scoop.actions import sources as source_actions

    candidates = source_actions.read_candidates({"target": target, **_read_patch(**values)})
    settings, preview = candidates[0], None
    if not no_check:
        settings, preview = runtime.run(_preview(config, candidates, way_out="; --no-check adds it anyway"))
        settings = source_actions.with_title(settings, preview.harvest)
    if len(candidates) > 1:
        console.notice(f"scoop: the address is taken as {settings.base_url}")
    source, has_demo = runtime.run(_put(config, settings, has_slug=bool(values["slug"])))
    if has_demo and "connect_to" not in settings.options:
        console.notice("scoop: the demo is still shown beside your sources; remove it: scoop demo remove")
    if as_json:
        count = len(preview.items) if preview else None
        console.print_json(
            {"source_id": source.source_id, "slug": source.slug, "base_url": source.base_url, "items": count}
        )
        return
    if preview:
        _show_preview(preview)
    click.echo(f"{source.slug} is fetched every {source.schedule}; now: scoop ingest --source {source.slug}")


@command.command()
@click.argument("slug", metavar="NAME")
@_settings.options(SETTINGS, SourceSettings, is_new=False)
@_reach.options
@console.as_json
@click.pass_obj
def change(config: Config, /, slug: str, as_json: bool, **values: Any) -> None:
    """Change a source. What is not named stays; options are added to those it has.

    \b
    Examples:
      scoop sources change example_com --every 2h
      scoop sources change hackernews -o limit=60
      scoop sources change example_com --reset schedule
    """
    changed = runtime.run(_change(config, slug, _read_patch(**values)))
    if as_json:
        console.print_json(changed)
    else:
        click.echo(f"{slug} changed")


async def _change(config: Config, slug: str, patch: dict[str, Any]) -> SourceSettings:
    from scoop.actions import sources as source_actions

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await source_actions.change(conn, slug, patch)


@command.command()
@click.argument("slug", metavar="NAME")
@console.as_json
@click.pass_obj
def test(config: Config, slug: str, as_json: bool) -> None:
    """Fetch a source and show its items; nothing is stored."""
    _, preview = runtime.run(_test(config, slug))
    if as_json:
        console.print_json(
            {
                "slug": slug,
                "health": preview.harvest.health,
                "items": preview.items,
                "problems": preview.harvest.problems,
                "refused": preview.refused,
            }
        )
    else:
        _show_preview(preview)


async def _test(config: Config, slug: str) -> "tuple[SourceSettings, SourcePreview]":
    return await _preview(config, [await _get(config, slug)])


async def _preview(
    config: Config, candidates: "list[Any]", *, way_out: str = ""
) -> "tuple[SourceSettings, SourcePreview]":
    """The first candidate that answers, and its items; InputError says what to do where none does."""
    from scoop.actions import sources as source_actions
    from scoop.app import try_source
    from scoop.core import health

    now = datetime.now(UTC)
    try:
        return await source_actions.preview_first(candidates, lambda settings: try_source(config, settings, now=now))
    except FetchFailed as failure:
        advice = f". {health.ADVICE[failure.health]}" if failure.health in health.ADVICE else ""
        raise InputError(f"{failure} ({failure.health.replace('_', ' ')}){way_out}{advice}") from failure


def _show_preview(preview: "SourcePreview") -> None:
    console.print_table(
        ("published", "title"),
        [(console.parse_time(item.get("published_at")), item["title"]) for item in preview.items[:SHOWN_ITEMS]],
        empty="it answers, but has no items",
        cut="title",
    )
    more = len(preview.items) - SHOWN_ITEMS
    if more > 0:
        click.echo(f"... and {more:,} more")
    for problem in preview.harvest.problems:
        click.echo(f"scoop: {problem}", err=True)
    for problems in preview.refused:
        click.echo(f"scoop: refused: {'; '.join(f'{p.path} {p.reason}' for p in problems)}", err=True)


async def _put(config: Config, settings: SourceSettings, *, has_slug: bool) -> "tuple[Source, bool]":
    """Store a source; gives it, and whether the demo is shown beside it."""
    from scoop.actions import sources as source_actions
    from scoop.newsstand import installation

    async with runtime.open_connection(config) as conn, conn.transaction():
        source = await source_actions.add_or_change(conn, settings, has_slug=has_slug)
        return source, await installation.is_added(conn)


@command.command()
@slugs_argument
@console.as_json
@click.pass_obj
def enable(config: Config, slugs: tuple[str, ...], as_json: bool) -> None:
    """Fetch sources by their schedule again."""
    runtime.run(_set_enabled(config, slugs, enabled=True))
    _show_enabled(slugs, "enabled", as_json=as_json, enabled=True)


@command.command()
@slugs_argument
@console.as_json
@click.pass_obj
def disable(config: Config, slugs: tuple[str, ...], as_json: bool) -> None:
    """Stop fetching sources. Their items stay."""
    runtime.run(_set_enabled(config, slugs, enabled=False))
    _show_enabled(slugs, "disabled; not fetched until you enable it", as_json=as_json, enabled=False)


async def _set_enabled(config: Config, slugs: tuple[str, ...], *, enabled: bool) -> None:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn, conn.transaction():
        for slug in slugs:
            await sources.set_enabled(conn, slug, enabled=enabled)


def _show_enabled(slugs: tuple[str, ...], result: str, *, as_json: bool, enabled: bool) -> None:
    if as_json:
        console.print_json({"slugs": slugs, "enabled": enabled})
        return
    for slug in slugs:
        click.echo(f"{slug}: {result}")


@command.command()
@slugs_argument
@console.as_json
@click.pass_obj
def remove(config: Config, slugs: tuple[str, ...], as_json: bool) -> None:
    """Remove sources. Their documents and stories stay."""
    runtime.run(_remove(config, slugs))
    if as_json:
        console.print_json({"removed": slugs})
        return
    for slug in slugs:
        click.echo(f"{slug} removed; its documents and stories stay")


async def _remove(config: Config, slugs: tuple[str, ...]) -> None:
    from scoop.store import sources

    async with runtime.open_connection(config) as conn, conn.transaction():
        for slug in slugs:
            await sources.remove(conn, slug)


command.add_command(_source_lists.import_list)
command.add_command(_source_lists.export_opml)
