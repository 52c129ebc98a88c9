"""`scoop preview`: the items of a feed that is not a source yet."""

import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import _reach, console, runtime, tables
from scoop.config import Config
from scoop.core.display_names import counted
from scoop.errors import FetchFailed, InputError, ScoopError

if TYPE_CHECKING:
    from scoop.core.feed_reading.feed import ParsedFeed
    from scoop.fetch.client import Client
    from scoop.model import Item

SHOWN_ITEMS = 10
LINE_WIDTH = 80
WHEN_WIDTH = 22  # a time with its zone
MAX_SOURCE = 128
NO_ANSWER = frozenset({"unreachable", "timeout"})


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@_reach.options
@console.as_json
@click.pass_obj
def command(
    config: Config, targets: tuple[str, ...], allow_private: bool, connect_to: str | None, as_json: bool
) -> None:
    """Show the items of a feed, without storing anything.

    TARGET is a URL, a file, or - for standard input: RSS, Atom or JSON Feed. A URL without a scheme is tried with
    https, then with http. Where a URL leads to a page that names its feeds, the first of them is shown. With --json,
    every target gives one line with its items as they would be stored. The exit code is 1 if a target is not a feed.

    \b
    Examples:
      scoop preview https://example.com/feed.xml
      scoop preview example.com --json
      curl -s https://example.com/feed.xml | scoop preview -
      scoop preview saved/*.xml --json
    """
    reach = _reach.read(allow_private, connect_to)
    sys.exit(runtime.run(_preview(config, targets, reach, as_json=as_json)))


async def _preview(config: Config, targets: tuple[str, ...], reach: dict[str, Any], *, as_json: bool) -> int:
    from scoop.app import open_client
    from scoop.core.feed_reading.feed import ParsedFeed

    are_feeds = True
    async with open_client(config) as client:
        for target in targets:
            try:
                feed = await _load(client, target, reach)
            except ScoopError as error:
                feed = ParsedFeed(problems=[_problem(error)])
            are_feeds = are_feeds and bool(feed.format)
            feed = _completed(feed, target, now=datetime.now(UTC))
            if as_json:
                console.print_json_lines([_line(target, feed)])
            else:
                _show(target, feed)
    return 0 if are_feeds else 1


def _problem(error: ScoopError) -> str:
    """The error with advice, where there is any."""
    from scoop.core import health

    advice = health.ADVICE.get(error.health) if isinstance(error, FetchFailed) else None
    return f"{error}. {advice}" if advice else str(error)


async def _load(client: "Client", target: str, reach: dict[str, Any]) -> "ParsedFeed":
    """The feed in a file, or at an address; an address without a scheme is tried with https, then with http."""
    from scoop.core import urls

    candidates = urls.candidate_urls(target)
    if _is_file(target) or not urls.is_url(candidates[0]):
        return _read_file(target)
    if len(candidates) == 1:
        return await _fetch(client, target, reach)
    for url in candidates:
        try:
            feed = await _fetch(client, url, reach)
            return replace(feed, problems=[f"the address is taken as {url}", *feed.problems])
        except FetchFailed as failure:
            if failure.health not in NO_ANSWER:
                raise
    raise InputError(f"{target} is neither a file nor an address that answers, with https or http")


def _is_file(target: str) -> bool:
    return target == "-" or Path(target).exists()


async def _fetch(client: "Client", url: str, reach: dict[str, Any]) -> "ParsedFeed":
    """The feed at an address, or the first one that the page there names."""
    page = await _fetch_one(client, url, url, reach)
    if page.format or not page.alternates:
        return page
    feed = await _fetch_one(client, page.alternates[0], url, reach)
    return replace(feed, problems=[*page.problems, f"this is the first: {page.alternates[0]}", *feed.problems])


async def _fetch_one(client: "Client", url: str, typed_url: str, reach: dict[str, Any]) -> "ParsedFeed":
    from scoop.core import feed_reading, urls

    private_host = urls.host_and_port(typed_url) if reach.get("allow_private") else None
    response = await client.get(url, typed_url=typed_url, private_host=private_host, connect_to=reach.get("connect_to"))
    if response.status != 200:
        raise InputError(f"{response.url} answered {response.status}")
    return feed_reading.parse(response.body, content_type=response.headers.get("Content-Type", ""), url=response.url)


def _read_file(target: str) -> "ParsedFeed":
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
        raise InputError(f"{target} is larger than {MAX_BODY_BYTES >> 20} MiB, the limit for a feed")
    return feed_reading.parse(body)


def _completed(feed: "ParsedFeed", target: str, *, now: datetime) -> "ParsedFeed":
    """The feed with complete items; one that would be refused is a problem instead."""
    from scoop.core import items

    source = _source(target)
    completed = [
        items.complete_item(item, source=source, collection="preview", category="news", now=now) for item in feed.items
    ]
    reasons = [items.list_problems(item) for item in completed]
    refused = [f"refused: {reason[0].path} {reason[0].reason}" for reason in reasons if reason]
    good = [item for item, reason in zip(completed, reasons, strict=True) if not reason]
    return replace(feed, items=good, problems=[*feed.problems, *refused])


def _source(target: str) -> str:
    """A slug from the host or the name of the file."""
    from scoop.core import urls

    try:
        name = urls.host(urls.canonical_url(target)).removeprefix("www.")
    except ValueError:
        name = Path(target).name.lower()
    return re.sub(r"[^a-z0-9]+", "_", name).strip("_")[:MAX_SOURCE] or "preview"


def _line(target: str, feed: "ParsedFeed") -> dict[str, Any]:
    head = {key: getattr(feed, key) for key in ("title", "link", "description", "language", "format")}
    return {"target": target, "feed": head, "items": feed.items, "problems": feed.problems}


def _show(target: str, feed: "ParsedFeed") -> None:
    click.secho(feed.title or target, bold=True)
    if feed.format:
        click.echo(" · ".join(filter(None, (feed.format, counted(len(feed.items), "item"), feed.link))))
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
