"""`scoop curate`: look for articles, evaluate them, and choose the best of a date."""

import asyncio
import time
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import _curators, _digests, console, runtime
from scoop.config import Config
from scoop.errors import InputError, UsageError
from scoop.stage_names import StageName

if TYPE_CHECKING:
    from scoop.actions.curator_previews import CuratorPreview
    from scoop.app import App
    from scoop.core.interests import Interests
    from scoop.model import Topic
    from scoop.stages.stage import Stage, Worker
    from scoop.store.curators import Curator

PATIENCE = timedelta(minutes=3)  # for another worker that evaluates articles
PAUSE_SECONDS = 0.3
RETRIED = timedelta(seconds=20)  # an article that is tried again within this time is waited for


@click.command()
@click.option("--curator", "slug", required=True, metavar="NAME", help="The curator, as morning_picks.")
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The curator's local date (default: the last one due; of a dry run the coming one).",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be chosen, with every score; nothing is stored.")
@click.option("--publish", is_flag=True, help="Post it to the curator's channels.")
@console.as_json
@click.pass_obj
def command(config: Config, slug: str, day: datetime | None, dry_run: bool, publish: bool, as_json: bool) -> None:
    """Look for new articles of a curator, evaluate them, and choose the best of a date.

    Its interests are read again. Articles that it has met are not evaluated again, and what was posted or is being
    posted is never chosen again: running this twice changes nothing. A dry run uses the local scorer for articles that
    are not evaluated yet, and asks no model.

    \b
    Examples:
      scoop curate --curator picks --dry-run
      scoop curate --curator picks
      scoop curate --curator picks --date 2026-11-16 --publish
    """
    if dry_run and publish:
        raise UsageError("choose one of --dry-run and --publish")
    local_date = day.date() if day else None
    if dry_run:
        _print_preview(runtime.run_logged(config, _preview(config, slug, local_date)), as_json=as_json)
        return
    run_id = runtime.run_logged(config, _curate(config, slug, local_date, publish=publish))
    runtime.run(_digests.show(config, run_id, as_json=as_json))


async def _preview(config: Config, slug: str, day: date | None) -> "CuratorPreview":
    from scoop.actions import curator_previews
    from scoop.store import curators, topics

    async with runtime.open_connection(config) as conn:
        curator, topic = await curators.by_slug(conn, slug), await topics.by_slug(conn, slug)
        wanted = await _interests_now(config, curator)
        return await curator_previews.preview(conn, curator, wanted, until=_until(topic, day, now=datetime.now(UTC)))


async def _interests_now(config: Config, curator: "Curator") -> "Interests":
    """The interests that a run would use: those of the file or URL if they are valid, else the last valid ones."""
    if curator.interests_from is not None:
        try:
            return (await _curators.read_file(config, curator.interests_from)).interests
        except InputError as error:
            console.notice(f"the last valid interests are used: {error}")
    if curator.interests is None:
        raise UsageError(f"{curator.topic_slug} has no valid interests: scoop curators show {curator.topic_slug}")
    return curator.interests


def _until(topic: "Topic", day: date | None, *, now: datetime) -> datetime:
    """The end of the time whose articles are shown: that of the date, or now."""
    from scoop.stages import digest

    return now if day is None else min(now, digest.window_of(topic, day).end)


def _print_preview(preview: "CuratorPreview", *, as_json: bool) -> None:
    if as_json:
        console.print_json(preview)
        return
    click.secho(f"{preview.topic_slug}: a dry run; nothing is stored or posted", bold=True)
    click.echo(preview.introduction or "nothing new")
    console.print_table(
        ("rank", "score", "parts", "topics", "title", "why"),
        [
            (
                each.rank,
                f"{_curators.score(each.relevance_score)}{' *' if each.is_estimate else ''}",
                _curators.parts(each.score_parts) or "-",
                _curators.names(each.matching_topics),
                each.title,
                f"{each.reason}: {each.reasoning}" if each.reason else each.reasoning,
            )
            for each in preview.articles
        ],
        empty="it has no new articles; `scoop curators show` says what it reads",
        cut="title",
    )
    if any(each.is_estimate for each in preview.articles):
        click.echo("* by the local scorer: it is not evaluated yet")


async def _curate(config: Config, slug: str, day: date | None, *, publish: bool) -> int:
    from scoop.app import open_app
    from scoop.stages import digest
    from scoop.store import curators

    async with open_app(config) as app:
        async with app.database.connection() as conn:
            curator = await curators.by_slug(conn, slug)  # NotFound for a topic without interests
        await _digests.prepare_order(
            app, slug, day, mode="live", publish=publish
        )  # what cannot be posted costs nothing
        await _digests.drain(app, StageName.ASSIGN_TOPICS)
        await _look(app, curator.topic_id)
        order = await _digests.prepare_order(app, slug, day, mode="live", publish=publish)  # its file may change it
        async with app.database.connection() as conn, conn.transaction():
            run_id = await digest.make(conn, order, app.channels)
        if publish:
            await _digests.drain(app, StageName.PUBLISH)
    return run_id


async def _look(app: "App", topic_id: int) -> None:
    """Read the interests again, look for new articles, and evaluate them."""
    from scoop.cli import progress
    from scoop.stages.stage import Worker
    from scoop.store import curators, work
    from scoop.store.work import Subject

    async with app.database.connection() as conn:
        async with conn.transaction():
            await curators.forget_reading(conn, topic_id)
            await work.enqueue(conn, StageName.CURATE, [Subject(topic_id)])
        with progress.stages() as report:
            worker = Worker(await work.register_worker(conn), conn, report.message)
            await work.release_orphans(conn)
            await _find(_stage(app, StageName.CURATE), worker, topic_id)
            await _evaluate(_stage(app, StageName.WRITE), worker, topic_id)


async def _find(looking: "Stage[Any, Any]", worker: "Worker", topic_id: int) -> None:
    """Look for articles, or wait for the worker that does."""
    from scoop.stages import stage as stage_loop
    from scoop.store import evaluations

    until = time.monotonic() + PATIENCE.total_seconds()
    while not await stage_loop.run_subject(looking, worker, topic_id) and time.monotonic() < until:
        if not await evaluations.is_looking(worker.conn, topic_id):
            return
        await asyncio.sleep(PAUSE_SECONDS)


async def _evaluate(writing: "Stage[Any, Any]", worker: "Worker", topic_id: int) -> None:
    """Evaluate the articles that wait, as many at once as the writer takes; those of other workers are waited for."""
    from scoop.stages import stage as stage_loop
    from scoop.store import evaluations

    turns = asyncio.Semaphore(writing.parallel)

    async def run(brief_id: int) -> bool:
        async with turns:
            return await stage_loop.run_subject(writing, worker, brief_id)

    until = time.monotonic() + PATIENCE.total_seconds()
    while True:
        waiting = await evaluations.list_waiting_briefs(worker.conn, topic_id)
        done = await asyncio.gather(*map(run, waiting))
        soon = datetime.now(UTC) + RETRIED
        if not await evaluations.count_waiting(worker.conn, topic_id, by=soon) or time.monotonic() > until:
            return
        if not any(done):
            await asyncio.sleep(PAUSE_SECONDS)


def _stage(app: "App", name: StageName) -> "Stage[Any, Any]":
    return next(stage for stage in app.stages if stage.name == name)
