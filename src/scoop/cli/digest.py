"""`scoop digest`: make the digest of a topic and a date, and post it."""

from datetime import date, datetime

import click

from scoop.cli import _digests, console, runtime
from scoop.config import Config
from scoop.errors import UsageError
from scoop.stage_names import StageName


@click.command()
@click.option("--topic", required=True, metavar="SLUG", help="The topic, as ai_news.")
@click.option(
    "--date", "day", type=click.DateTime(["%Y-%m-%d"]), help="The topic's local date (default: the last one due)."
)
@click.option("--publish", is_flag=True, help="Post it to the topic's channels.")
@click.option("--shadow", is_flag=True, help="Make it for comparison with another system; a shadow is never posted.")
@click.option("--correct", is_flag=True, help="Edit the posted messages: remove stories suppressed since.")
@console.as_json
@click.pass_obj
def command(
    config: Config, topic: str, day: datetime | None, publish: bool, shadow: bool, correct: bool, as_json: bool
) -> None:
    """Make the digest of a topic and a local date.

    It covers the time since the previous digest, and leaves out stories that were published in the last three days
    unless they developed. Every candidate is stored with the reason why it is in or out. A digest that is posted or
    being posted is never made again: running this twice changes nothing.

    \b
    Examples:
      scoop digest --topic ai_news
      scoop digest --topic ai_news --date 2026-11-16 --publish
      scoop digest --topic ai_news --shadow --json
      scoop digest --topic ai_news --date 2026-11-16 --correct
    """
    if sum((publish, shadow, correct)) > 1:
        raise UsageError("choose one of --publish, --shadow and --correct")
    local_date = day.date() if day else None
    task = (
        _correct(config, topic, local_date)
        if correct
        else _make(config, topic, local_date, publish=publish, shadow=shadow)
    )
    run_id = runtime.run_logged(config, task)
    runtime.run(_digests.show(config, run_id, as_json=as_json))


async def _make(config: Config, slug: str, day: date | None, *, publish: bool, shadow: bool) -> int:
    from scoop.app import open_app
    from scoop.stages import digest

    async with open_app(config) as app:
        order = await _digests.prepare_order(app, slug, day, mode="shadow" if shadow else "live", publish=publish)
        await _digests.drain(app, StageName.ASSIGN_TOPICS)
        async with app.database.connection() as conn, conn.transaction():
            run_id = await digest.make(conn, order, app.channels)
        if publish:
            await _digests.drain(app, StageName.PUBLISH)
    return run_id


async def _correct(config: Config, slug: str, day: date | None) -> int:
    from scoop.app import open_app
    from scoop.stages import digest
    from scoop.store import digests

    async with open_app(config) as app:
        order = await _digests.prepare_order(app, slug, day, mode="live", publish=False)
        async with app.database.connection() as conn, conn.transaction():
            run_id = await digests.published_run_id(conn, order.topic.topic_id, order.day)
            if run_id is None:
                raise UsageError(f"{slug} has posted nothing for {order.day}; --publish posts it")
            await digest.correct(conn, order.topic, run_id, app.channels)
        await _digests.drain(app, StageName.PUBLISH)
    return run_id
