"""What commands about digests share: preparing and sending one, and its output."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import _curators, console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.app import App
    from scoop.stages.digest import DigestOrder
    from scoop.store.digests import RunEntry, RunMode


async def prepare_order(app: "App", slug: str, day: date | None, *, mode: "RunMode", publish: bool) -> "DigestOrder":
    """The order of a digest, for a date or the last one due; UsageError if it cannot be made or posted."""
    from scoop.stages import digest

    async with app.database.connection() as conn:
        return await digest.prepare_order(
            conn, slug, day, mode=mode, publish=publish, modes=app.modes, now=datetime.now(UTC)
        )


async def drain(app: "App", name: str) -> None:
    """Run a stage on the work that is due; work that must wait stays in the queue."""
    from scoop import worker
    from scoop.cli import progress
    from scoop.stages.stage import Worker
    from scoop.store import work

    stage = next(stage for stage in app.stages if stage.name == name)
    stop = runtime.stop_on_signal()
    async with app.database.connection() as conn:
        with progress.stages() as report:
            member = Worker(await work.register_worker(conn), conn, report.message)
            await work.release_orphans(conn)
            await worker.drain(stage, member, stop=stop, report=report)


async def show(config: Config, digest_run_id: int, *, as_json: bool) -> None:
    """One run with all its candidates and its posts."""
    from scoop.store import digests, posts

    async with runtime.open_connection(config) as conn:
        run = await digests.get_run(conn, digest_run_id)
        entries = await digests.list_entries(conn, digest_run_id)
        sent = await posts.list_run_posts(conn, digest_run_id)
    if as_json:
        console.print_json({"run": run, "entries": entries, "posts": sent})
        return
    published = sum(entry.rank is not None for entry in entries)
    click.secho(
        f"{run.topic_slug} {run.run_date}, {run.mode}, attempt {run.attempt} (run {run.digest_run_id})", bold=True
    )
    click.echo(
        f"from {console.format_time(run.window_start_utc)} to {console.format_time(run.window_end_utc)}: "
        f"{len(entries)} candidates, {published} published"
    )
    if run.introduction:
        click.echo(run.introduction)
    _print_entries(entries)
    if sent:
        console.print_table(
            ("post", "channel", "part", "state", "message", "problem"),
            [(p.post_id, p.channel, f"{p.part_no}/{p.parts}", p.state, p.message_id, p.error or "") for p in sent],
            empty="",
        )


def _print_entries(entries: "Sequence[RunEntry]") -> None:
    """The candidates of a digest; those of a curator with their points and topics."""
    if any(entry.relevance for entry in entries):
        rows = [(e.rank, _points(e), _topics(e), e.title, e.reason) for e in entries]
        console.print_table(("rank", "score", "topics", "title", "why"), rows, empty="nothing new", cut="title")
        return
    console.print_table(
        ("rank", "score", "status", "title", "why"),
        [(e.rank, f"{e.score:.2f}", e.status, e.title, e.reason) for e in entries],
        empty="nothing new",
        cut="title",
    )


def _points(entry: "RunEntry") -> str:
    return _curators.score(entry.relevance.score if entry.relevance else None)


def _topics(entry: "RunEntry") -> str:
    return _curators.names(entry.relevance.topics if entry.relevance else ())
