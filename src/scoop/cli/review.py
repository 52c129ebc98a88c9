"""`scoop review`: stories that may be one, and what people decide about them."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime, usage, why
from scoop.config import Config
from scoop.core import display_names, text

if TYPE_CHECKING:
    from scoop.model import Decision
    from scoop.store.db import Connection
    from scoop.store.pair_answers import PairAnswer
    from scoop.store.review_queue import GrayPair, PairDocument

WIDTH = 80  # columns if the output is not a terminal
WIDEST = 120

in_collection = click.option("--collection", help="Only this collection, as ai_news.")
with_note = click.option("--note", default="", metavar="TEXT", help="The reason, for the log.")


@click.group(cls=usage.CommandGroup, invoke_without_command=True)
@in_collection
@click.option("--limit", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many at most.")
@console.as_json
@click.pass_context
def command(ctx: click.Context, collection: str | None, limit: int, as_json: bool) -> None:
    """Decide on stories that may be one: list, merge, put together, keep apart, split, move, undo.

    Without a command it lists undecided pairs of stories that probably cover one event, with their two best-linked
    documents side by side. The most important come first: covered by many publishers, with a probability near one
    half, and seen lately (the weight halves every day). Two stories of one publisher, and two that got nothing new for
    three days, are left out. If the task same_event has a writer, a model's answer follows each pair.

    A decision binds every later run until it is undone. STORY and EVENT are a number or a UUID, DOCUMENT a number, an
    art_ id or a URL.

    \b
    Examples:
      scoop review                            the pairs that wait for you
      scoop review merge 12 17                they are one story
      scoop review together 12 17             they are two stories of one event
      scoop review apart 12 17                they are not, and never will be
      scoop review split 4711 4712            these documents are a story of their own
      scoop review split --each 4711 4712     each of these documents is
      scoop review move 12 31                 story 12 belongs to event 31
      scoop review log                        what was decided
      scoop review undo 3                     take decision 3 back
    """
    if ctx.invoked_subcommand is None:
        runtime.run(_list(ctx.obj, collection, limit, as_json=as_json))


@command.command()
@click.argument("story", type=console.REFERENCE)
@click.argument("other", metavar="STORY", type=console.REFERENCE)
@with_note
@console.as_json
@click.pass_obj
def merge(config: Config, story: str, other: str, note: str, as_json: bool) -> None:
    """Merge two stories; the younger becomes part of the older.

    \b
    Examples:
      scoop review merge 12 17
      scoop review merge 12 17 --note "the same press release"
    """
    runtime.run(_decide(config, "merge", [story, other], note, as_json=as_json))


@command.command()
@click.argument("story", type=console.REFERENCE)
@click.argument("other", metavar="STORY", type=console.REFERENCE)
@with_note
@console.as_json
@click.pass_obj
def together(config: Config, story: str, other: str, note: str, as_json: bool) -> None:
    """Show two stories as one event; both stay stories.

    \b
    Examples:
      scoop review together 12 17
      scoop review together 12 17 --note "the vote and the first reactions"
    """
    runtime.run(_decide(config, "put_together", [story, other], note, as_json=as_json))


@command.command()
@click.argument("story", type=console.REFERENCE)
@click.argument("other", metavar="STORY", type=console.REFERENCE)
@with_note
@console.as_json
@click.pass_obj
def apart(config: Config, story: str, other: str, note: str, as_json: bool) -> None:
    """Keep two stories apart: no run merges them or shows them together.

    \b
    Examples:
      scoop review apart 12 17
      scoop review apart 12 17 --note "two different bridges"
    """
    runtime.run(_decide(config, "keep_apart", [story, other], note, as_json=as_json))


@command.command()
@click.argument("documents", metavar="DOCUMENT...", nargs=-1, required=True, type=console.REFERENCE)
@click.option("--each", is_flag=True, help="Into a story of its own each, instead of one for all.")
@with_note
@console.as_json
@click.pass_obj
def split(config: Config, documents: tuple[str, ...], each: bool, note: str, as_json: bool) -> None:
    """Split documents off their story into a story of their own.

    A URL or art_ id may name several documents: all of them are split off. With --each every document is a decision, so
    that each can be undone; if all documents of the story are named, the one that represents it stays.

    \b
    Examples:
      scoop review split 4711
      scoop review split 4711 4712 --note "about the other bridge"
      scoop review split --each https://blog.example/
    """
    runtime.run((_split_each if each else _split)(config, documents, note, as_json=as_json))


@command.command()
@click.argument("story", type=console.REFERENCE)
@click.argument("event", type=console.REFERENCE, required=False)
@with_note
@console.as_json
@click.pass_obj
def move(config: Config, story: str, event: str | None, note: str, as_json: bool) -> None:
    """Move a story to another event or, without EVENT, to an event of its own.

    No run brings it back to the stories that it leaves.

    \b
    Examples:
      scoop review move 12 31
      scoop review move 12 --note "another storm"
    """
    runtime.run(_move(config, story, event, note, as_json=as_json))


@command.command()
@click.argument("story", type=console.REFERENCE)
@with_note
@console.as_json
@click.pass_obj
def lead(config: Config, story: str, note: str, as_json: bool) -> None:
    """Let a story lead its event; undo the decision to let the rule choose again.

    \b
    Examples:
      scoop review lead 12
    """
    runtime.run(_lead(config, story, note, as_json=as_json))


@command.command()
@click.argument("event", type=console.REFERENCE)
@with_note
@console.as_json
@click.pass_obj
def suppress(config: Config, event: str, note: str, as_json: bool) -> None:
    """Hide an event with all its stories from readers; undo the decision to show it again.

    \b
    Examples:
      scoop review suppress 31 --note "an advertisement"
    """
    runtime.run(_suppress(config, event, note, as_json=as_json))


@command.command()
@click.argument("decisions", metavar="DECISION...", nargs=-1, required=True, type=console.ID)
@console.as_json
@click.pass_obj
def undo(config: Config, decisions: tuple[int, ...], as_json: bool) -> None:
    """Undo decisions, by their numbers in the log: all of them or none.

    Documents that one moved go back; then the rules decide again, as if there had been no decision.

    \b
    Examples:
      scoop review undo 3
      scoop review undo 3 4 5
    """
    runtime.run(_undo(config, decisions, as_json=as_json))


@command.command()
@in_collection
@click.option("--limit", type=click.IntRange(1, 100_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def log(config: Config, collection: str | None, limit: int, as_json: bool) -> None:
    """Decisions, the latest first.

    \b
    Examples:
      scoop review log
      scoop review log --collection ai_news --json
    """
    runtime.run(_log(config, collection, limit, as_json=as_json))


async def _list(config: Config, collection: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.actions import review

    async with runtime.open_connection(config) as conn:
        found = await review.gray_pairs(conn, collection=collection, limit=limit, now=datetime.now(UTC))
    if as_json:
        console.print_json(found)
        return
    if not found:
        click.echo("no pair awaits a decision", err=True)
    for pair in found:
        _show(pair)


def _show(pair: "GrayPair") -> None:
    """The two documents side by side, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    one, other = pair.one, pair.other
    click.secho(f"story {one.story_id} and story {other.story_id} in {pair.collection}", bold=True)
    click.echo(f"probability {pair.probability:.2f}, cosine {pair.cosine:.2f}, title overlap {pair.title_overlap:.2f}")
    terminal = Console(width=None if sys.stdout.isatty() else WIDTH)
    table = Table.grid(padding=(0, 2), expand=True)
    for _ in pair.one, pair.other:
        table.add_column(ratio=1, overflow="fold")
    for left, right in zip(_told(one), _told(other), strict=True):
        table.add_row(Text(left), Text(right))
    terminal.print(table, width=min(terminal.width, WIDEST))
    if pair.answer is not None:
        terminal.print(Text(_answer(pair.answer)), width=min(terminal.width, WIDEST))
    click.echo(f"  scoop review merge {one.story_id} {other.story_id}")
    click.echo(f"  scoop review together {one.story_id} {other.story_id}")
    click.echo(f"  scoop review apart {one.story_id} {other.story_id}\n")


def _answer(answer: "PairAnswer") -> str:
    from scoop.actions import review

    facts = [f"{each.fact}: {each.one} / {each.other}" for each in answer.differences]
    said = f"{answer.model} ({answer.prompt_version}): {review.VERDICTS[answer.verdict].lower()}. {answer.reason}"
    return "\n  ".join(text.one_line(line) for line in (said, *facts))


def _outlet(side: "PairDocument") -> str:
    return display_names.outlet_name(side.source, side.source_name)


def _told(side: "PairDocument") -> Sequence[str]:
    return (
        text.one_line(side.title),
        text.one_line(f"{_outlet(side)}, {side.seen_at:%Y-%m-%d}, document {side.document_id}"),
        f"{side.item_count} in its story, {side.publisher_family_count} independent",
    )


async def _decide(config: Config, action: str, names: Sequence[str], note: str, *, as_json: bool) -> None:
    from scoop.store import review

    decide = {"merge": review.merge, "put_together": review.put_together, "keep_apart": review.keep_apart}[action]
    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await decide(conn, *names, note=note)
    _tell([decision], decision if as_json else None)


async def _split(config: Config, names: Sequence[str], note: str, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await review.split(conn, await _named_documents(conn, names), note=note)
    _tell([decision], decision if as_json else None)


async def _move(config: Config, story: str, event: str | None, note: str, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        (decision,) = await review.move(conn, [story], event, note=note)
    _tell([decision], decision if as_json else None)


async def _lead(config: Config, story: str, note: str, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await review.choose_lead(conn, story, note=note)
    _tell([decision], decision if as_json else None)


async def _suppress(config: Config, event: str, note: str, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await review.suppress(conn, event, note=note)
    _tell([decision], decision if as_json else None)


async def _split_each(config: Config, names: Sequence[str], note: str, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decisions = await review.split_each(conn, await _named_documents(conn, names), note=note)
    _tell(decisions, decisions if as_json else None)


async def _named_documents(conn: "Connection", names: Sequence[str]) -> set[int]:
    """The numbers of the documents that these numbers, art_ ids and URLs name."""
    from scoop.store.reads import decisions as decision_reads

    found = [await decision_reads.explain_documents(conn, name, why.url_hash(name)) for name in names]
    return {explanation.document["document_id"] for named in found for explanation in named}


async def _undo(config: Config, decision_ids: Sequence[int], *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decisions = [await review.undo(conn, decision_id) for decision_id in decision_ids]
    as_one = decisions[0] if len(decisions) == 1 else decisions
    _tell(decisions, as_one if as_json else None)


def _tell(decisions: Sequence["Decision"], as_json: object | None) -> None:
    """Print decisions, as JSON if that is given."""
    from scoop.actions import review

    if as_json is not None:
        console.print_json(as_json)
        return
    for decision in decisions:
        click.echo(f"{review.sentence(decision)} (decision {decision.decision_id})")
    if decisions[0].undone_at is None:
        them = "it" if len(decisions) == 1 else "them"
        click.echo(f"to undo {them}: scoop review undo {' '.join(str(each.decision_id) for each in decisions)}")
    else:
        click.echo("the rules decide again in the next run: scoop run-once")


async def _log(config: Config, collection: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn:
        found = await review.list_decisions(conn, collection=collection, limit=limit)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("decision", "when", "by", "what", "story", "other", "undone", "title"),
        [
            (d.decision_id, d.decided_at, d.decided_by, d.action, d.story_id, d.other_story_id, d.undone_at, _about(d))
            for d in found
        ],
        empty="no decisions yet; `scoop review` lists the pairs that await one",
        cut="title",
    )


def _about(decision: "Decision") -> str:
    return f"{decision.title} ({decision.note})" if decision.note else decision.title
