"""`scoop sources`: where items come from."""

import re

import click

from scoop.cli import edge
from scoop.config import Config

MAX_COLLECTION = 128


@click.group()
def command() -> None:
    """Where items come from: list, add, remove.

    \b
    Examples:
      scoop sources add https://example.com/feed.xml --collection ai_news
      scoop sources list
      scoop sources remove example_com
    """


@command.command("list")
@edge.as_json
@click.pass_obj
def list_sources(config: Config, as_json: bool) -> None:
    """Show all sources and when each is visited next."""
    edge.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import sources

    async with edge.reading(config) as conn:
        found = await sources.listed(conn)
    if as_json:
        edge.print_json(found)
        return
    edge.print_table(
        ("source", "kind", "collection", "every", "next visit", "url"),
        [(s.slug, s.kind, s.collection, s.schedule, s.next_visit_at, s.base_url) for s in found],
        empty="there are no sources; add one: scoop sources add https://example.com/feed.xml --collection world_news",
        wide="url",
    )


@command.command()
@click.argument("url")
@click.option("--collection", required=True, help="The collection its items belong to, as ai_news.")
@click.option("--slug", help="Its short name (default: made from the host).")
@click.option("--name", help="Its name for people (default: the host).")
@click.option("--every", "schedule", default="1h", show_default=True, help="How often it is visited: 30m, 1h, 1d.")
@click.option(
    "--connect-to", metavar="ADDRESS:PORT", help="Ask this address instead; for feeds inside your own network."
)
@edge.as_json
@click.pass_obj
def add(
    config: Config, url: str, collection: str, slug: str | None, name: str | None, schedule: str,
    connect_to: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Add a feed (RSS, Atom or JSON Feed); it is visited within the next run."""
    from scoop.core import schedules, urls

    try:
        host = urls.host(urls.canonical_url(url))
        schedules.interval(schedule)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not 1 <= len(collection.strip()) <= MAX_COLLECTION:
        raise click.UsageError(f"--collection must be 1 to {MAX_COLLECTION} characters, as ai_news")
    if name is not None and not name.strip():
        raise click.UsageError("--name must not be blank")
    if connect_to is not None and not re.fullmatch(r"[\w.:\[\]-]+:\d{1,5}", connect_to):
        raise click.UsageError("--connect-to must be ADDRESS:PORT, as 127.0.0.1:8788")
    slug = slug or re.sub(r"[^a-z0-9]+", "_", host.removeprefix("www.")).strip("_")
    if not re.fullmatch(r"[a-z0-9_]{1,128}", slug):
        raise click.UsageError(f"--slug {slug!r}: use only a-z, 0-9 and _")
    edge.run(_add(config, slug, name or host, collection, url, schedule, connect_to, as_json=as_json))


async def _add(
    config: Config,
    slug: str,
    name: str,
    collection: str,
    url: str,
    schedule: str,
    connect_to: str | None,
    *,
    as_json: bool,
) -> None:
    from scoop.store import sources

    async with edge.reading(config) as conn:
        source_id = await sources.put(
            conn, slug=slug, name=name, kind="rss", collection=collection, category="news", base_url=url,
            options={"connect_to": connect_to} if connect_to else {}, schedule=schedule,
        )  # fmt: skip
    if as_json:
        edge.print_json({"source_id": source_id, "slug": slug})
    else:
        click.echo(f"{slug} is visited every {schedule}; now: scoop ingest --source {slug}")


@command.command()
@click.argument("slug")
@edge.as_json
@click.pass_obj
def remove(config: Config, slug: str, as_json: bool) -> None:
    """Forget a source; what it brought stays."""
    edge.run(_remove(config, slug))
    if as_json:
        edge.print_json({"removed": slug})
    else:
        click.echo(f"{slug} is no longer visited; its documents and stories stay")


async def _remove(config: Config, slug: str) -> None:
    from scoop.store import sources

    async with edge.reading(config) as conn:
        await sources.remove(conn, slug)
