"""`scoop export`: write events, stories and documents to files."""

import sys
from collections.abc import Callable
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from scoop.cli import progress, runtime, usage
from scoop.config import Config
from scoop.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoop.actions.exports import ExportFormat, What
    from scoop.store.reads.exports import ExportFilter, Lines

UNFINISHED = ".part"


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Write events, stories or documents as NDJSON, CSV or Parquet.

    \b
    Examples:
      scoop export events --since 2026-11-15 > events.ndjson
      scoop export stories > stories.ndjson
      scoop export documents --format parquet -o documents.parquet
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that every export has."""
    options = [
        click.option("--collection", help="Only this collection."),
        click.option("--since", metavar="WHEN", help="Only rows seen at this time or later, as 2026-11-15."),
        click.option("--until", metavar="WHEN", help="Only rows seen before this time, as 2026-11-16T09:00."),
        click.option(
            "--format",
            "form",
            type=click.Choice(["ndjson", "csv", "parquet"]),
            default="ndjson",
            show_default=True,
            help="The format.",
        ),
        click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file to write."),
        click.option("--json", "_as_json", is_flag=True, help="The default: NDJSON."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command.command()
@_options
@click.option("--with-merged", is_flag=True, help="Include events that were merged into others; they have no stories.")
@click.pass_obj
def events(config: Config, /, with_merged: bool, **options: Any) -> None:
    """One event a line: event_uuid, title, url, lead, counts, first_seen_at, last_seen_at, story_uuids, article_ids.

    The lead story gives title, url and lead. `merged_into` is the event_uuid that a merged event leads to.

    \b
    Examples:
      scoop export events --collection ai_news
      scoop export events | jq 'select(.publisher_family_count > 2) | .title'
      scoop export events --format csv -o events.csv
    """
    _export(config, "events", with_merged=with_merged, **options)


@command.command()
@_options
@click.option("--with-merged", is_flag=True, help="Include stories that were merged into others; they have no members.")
@click.pass_obj
def stories(config: Config, /, with_merged: bool, **options: Any) -> None:
    """One story a line: story_uuid, collection, title, url, status, coverage_id, first_seen_at, last_seen_at, members.

    coverage_id is the event_uuid of its event. CSV and Parquet have the members' article_ids.

    \b
    Examples:
      scoop export stories --collection ai_news
      scoop export stories | jq 'select(.members | length > 1)'
      scoop export stories --format csv -o stories.csv
    """
    _export(config, "stories", with_merged=with_merged, **options)


@command.command()
@_options
@click.pass_obj
def documents(config: Config, /, **options: Any) -> None:
    """One document a line: article_id, collection, source, url, title, body_text, language, published_at, story_uuid.

    \b
    Examples:
      scoop export documents --since 2026-11-15
      scoop export documents --format parquet -o documents.parquet
    """
    _export(config, "documents", with_merged=False, **options)


def _export(
    config: Config,
    what: "What",
    *,
    collection: str | None,
    since: str | None,
    until: str | None,
    form: "ExportFormat",
    output: Path | None,
    with_merged: bool,
    _as_json: bool,
) -> None:
    from scoop.store.reads.exports import ExportFilter

    if form == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is a binary format: give a file with -o FILE")
    moments = [_moment(config, "--since", since), _moment(config, "--until", until)]
    choice = ExportFilter(collection=collection, since=moments[0], until=moments[1], with_merged=with_merged)
    with _opened(output) as file:
        runtime.run(_write(config, what, choice, form, file))


def _moment(config: Config, option: str, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise UsageError(f"{option} {value!r} is not a date or time, as 2026-11-15 or 2026-11-15T09:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(config.timezone))


@contextmanager
def _opened(output: Path | None) -> "Iterator[IO[bytes]]":
    """Standard output, or a file that gets its name when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        return
    unfinished = output.with_name(output.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(output)
    except OSError as error:
        raise InputError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from error
    finally:
        unfinished.unlink(missing_ok=True)


async def _write(config: Config, what: "What", choice: "ExportFilter", form: "ExportFormat", file: IO[bytes]) -> None:
    from scoop.actions import exports

    async with runtime.open_connection(config) as conn:

        async def page(after: int) -> "Lines":
            return await exports.read_page(conn, what, choice, after)

        with progress.items(what) as advance:
            async for chunk in exports.encode(page, what, form):
                file.write(chunk.content)
                advance(chunk.rows)
