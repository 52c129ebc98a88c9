"""`scoop preview`: what a feed holds, before it is a source."""

import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime, tables
from scoop.config import Config
from scoop.errors import InputError, ScoopError

if TYPE_CHECKING:
    from scoop.core.feed_reading.feed import ParsedFeed
    from scoop.fetch.client import Client
    from scoop.model import Item

SHOWN_ITEMS = 10
LINE_WIDTH = 80
WHEN_WIDTH = 22  # a time with its zone
MAX_SOURCE = 128
WEB = ("http://", "https://")


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@console.as_json
@click.pass_obj
def command(config: Config, targets: tuple[str, ...], as_json: bool) -> None:
    """Show what a feed holds, without storing anything.

    TARGET is a URL, a file, or - for standard input: RSS, Atom or JSON Feed. Where a URL leads to a page that names
    its feeds, the first of them is shown. With --json, every target gives one line with its items as the ledger would
    take them. The exit code is 1 if a target is no feed.

    \b
    Examples:
      scoop preview https://example.com/feed.xml
      scoop preview https://example.com/ --json
      curl -s https://example.com/feed.xml | scoop preview -
      scoop preview saved/*.xml --json
    """
    sys.exit(runtime.run(_preview(config, targets, as_json=as_json)))


async def _preview(config: Config, targets: tuple[str, ...], *, as_json: bool) -> int:
    from scoop.app import open_client
    from scoop.core.feed_reading.feed import ParsedFeed

    are_feeds = True
    async with open_client(config) as client:
        for target in targets:
            try:
                feed = await _fetched(client, target) if target.startswith(WEB) else _opened(target)
            except ScoopError as error:
                feed = ParsedFeed(problems=[str(error)])
            are_feeds = are_feeds and bool(feed.format)
            feed = _completed(feed, target, now=datetime.now(UTC))
            if as_json:
                console.print_json_lines([_told(target, feed)])
            else:
                _show(target, feed)
    return 0 if are_feeds else 1


async def _fetched(client: "Client", url: str) -> "ParsedFeed":
    """The feed at an address, or the first one that the page there names."""
    page = await _read(client, url, typed_url=url)
    if page.format or not page.alternates:
        return page
    found = await _read(client, page.alternates[0], typed_url=url)
    return replace(found, problems=[*page.problems, f"this is the first: {page.alternates[0]}", *found.problems])


async def _read(client: "Client", url: str, *, typed_url: str) -> "ParsedFeed":
    from scoop.core import feed_reading

    answer = await client.get(url, typed_url=typed_url)
    if answer.status != 200:
        raise InputError(f"{answer.url} answered {answer.status}")
    return feed_reading.parse(answer.body, content_type=answer.headers.get("Content-Type", ""), url=answer.url)


def _opened(target: str) -> "ParsedFeed":
    from scoop.core import feed_reading
    from scoop.fetch.client import MAX_BODY_BYTES

    try:
        if target == "-":
            body = sys.stdin.buffer.read(MAX_BODY_BYTES + 1)
        else:
            with open(target, "rb") as file:
                body = file.read(MAX_BODY_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {target}: {(error.strerror or str(error)).lower()}") from error
    if len(body) > MAX_BODY_BYTES:
        raise InputError(f"{target} is larger than {MAX_BODY_BYTES >> 20} MiB, the most that is read of a feed")
    return feed_reading.parse(body)


def _completed(feed: "ParsedFeed", target: str, *, now: datetime) -> "ParsedFeed":
    """The feed with whole items; one that the ledger would refuse is a problem instead."""
    from scoop.core import items

    source = _source(target)
    whole = [
        items.complete_item(item, source=source, collection="preview", category="news", now=now) for item in feed.items
    ]
    reasons = [items.list_problems(item) for item in whole]
    refused = [f"refused: {reason[0].path} {reason[0].reason}" for reason in reasons if reason]
    good = [item for item, reason in zip(whole, reasons, strict=True) if not reason]
    return replace(feed, items=good, problems=[*feed.problems, *refused])


def _source(target: str) -> str:
    """A slug from the host or the name of the file."""
    from scoop.core import urls

    try:
        name = urls.host(urls.canonical_url(target)).removeprefix("www.")
    except ValueError:
        name = Path(target).name.lower()
    return re.sub(r"[^a-z0-9]+", "_", name).strip("_")[:MAX_SOURCE] or "preview"


def _told(target: str, feed: "ParsedFeed") -> dict[str, Any]:
    head = {key: getattr(feed, key) for key in ("title", "link", "description", "language", "format")}
    return {"target": target, "feed": head, "items": feed.items, "problems": feed.problems}


def _show(target: str, feed: "ParsedFeed") -> None:
    click.secho(feed.title or target, bold=True)
    if feed.format:
        count = "1 item" if len(feed.items) == 1 else f"{len(feed.items):,} items"
        click.echo(" · ".join(filter(None, (feed.format, count, feed.link))))
    for problem in feed.problems:
        click.secho(f"! {problem}", fg="yellow")
    newest = sorted(feed.items, key=lambda item: item.get("published_at", ""), reverse=True)[:SHOWN_ITEMS]
    for item in newest:
        _show_item(item)
    if len(feed.items) > SHOWN_ITEMS:
        click.echo(f"... and {len(feed.items) - SHOWN_ITEMS:,} more")
    click.echo()


def _show_item(item: "Item") -> None:
    when = console.format_value(console.parse_time(item.get("published_at")))
    click.echo(f"{when:{WHEN_WIDTH}}{tables.fit(item['title'], LINE_WIDTH - WHEN_WIDTH).rstrip()}")
    if "canonical_url" in item:
        click.echo(f"{'':{WHEN_WIDTH}}{item['canonical_url']}")
