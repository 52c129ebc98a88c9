"""`scoop curator`: what curators know of one article."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import _curators, console, runtime, usage
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.evaluations import MetArticle


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """What curators know of one article: explain.

    \b
    Examples:
      scoop curator explain https://example.com/a
      scoop curator explain https://example.com/a --curator picks --json
    """


@command.command()
@click.argument("url", metavar="URL")
@click.option("--curator", "slug", metavar="NAME", help="Only this curator.")
@console.as_json
@click.pass_obj
def explain(config: Config, url: str, slug: str | None, as_json: bool) -> None:
    """Explain why an article was notified or rejected, or that it waits; with the parts of its score.

    An article that a curator met under another address, or whose event it posted, counts as known.

    \b
    Examples:
      scoop curator explain https://example.com/a
      scoop curator explain https://example.com/a --curator picks
    """
    found = runtime.run(_explain(config, url, slug))
    if as_json:
        console.print_json(found)
        return
    for met in found:
        _print(met)


async def _explain(config: Config, url: str, slug: str | None) -> "list[MetArticle]":
    from scoop.actions import curator_explanations

    async with runtime.open_connection(config) as conn:
        return await curator_explanations.explain(conn, url, slug, now=datetime.now(UTC))


def _print(met: "MetArticle") -> None:
    click.secho(f"{met.topic_slug}: {_outcome(met)}", bold=True)
    click.echo(f"  {_curators.title(met.article_title)}")
    if not met.is_same_url:
        relation = "the same article" if met.is_same_story else "another article about the same event"
        click.echo(f"  {relation}: {met.url or 'without an address'}")
    if met.relevance_score is not None:
        click.echo(f"  {_curators.score(met.relevance_score)}: {_curators.parts(met.score_parts) or 'parts unknown'}")
        click.echo(f"  topics: {_curators.names(met.matching_topics)}")
    if met.is_ai_generated:
        click.echo("  probably written by a machine")
    for line in (met.reasoning, met.summary):
        if line:
            click.echo(f"  {line}")
    if met.model is not None:
        click.echo(f"  by {met.provider} {met.model}")


def _outcome(met: "MetArticle") -> str:
    if met.state == "notified" and met.notified_at is not None:
        message = f", message {met.discord_message_id}" if met.discord_message_id else ""
        return f"notified {console.format_time(met.notified_at)}{message}"
    if met.state == "rejected":
        when = f" {console.format_time(met.evaluated_at)}" if met.evaluated_at else ""
        return f"rejected{when}: {met.reason}"
    if met.state == "relevant":
        return f"relevant, not posted: {met.outlook}"
    return f"not evaluated: {met.problem}; see scoop work" if met.problem else "waits for its evaluation"
