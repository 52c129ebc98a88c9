"""`scoop acceptance`: whether Scoop can take over from an older system."""

import shutil
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.core.acceptance import Check
    from scoop.core.handover import ComparisonFigures
    from scoop.model import Topic
    from scoop.store.db import Connection

WEEK = timedelta(days=7)


@click.command()
@console.as_json
@click.pass_obj
def command(config: Config, as_json: bool) -> None:
    """Check all that must hold before an older system is switched off.

    What cannot be judged yet is n/a. The exit code is 0 only if nothing fails.

    \b
    Examples:
      scoop acceptance
      scoop acceptance --json
    """
    found = runtime.run(_checks(config))
    if as_json:
        console.print_json(found)
    else:
        console.print_table(
            ("", "check", "found"), [(each.outcome, each.check, each.figure) for each in found], empty=""
        )
    sys.exit(1 if any(each.outcome == "fail" for each in found) else 0)


async def _checks(config: Config) -> "list[Check]":
    from scoop.core import acceptance as core
    from scoop.store import acceptance, topics

    async with runtime.open_connection(config) as conn:
        known = await topics.list_topics(conn)
        compared = [await _figures(conn, topic) for topic in known]
        counts = await acceptance.get_counts(conn)
    programs = {topic.topic_slug: shutil.which(topic.legacy_command[0]) for topic in known if topic.legacy_command}
    return core.checks(counts, compared, programs)


async def _figures(conn: "Connection", topic: "Topic") -> "ComparisonFigures":
    """How the last week of a topic compares with the older system's."""
    from scoop.core import handover
    from scoop.store import handover as store

    until = await store.get_last_date(conn, topic.topic_id)
    if until is None:
        return handover.ComparisonFigures()
    sides = await store.list_sides(conn, topic, since=until - WEEK, until=until)
    return handover.compare(topic.topic_slug, sides, since=until - WEEK).figures
