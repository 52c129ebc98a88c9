"""`scoop lessons`: texts for learners of English."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import _lesson_measure, _texts, console, runtime, usage
from scoop.config import Config
from scoop.errors import Conflict, NotFound
from scoop.model import LEVELS, Level

if TYPE_CHECKING:
    from scoop.actions.listening import UpdateResult
    from scoop.model import Lesson
    from scoop.store.db import Connection
    from scoop.store.lessons import LessonState
    from scoop.store.reads.lessons import LessonRow

COLUMNS = ("article", "level", "state", "measured", "words", "findings", "model", "made", "title", "problem")
LEVEL = click.Choice(LEVELS, case_sensitive=False)
DATE = click.DateTime(formats=["%Y-%m-%d"])


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Texts for learners of English: list, show, make, choose, measure.

    ID is the art_ id or URL of an article, or the number or UUID of an event.

    \b
    Examples:
      scoop lessons list --state failed
      scoop lessons show art_0123456789abcdef0123456789abcdef --level A2
      scoop lessons make https://tribune.example/harbour --level B1
      scoop lessons choose
      scoop lessons measure text.txt --level B1
    """


command.add_command(_lesson_measure.command)


@command.command("list")
@click.option("--state", type=click.Choice(["pending", "made", "failed"]), help="Only those in this state.")
@click.option("--level", type=LEVEL, help="Only those of this level.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def list_(config: Config, state: "LessonState | None", level: Level | None, limit: int, as_json: bool) -> None:
    """List the lessons that were asked for, the latest first.

    \b
    Examples:
      scoop lessons list
      scoop lessons list --level A2 --state failed
    """
    found = runtime.run(_list(config, state, level, limit))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        COLUMNS,
        [_row(lesson) for lesson in found],
        empty="nobody asked for such a lesson; `scoop lessons make ID` does",
        cut="title",
        whole=["article"],
    )


async def _list(config: Config, state: "LessonState | None", level: Level | None, limit: int) -> "list[LessonRow]":
    from scoop.store.reads import lessons as reads

    async with runtime.open_connection(config) as conn:
        return await reads.list_rows(conn, state=state, level=level, limit=limit)


def _row(lesson: "LessonRow") -> Sequence[object]:
    made = (lesson.measured_level, lesson.word_count, lesson.finding_count, lesson.model, lesson.created_at)
    return (lesson.article_id, lesson.level, lesson.state, *made, lesson.title, lesson.problem)


@command.command()
@click.argument("name", metavar="ID", type=console.REFERENCE)
@click.option("--level", type=LEVEL, help="Only the lesson of this level.")
@console.as_json
@click.pass_obj
def show(config: Config, name: str, level: Level | None, as_json: bool) -> None:
    """Show the lessons of an article or an event, the easiest first.

    \b
    Examples:
      scoop lessons show https://tribune.example/harbour
      scoop lessons show 31 --level B1 --json
    """
    found = runtime.run(_lessons(config, name, level))
    if as_json:
        console.print_json(found)
        return
    for lesson in found:
        _print(lesson)


async def _lessons(config: Config, name: str, level: Level | None) -> "list[Lesson]":
    from scoop.store import lessons

    async with runtime.open_connection(config) as conn:
        subject = await _texts.find_subject(conn, name, is_document=False)
        by_subject = await lessons.list_by_subject(conn, subject.kind, [subject.subject_id], level=level)
    if not by_subject:
        raise NotFound("there is no such lesson yet; `scoop lessons make ID --level LEVEL` makes it")
    return by_subject[subject.subject_id]


def _print(lesson: "Lesson") -> None:
    measured = f"measured {lesson.measured_level} ({lesson.score:.2f})"
    made = f"{lesson.provider} {lesson.model}, prompt {lesson.prompt_version}, {lesson.disclaimer_id}"
    head = (
        f"{lesson.public_id}: {lesson.word_count} words, {measured}, {console.format_time(lesson.created_at)} ({made})"
    )
    click.secho(head, bold=True)
    click.echo(lesson.lesson_text)
    for finding in lesson.findings:
        click.secho(f"  {finding.kind.replace('_', ' ')}: {finding.message}", dim=True)
    click.echo()


@command.command()
@click.argument("name", metavar="ID", type=console.REFERENCE)
@click.option("--level", "levels", type=LEVEL, multiple=True, help="The level; several are possible. Default: all.")
@console.as_json
@click.pass_obj
def make(config: Config, name: str, levels: tuple[Level, ...], as_json: bool) -> None:
    """Make the lessons of an article or an event now, and print them; one that exists is kept.

    \b
    Examples:
      scoop lessons make https://tribune.example/harbour --level A2
      scoop lessons make 31 --level A1 --level B1 --json
    """
    made = runtime.run_logged(config, _make(config, name, levels or LEVELS))
    if as_json:
        console.print_json(made)
        return
    for lesson in made:
        _print(lesson)


async def _make(config: Config, name: str, levels: Sequence[Level]) -> "list[Lesson]":
    async with runtime.open_connection(config) as conn:
        subject = await _texts.find_subject(conn, name, is_document=False)
    return [await _make_one(config, subject, level) for level in levels]


async def _make_one(config: Config, subject: _texts.TextSubject, level: Level) -> "Lesson":
    from scoop.core.briefs.lesson import LANGUAGE
    from scoop.store import briefs, lessons

    async def ask(conn: "Connection") -> int:
        wanted = {subject.subject_id: LANGUAGE}
        (brief_id,) = await briefs.ask(conn, "lesson", subject.kind, wanted, level=level)
        return brief_id

    async with runtime.open_connection(config) as conn:
        if known := await lessons.find(conn, subject.kind, subject.subject_id, level):
            return known
    state = await _texts.write_now(config, ask)
    async with runtime.open_connection(config) as conn:
        made = await lessons.find(conn, subject.kind, subject.subject_id, level)
    if made is None:
        raise Conflict(f"{level}: {state.problem or state.work_error or 'another worker has not finished it'}")
    return made


@command.command()
@click.option("--date", "day", type=DATE, help="A date in Japan, as 2026-11-18; default: today.")
@click.option("--limit", type=click.IntRange(1, 10), default=10, show_default=True, help="The most new articles.")
@console.as_json
@click.pass_obj
def choose(config: Config, day: datetime | None, limit: int, as_json: bool) -> None:
    """Choose articles for learners now, the best of a date; a worker makes their lessons.

    The workers do it once a day, at midnight in Japan.

    \b
    Examples:
      scoop lessons choose
      scoop lessons choose --date 2026-11-18 --limit 5
    """
    result = runtime.run(_choose(config, day.date() if day else None, limit))
    if as_json:
        console.print_json(result)
        return
    state = result.state
    click.echo(
        f"{state.last_run_date_jst}: {result.saved} articles chosen, {result.skipped_duplicates} duplicates skipped; "
        f"{state.saved} on that date"
    )
    if state.error:
        click.echo(state.error)


async def _choose(config: Config, day: date | None, limit: int) -> "UpdateResult":
    from scoop.actions import listening
    from scoop.app import lesson_policy

    now = datetime.now(UTC)
    async with runtime.open_connection(config) as conn:
        return await listening.update(
            conn, lesson_policy(config), day=day or listening.today(now), now=now, limit=limit
        )
