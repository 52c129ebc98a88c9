"""`scoop summaries`: the summaries of events and articles."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from scoop.cli import _spans, _texts, console, runtime, usage
from scoop.config import Config
from scoop.errors import Conflict, NotFound

if TYPE_CHECKING:
    from scoop.actions.remaking import RemakeEstimate
    from scoop.model import Summary, SummaryState
    from scoop.store.db import Connection
    from scoop.store.reads.articles import ArticleRow
    from scoop.store.reads.summary_briefs import AskedSummary
    from scoop.store.summaries import SummarySubject

COLUMNS = ("id", "of", "state", "language", "model", "prompt", "made", "title", "problem")
NAMES_ARTICLE = "A number names an article, not an event."


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Summaries of events and articles: list, show, ask, redo, retry.

    ID is the number or UUID of an event, or the art_ id or URL of an article; with --document a number is that of an
    article.

    \b
    Examples:
      scoop summaries list --state summary_failed
      scoop summaries show 31
      scoop summaries ask 31 --language de --wait
      scoop summaries redo --since 7d --dry-run
      scoop summaries retry art_0123456789abcdef0123456789abcdef
    """


@command.command("list")
@click.option(
    "--state", type=click.Choice(["pending_summary", "summarized", "summary_failed"]), help="Only those in this state."
)
@click.option("--event", "subject_kind", flag_value="event", help="Only those of events.")
@click.option("--document", "subject_kind", flag_value="document", help="Only those of articles.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def list_(
    config: Config,
    state: "SummaryState | None",
    subject_kind: "SummarySubject | None",
    limit: int,
    as_json: bool,
) -> None:
    """List the summaries that were asked for, the latest first.

    \b
    Examples:
      scoop summaries list
      scoop summaries list --state summary_failed --event
    """
    found = runtime.run(_list(config, state, subject_kind, limit))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        COLUMNS,
        [_row(each) for each in found],
        empty="nobody asked for such a summary; `scoop summaries ask ID` does",
        cut="title",
        whole=["id"],
    )


async def _list(
    config: Config, state: "SummaryState | None", subject_kind: "SummarySubject | None", limit: int
) -> "list[AskedSummary]":
    from scoop.store.reads import summary_briefs as summary_reads

    async with runtime.open_connection(config) as conn:
        return await summary_reads.list_rows(conn, state=state, subject_kind=subject_kind, limit=limit)


def _row(each: "AskedSummary") -> Sequence[object]:
    name = each.subject_id if each.subject_kind == "event" else each.public_id
    language = each.language or each.asked_language or None
    made = (each.model, each.prompt_version, each.generated_at)
    return (name, each.subject_kind, each.state, language, *made, each.title, each.problem)


@command.command()
@click.argument("name", metavar="ID", type=console.REFERENCE)
@click.option("--document", "is_document", is_flag=True, help=NAMES_ARTICLE)
@console.as_json
@click.pass_obj
def show(config: Config, name: str, is_document: bool, as_json: bool) -> None:
    """Show the summaries of an event or an article: all versions, the newest first.

    \b
    Examples:
      scoop summaries show 31
      scoop summaries show https://tribune.example/harbour --json
    """
    found = runtime.run(_versions(config, name, is_document=is_document))
    if as_json:
        console.print_json(found)
        return
    for summary in found:
        _print(summary)


async def _versions(config: Config, name: str, *, is_document: bool) -> "list[Summary]":
    from scoop.store import summaries

    async with runtime.open_connection(config) as conn:
        subject = await _texts.find_subject(conn, name, is_document=is_document)
        found = await summaries.list_versions(conn, subject.kind, subject.subject_id)
        progress = (await summaries.list_progress(conn, subject.kind, [subject.subject_id]))[subject.subject_id]
    if not found:
        raise NotFound(f"there is no summary yet ({progress.problem or progress.state.replace('_', ' ')})")
    return found


def _print(summary: "Summary") -> None:
    head = f"version {summary.version}, {summary.language}, {console.format_time(summary.generated_at)}"
    made = f"{summary.provider} {summary.model}, prompt {summary.prompt_version}, {summary.disclaimer_id}"
    click.secho(f"{head} ({made}, confidence {summary.confidence:.2f})", bold=True)
    click.echo(f"{summary.summary_text}\n")
    if summary.left_out:
        click.echo(f"left out: {len(summary.left_out)}")
        for each in summary.left_out:
            click.echo(f"  “{each.text}”: {'; '.join(each.reasons)}")
        click.echo()


@command.command()
@click.argument("name", metavar="ID", type=console.REFERENCE)
@click.option("--document", "is_document", is_flag=True, help=NAMES_ARTICLE)
@click.option("--language", metavar="LANGUAGE", help="The language to write in, as de; default: that of the settings.")
@click.option("--wait", is_flag=True, help="Write it now, and print it.")
@console.as_json
@click.pass_obj
def ask(config: Config, name: str, is_document: bool, language: str | None, wait: bool, as_json: bool) -> None:
    """Ask for the summary of an event or an article; it is made once, however often it is asked for.

    \b
    Examples:
      scoop summaries ask 31
      scoop summaries ask 31 --language de --wait
    """
    if wait:
        summary = runtime.run_logged(config, _ask_and_wait(config, name, language, is_document=is_document))
        console.print_json(summary) if as_json else _print(summary)
        return
    subject = runtime.run(_ask(config, name, language, is_document=is_document))
    if as_json:
        console.print_json(subject)
    else:
        click.echo(f"asked for the summary of {subject.kind} {subject.subject_id}; a worker writes it")


async def _ask(config: Config, name: str, language: str | None, *, is_document: bool) -> _texts.TextSubject:
    async with runtime.open_connection(config) as conn:
        subject = await _texts.find_subject(conn, name, is_document=is_document)
        async with conn.transaction():
            await _ask_for(conn, subject, _language(config, language, subject))
    return subject


async def _ask_for(conn: "Connection", subject: _texts.TextSubject, language: str) -> int:
    from scoop.store import briefs

    (brief_id,) = await briefs.ask(conn, "summary", subject.kind, {subject.subject_id: language})
    return brief_id


def _language(config: Config, code: str | None, subject: _texts.TextSubject) -> str:
    from scoop.actions import translations
    from scoop.app import summary_policy

    if code is not None:
        return translations.check_language(code)
    return summary_policy(config).language_of(subject.collection)


async def _ask_and_wait(config: Config, name: str, code: str | None, *, is_document: bool) -> "Summary":
    from scoop.store import summaries

    async with runtime.open_connection(config) as conn:
        subject = await _texts.find_subject(conn, name, is_document=is_document)
    language = _language(config, code, subject)
    state = await _texts.write_now(config, lambda conn: _ask_for(conn, subject, language))
    if state.problem or state.work_state is not None:
        raise Conflict(f"not generated: {state.problem or state.work_error or 'another worker has not finished it'}")
    async with runtime.open_connection(config) as conn:
        found = await summaries.list_current(conn, subject.kind, [subject.subject_id], languages=[language])
    return found[subject.subject_id]


@command.command()
@click.option("--since", type=_spans.SPAN, required=True, help="Summaries made in this time, as 7d.")
@click.option("--prompt-version", metavar="VERSION", help="Only summaries that this version of the prompt made, as v1.")
@click.option("--dry-run", is_flag=True, help="Only say how many, and what they would cost.")
@console.as_json
@click.pass_obj
def redo(config: Config, since: timedelta, prompt_version: str | None, dry_run: bool, as_json: bool) -> None:
    """Ask again for summaries that another prompt version or model made.

    A changed prompt or writer does not replace summaries that exist: this command does. It leaves out those that
    today's prompt and model would make from the same text. The cost is an estimate, from the tokens of past requests
    and today's prices.

    \b
    Examples:
      scoop summaries redo --since 7d --dry-run
      scoop summaries redo --since 30d --prompt-version v1
    """
    estimate = runtime.run(_redo(config, datetime.now(UTC), since, prompt_version, is_dry=dry_run))
    if as_json:
        console.print_json(estimate)
        return
    asked = "would be asked for again" if dry_run else "are asked for again"
    click.echo(f"{estimate.to_make:,} of {estimate.looked_at:,} summaries {asked}, by {estimate.model}")
    click.echo(_costs(estimate))


def _costs(estimate: "RemakeEstimate") -> str:
    if not estimate.past_requests:
        return "there are no past requests to estimate the cost from"
    tokens = f"{estimate.input_tokens:,} input and {estimate.output_tokens:,} output tokens"
    return f"about {tokens}, {estimate.cost:,.4f} {estimate.currency}, by {estimate.past_requests:,} past requests"


async def _redo(
    config: Config, now: datetime, since: timedelta, prompt_version: str | None, *, is_dry: bool
) -> "RemakeEstimate":
    from scoop.actions import remaking
    from scoop.app import open_client, open_writing

    async with runtime.open_connection(config) as conn, open_client(config) as client:
        writing = open_writing(config, client)
        outdated, looked_at = await remaking.list_outdated(
            conn, writing, since=now - since, prompt_version=prompt_version
        )
        estimate = await remaking.estimate(conn, writing, outdated, looked_at=looked_at, now=now)
        if not is_dry:
            async with conn.transaction():
                await remaking.ask_again(conn, outdated)
    return estimate


@command.command()
@click.argument("article_id")
@click.option("--site", metavar="NAME", help="The article of this source, if several have its URL.")
@console.as_json
@click.pass_obj
def retry(config: Config, article_id: str, site: str | None, as_json: bool) -> None:
    """Write the summary of an article now, or try one again that failed.

    A worker does it: scoop up, scoop worker or scoop run-once. A summary that exists is made again only if the article,
    the prompt or the model has changed.
    """
    row = runtime.run(_retry(config, article_id, site))
    if as_json:
        console.print_json({"article_id": row.article_id, "source": row.source, "title": row.title})
    else:
        click.echo(f"the summary of {row.title!r} ({row.source}) is due now")


async def _retry(config: Config, article_id: str, site: str | None) -> "ArticleRow":
    from scoop.actions import summaries
    from scoop.app import summary_policy

    policy, writer = summary_policy(config), config.tasks["summary"].writer
    async with runtime.open_connection(config) as conn, conn.transaction():
        return await summaries.ask_about_article(conn, article_id, source=site, policy=policy, writer=writer)
