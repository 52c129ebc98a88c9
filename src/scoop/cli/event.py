"""`scoop event`: one event with its summary, stories and documents."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.core.display_names import counted, outlet_name

if TYPE_CHECKING:
    from scoop.store.reads.event_summaries import EventDetail, EventStory, EventSummary, RelatedSummary
    from scoop.store.reads.summaries import SummaryReport

SHOWN_SIGNS = {"cosine": "cosine", "title_terms": "title", "body_terms": "text", "names": "names"}


@click.command()
@click.argument("event", metavar="ID", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def command(config: Config, event: str, as_json: bool) -> None:
    """Show one event with its summary, stories and documents.

    ID is the number that `scoop events` shows, the event's UUID, or that of a story: it leads to the
    event that the story is in, or to the one that it founded while that exists. A merged event is shown as the one that
    it became part of.

    The tables say why: `linked` is the mean probability that a story reports the same as the others of the event;
    `match` is what put a document into its story, which `scoop why DOCUMENT` explains. Related events are linked, but
    too weakly to be the same.

    \b
    Examples:
      scoop event 12
      scoop event 0d0e7c5e-8f0b-4bd5-9f8e-3f6f2f0f6a10 --json
    """
    detail = runtime.run(_get(config, event))
    _report_merge(event, detail.event)
    if as_json:
        console.print_json(detail)
    else:
        _print(detail)


async def _get(config: Config, name: str) -> "EventDetail":
    from scoop import app
    from scoop.store.reads import event_summaries

    policy = app.summary_policy(config)
    async with runtime.open_connection(config) as conn, conn.transaction(readonly=True):
        return await event_summaries.get_detail(
            conn, name, now=datetime.now(UTC), languages_of=lambda collection: (policy.language_of(collection),)
        )


def _report_merge(name: str, event: "EventSummary") -> None:
    from scoop.core import ids

    if ids.parse_number(name) != event.event_id and ids.parse_uuid(name) != event.event_uuid:
        click.echo(f"{name} is part of event {event.event_id}", err=True)


def _print(detail: "EventDetail") -> None:
    event = detail.event
    click.secho(event.title, bold=True)
    click.echo(event.url or "no URL")
    click.echo(
        f"event {event.event_id} ({event.event_uuid}) in {event.collection}, {event.status}: "
        f"{counted(event.outlet_count, 'outlet')}, {event.publisher_family_count} independent; "
        f"{counted(event.item_count, 'document')}, {counted(event.story_count, 'story', 'stories')}; "
        f"{', '.join(event.languages)}"
    )
    click.echo(
        f"first seen {console.format_time(event.first_seen_at)}, last seen {console.format_time(event.last_seen_at)}, "
        f"developed {console.format_time(event.developed_at)}"
    )
    if event.topics:
        click.echo(f"topics: {', '.join(event.topics)}")
    for digest in detail.digests:
        click.echo(f"in the digest of {digest.topic_slug} for {digest.run_date}")
    _print_summary(detail.summary)
    console.print_table(
        ("story", "last seen", "docs", "independent", "linked", "title"),
        [_story_row(story) for story in detail.stories],
        empty="no stories",
        cut="title",
    )
    console.print_table(
        ("publisher", "document", "seen", "source", "lang", "story", "match", "title"),
        list(_document_rows(detail)),
        empty="no documents",
        cut="title",
    )
    if detail.related:
        click.echo("related events, the most probable first:")
        columns = ("event", "last seen", "independent", "probability", *SHOWN_SIGNS.values(), "title")
        console.print_table(columns, [_related_row(related) for related in detail.related], empty="", cut="title")


def _print_summary(summary: "SummaryReport") -> None:
    """The summary with the numbers of its sources, and the sources; or why there is none."""
    from scoop.core import summaries, text

    if summary.state == "summary_failed":
        next_try = f"; next try {console.format_time(summary.next_try_at)}" if summary.next_try_at else ""
        click.echo(f"summary not generated: {text.one_line(summary.problem or '')}{next_try}")
    if summary.text is None:
        return
    click.echo(f"\n{text.readable(summaries.numbered_text(summary.sentences))}\n")
    for source in summary.sources:
        outlet = outlet_name(source.source, source.source_name)
        click.echo(f"[{source.number}] {outlet} {source.url or ''}".rstrip())
    written_by = "extract" if summary.disclaimer_id == "extract" else f"model {summary.model}"
    click.echo(f"summary of {counted(len(summary.sources), 'article')}, {written_by}. {summary.disclaimer}\n")


def _story_row(story: "EventStory") -> tuple[object, ...]:
    linked = "alone" if story.centrality is None else f"{story.centrality:.2f}"
    return (story.story_id, story.last_seen_at, story.item_count, story.publisher_family_count, linked, story.title)


def _document_rows(detail: "EventDetail") -> Iterator[tuple[object, ...]]:
    """The documents by publisher, the first to report first; its name is in the first row of each."""
    documents = detail.documents
    name_by_family = {outlet.publisher_family: outlet.publisher_name for outlet in detail.event.outlets}
    publishers = list(dict.fromkeys(document.publisher_family for document in documents))
    place = {publisher: number for number, publisher in enumerate(publishers)}
    by_publisher = sorted(documents, key=lambda document: place[document.publisher_family])
    for publisher, own in groupby(by_publisher, key=lambda document: document.publisher_family):
        for number, document in enumerate(own):
            source = outlet_name(document.source, document.source_name)
            about = (source, document.language, document.story_id, document.match_type, document.title)
            name = "" if number else name_by_family.get(publisher, publisher)
            yield (name, document.document_id, document.seen_at, *about)


def _related_row(related: "RelatedSummary") -> tuple[object, ...]:
    event = related.event
    signs = (f"{related.signs[name]:.2f}" for name in SHOWN_SIGNS)
    probability = f"{related.probability:.2f}"
    return (event.event_id, event.last_seen_at, event.publisher_family_count, probability, *signs, event.title)
