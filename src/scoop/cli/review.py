"""`scoop review`: stories that may be one, and what people decide about them."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime, usage, why
from scoop.config import Config
from scoop.core import text

if TYPE_CHECKING:
    from scoop.model import Decision
    from scoop.store.review import GrayPair, PairDocument

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
    """Decide on stories that may be one: list, merge, keep apart, split, undo.

    Without a command it lists undecided pairs of stories that probably cover one event, with their two best-linked
    documents side by side. The most important come first: covered by many publishers, with a probability near one
    half, and seen lately (the weight halves every week).

    A decision binds every later run until it is undone. STORY is a number or a UUID, DOCUMENT a number, an art_ id or a
    URL.

    \b
    Examples:
      scoop review                            the pairs that wait for you
      scoop review merge 12 17                they are one story
      scoop review apart 12 17                they are not, and never will be
      scoop review split 4711 4712            these documents are a story of their own
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
@with_note
@console.as_json
@click.pass_obj
def split(config: Config, documents: tuple[str, ...], note: str, as_json: bool) -> None:
    """Split documents off their story into a story of their own.

    A URL or art_ id may name several documents: all of them are split off.

    \b
    Examples:
      scoop review split 4711
      scoop review split 4711 4712 --note "about the other bridge"
    """
    runtime.run(_split(config, documents, note, as_json=as_json))


@command.command()
@click.argument("decision", type=console.ID)
@console.as_json
@click.pass_obj
def undo(config: Config, decision: int, as_json: bool) -> None:
    """Undo a decision, by its number in the log.

    Documents that it moved go back; then the rules decide again, as if there had been no decision.

    \b
    Examples:
      scoop review undo 3
    """
    runtime.run(_undo(config, decision, as_json=as_json))


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
    click.echo(f"  scoop review merge {one.story_id} {other.story_id}")
    click.echo(f"  scoop review apart {one.story_id} {other.story_id}\n")


def _told(side: "PairDocument") -> Sequence[str]:
    return (
        text.one_line(side.title),
        text.one_line(f"{side.source}, {side.seen_at:%Y-%m-%d}, document {side.document_id}"),
        f"{side.item_count} in its story, {side.publisher_family_count} independent",
    )


async def _decide(config: Config, action: str, names: Sequence[str], note: str, *, as_json: bool) -> None:
    from scoop.store import review

    decide = {"merge": review.merge, "keep_apart": review.keep_apart}[action]
    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await decide(conn, *names, note=note)
    _tell(decision, as_json=as_json)


async def _split(config: Config, names: Sequence[str], note: str, *, as_json: bool) -> None:
    from scoop.store import review
    from scoop.store.reads import decisions as decision_reads

    async with runtime.open_connection(config) as conn, conn.transaction():
        found = [await decision_reads.explain_documents(conn, name, why.url_hash(name)) for name in names]
        ids = {explanation.document["document_id"] for named in found for explanation in named}
        decision = await review.split(conn, ids, note=note)
    _tell(decision, as_json=as_json)


async def _undo(config: Config, decision_id: int, *, as_json: bool) -> None:
    from scoop.store import review

    async with runtime.open_connection(config) as conn, conn.transaction():
        decision = await review.undo(conn, decision_id)
    _tell(decision, as_json=as_json)


def _tell(decision: "Decision", *, as_json: bool) -> None:
    from scoop.actions import review

    if as_json:
        console.print_json(decision)
        return
    click.echo(f"{review.sentence(decision)} (decision {decision.decision_id})")
    if decision.undone_at is None:
        click.echo(f"to undo it: scoop review undo {decision.decision_id}")
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
