"""`scoop legacy`: move over from an older system."""

import shlex
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import _legacy_diff, console, runtime, usage
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.actions.handover import ProgramResult
    from scoop.actions.handover_import import FileImport
    from scoop.core.handover_lines import LineKind
    from scoop.core.handover_modes import Modes
    from scoop.model import Topic
    from scoop.store.handover import LeaveState, Standing

SHOWN_REFUSALS = 20


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Move over from an older system: import, compare, switch, fall back.

    \b
    Examples:
      scoop legacy import posted-*.jsonl seen.jsonl.gz
      scoop legacy shadow ai_news
      scoop legacy diff --topic ai_news --days 3
      scoop legacy cutover ai_news
      scoop legacy rollback ai_news --run-now
    """


command.add_command(_legacy_diff.command, "diff")


@command.command(name="import")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--topic", "slug", metavar="SLUG", help="The topic of all lines (default: the topic that each line names)."
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["dedup", "digests"]),
    help="The content of the files (default: detected from their lines).",
)
@console.as_json
@click.pass_obj
def import_(config: Config, paths: tuple[Path, ...], slug: str | None, kind: "LineKind | None", as_json: bool) -> None:
    """Import the items that an older system has seen and posted.

    Each FILE holds one JSON object per line; gzip is recognised. A dedup file has one item a line: any of url, link or
    canonical_url, title or headline, id or hash, and a time. A file of digests has one digest a line, {"topic", "date",
    "posted_at", "items": [{"title", "url", "source"}]}, or one item a line with topic and date. Bad lines are reported
    with their number, the others are imported; importing a file again adds nothing.

    Items posted in the last three days count as published: digests of Scoop do not repeat them.

    \b
    Examples:
      scoop legacy import posted-*.jsonl
      scoop legacy import seen_ai.jsonl.gz --topic ai_news --as dedup
    """
    imports = runtime.run(_import(config, paths, slug, kind))
    if as_json:
        console.print_json(imports)
    else:
        rows = [(file.file, file.kind, file.items, file.new, len(file.refused)) for file in imports]
        console.print_table(("file", "content", "items", "new", "refused"), rows, empty="")
    for file in imports:
        _report_refused(file)
    sys.exit(1 if any(file.refused for file in imports) else 0)


def _report_refused(imported: "FileImport") -> None:
    for refused in imported.refused[:SHOWN_REFUSALS]:
        click.echo(f"scoop: {imported.file}:{refused.line}: {refused.reason}", err=True)
    if (rest := len(imported.refused) - SHOWN_REFUSALS) > 0:
        click.echo(f"scoop: {imported.file}: {rest:,} more lines were refused; --json lists them all", err=True)


async def _import(
    config: Config, paths: tuple[Path, ...], slug: str | None, kind: "LineKind | None"
) -> "list[FileImport]":
    from scoop.actions import handover_import
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        all_topics = await topics.list_topics(conn)
        of_all = await topics.by_slug(conn, slug) if slug else None
        imports: list[FileImport] = []
        for path in paths:
            async with conn.transaction():
                names = handover_import.Names(topics=all_topics, of_all=of_all)
                imports.append(await handover_import.keep(conn, path, names, kind=kind))
    return imports


@command.command()
@console.as_json
@click.pass_obj
def status(config: Config, as_json: bool) -> None:
    """Show which system posts each topic, and the last digests of both.

    \b
    Example:
      scoop legacy status
    """
    states = runtime.run(_status(config))
    if as_json:
        console.print_json(states)
        return
    console.print_table(
        ("topic", "mode", "posted by", "gathered", "program", "after", "last of older", "last of ours", "last shadow"),
        [
            (
                state["topic_slug"],
                state["mode"],
                state["posted_by"],
                "yes" if state["is_gathered"] else "no",
                shlex.join(state["legacy_command"] or []) or None,
                _minutes(state["legacy_deadline"]),
                state["last_legacy"],
                state["last_posted"],
                state["last_shadow"],
            )
            for state in states
        ],
        empty="there are no topics",
        cut="program",
    )


async def _status(config: Config) -> list[dict[str, Any]]:
    from scoop.app import modes
    from scoop.store import handover, topics

    async with runtime.open_connection(config) as conn:
        all_topics, standings = await topics.list_topics(conn), await handover.list_standings(conn)
    return [_state(topic, modes(config).of(topic), standings[topic.topic_id]) for topic in all_topics]


def _state(topic: "Topic", modes: "Modes", standing: "Standing") -> dict[str, Any]:
    return {
        "topic_slug": topic.topic_slug,
        "mode": modes.mode,
        "posted_by": "scoop" if modes.posts else "older system",
        "is_gathered": modes.write_raw_ledger,
        "legacy_command": topic.legacy_command,
        "legacy_deadline": topic.legacy_deadline,
        "last_legacy": standing.last_legacy,
        "last_posted": standing.last_posted,
        "last_shadow": standing.last_shadow,
    }


def _minutes(deadline: timedelta | None) -> str | None:
    return None if deadline is None else f"{deadline // timedelta(minutes=1)}m"


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def shadow(config: Config, slug: str, as_json: bool) -> None:
    """Build a topic's digests for comparison only; the older system posts.

    \b
    Example:
      scoop legacy shadow ai_news
    """
    _check_unwritten(config, slug, "mode")
    runtime.run(_shadow(config, slug))
    if as_json:
        console.print_json({"topic_slug": slug, "mode": "shadow"})
        return
    click.echo(f"Scoop builds the digests of {slug} without posting them; keep the older system running")
    click.echo(f"to compare, after each import of its posts: scoop legacy diff --topic {slug}")


async def _shadow(config: Config, slug: str) -> None:
    from scoop.actions import handover

    async with runtime.open_connection(config) as conn, conn.transaction():
        await handover.shadow(conn, slug)


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def cutover(config: Config, slug: str, as_json: bool) -> None:
    """Post a topic with Scoop, from its next digest on.

    Scoop does not post the last digest that was due: the older system has posted it.

    \b
    Example:
      scoop legacy cutover ai_news
    """
    _check_unwritten(config, slug, "mode", "publish_v2")
    topic, left = runtime.run(_cut_over(config, slug))
    following = _next_due(topic)
    if as_json:
        console.print_json(
            {"topic_slug": slug, "mode": "prod", "publish_v2": True, "left": left, "next_due_at": following}
        )
        return
    if left:
        click.echo(f"the digest of {left} is left to the older system")
    click.echo(f"Scoop posts {slug} from {following:%Y-%m-%d %H:%M} ({topic.timezone}) on; stop the older system's job")
    if topic.legacy_command and topic.legacy_deadline:
        after = _minutes(topic.legacy_deadline)
        click.echo(f"if a digest is {after} late, this program posts it instead: {shlex.join(topic.legacy_command)}")
    else:
        click.echo(f"to let the older system post late digests: scoop legacy command {slug} --deadline 30m -- PROGRAM")


async def _cut_over(config: Config, slug: str) -> "tuple[Topic, date | None]":
    from scoop.actions import handover
    from scoop.app import modes
    from scoop.store import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        left = await handover.cut_over(conn, slug, modes(config), now=datetime.now(UTC))
        return await topics.by_slug(conn, slug), left


def _next_due(topic: "Topic") -> datetime:
    from scoop.core import digest_windows, schedules

    latest = digest_windows.latest(topic.digest_cron, topic.timezone, datetime.now(UTC))
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, digest_windows.following(topic.digest_cron, latest))
    assert due is not None  # noqa: S101 - the cron itself named the date
    return due.astimezone(schedules.zone(topic.timezone))


@command.command()
@click.argument("slug", metavar="TOPIC")
@click.option("--run-now", is_flag=True, help="Run the older system's program if the last digest was not posted.")
@console.as_json
@click.pass_obj
def rollback(config: Config, slug: str, run_now: bool, as_json: bool) -> None:
    """Return a topic to the older system, at once.

    Unsent posts of Scoop's last digest are dropped. --run-now makes the older system post that digest now, unless any
    post of Scoop may have arrived.

    \b
    Examples:
      scoop legacy rollback ai_news
      scoop legacy rollback ai_news --run-now
    """
    _check_unwritten(config, slug, "mode", "publish_v2")
    topic, day, leaving, ended = runtime.run(_roll_back(config, slug, run_now=run_now))
    if as_json:
        run = {"date": day, "whose": leaving, "exit_code": ended.exit_code if ended else None}
        console.print_json({"topic_slug": slug, "mode": "shadow", "publish_v2": False, **run})
    else:
        click.echo(f"the older system posts {slug} from now on; start its job again")
        click.echo(_next_step(topic, day, leaving, ended))
    sys.exit(1 if ended and ended.exit_code else 0)


async def _roll_back(
    config: Config, slug: str, *, run_now: bool
) -> "tuple[Topic, date, LeaveState | None, ProgramResult | None]":
    from scoop.actions import handover
    from scoop.app import modes
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        topic = await topics.by_slug(conn, slug)
        if run_now and not topic.legacy_command:
            raise UsageError(f"{slug} has no program to run; set one: scoop legacy command {slug} -- PROGRAM ARG...")
        async with conn.transaction():
            day, leaving = await handover.roll_back(conn, slug, modes(config), now=datetime.now(UTC))
        is_run = run_now and leaving == "left"
        ended = await handover.run_left(conn, topic, day, handover.run_program) if is_run else None
    return topic, day, leaving, ended


def _next_step(topic: "Topic", day: date, leaving: "LeaveState | None", ended: "ProgramResult | None") -> str:
    """The state of the last digest that was due, and what to do about it."""
    if leaving == "posted":
        return f"the digest of {day} was posted by Scoop"
    if leaving == "uncertain":
        return f"parts of the digest of {day} may have arrived; check the channel, then `scoop posts held`"
    if leaving == "legacys":
        return f"the digest of {day} was left to the older system"
    if leaving is None:
        return "no digest of Scoop is due"
    if ended is not None:
        result = f"failed with exit code {ended.exit_code}: {ended.error}" if ended.exit_code else "has posted it"
        return f"the digest of {day} was not posted by Scoop; the older system's program {result}"
    program = shlex.join(topic.legacy_command or ["PROGRAM"])
    return f"the digest of {day} is not posted; to post it: NP_TOPIC={topic.topic_slug} NP_DATE={day} {program}"


@command.command(name="command")
@click.argument("slug", metavar="TOPIC")
@click.argument("program", metavar="[-- PROGRAM ARG...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--deadline", metavar="TIME", help="Run it when a digest is this late, as 30m.")
@click.option("--forget", is_flag=True, help="Remove the program.")
@console.as_json
@click.pass_obj
def command_(
    config: Config, slug: str, program: tuple[str, ...], deadline: str | None, forget: bool, as_json: bool
) -> None:
    """Set the program of the older system that posts a topic.

    It runs without a shell, with PATH, HOME, LANG, NP_TOPIC and NP_DATE, for at most 5 minutes and at most once per
    date: when a digest of Scoop is late by the deadline and no part of it may have arrived, or by
    `scoop legacy rollback TOPIC --run-now`. Without a deadline it runs only by that command.

    \b
    Examples:
      scoop legacy command ai_news --deadline 30m -- /opt/news/post.sh --topic ai
      scoop legacy command ai_news --forget
    """
    if bool(program) == forget:
        raise UsageError("give a program after --, or --forget")
    _check_unwritten(config, slug, "legacy_command", "legacy_deadline")
    if program:
        _check_program(program[0])
    after = _deadline(deadline) if deadline else None
    runtime.run(_set_program(config, slug, list(program) or None, after))
    if as_json:
        console.print_json({"topic_slug": slug, "legacy_command": program or None, "legacy_deadline": after})
    elif forget:
        click.echo(f"program of {slug} removed")
    else:
        when = f"when a digest is {_minutes(after)} late" if after else f"by scoop legacy rollback {slug} --run-now"
        click.echo(f"{shlex.join(program)} runs {when}")


def _check_program(name: str) -> None:
    import shutil

    if "\0" in name or shutil.which(name) is None:
        raise UsageError(f"{name!r} cannot be run; give the full path of an executable program")


def _deadline(value: str) -> timedelta:
    from scoop.core import schedules
    from scoop.stages.digest import CATCH_UP_WITHIN

    try:
        deadline = schedules.interval(value)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if deadline >= CATCH_UP_WITHIN:
        raise UsageError(f"a digest is given up {CATCH_UP_WITHIN} after its time; the deadline must be shorter")
    return deadline


async def _set_program(config: Config, slug: str, program: list[str] | None, after: timedelta | None) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        topic = await topics.lock(conn, slug)
        await topics.put(conn, replace(topic, legacy_command=program, legacy_deadline=after))


def _check_unwritten(config: Config, slug: str, *names: str) -> None:
    """UsageError for a setting that scoop.toml sets: the file would overwrite the change."""
    written = [name for table in config.topics if table.get("slug") == slug for name in names if name in table]
    if written:
        raise UsageError(
            f"scoop.toml sets the {written[0]} of {slug} and has precedence; change it there, or remove it there first"
        )
