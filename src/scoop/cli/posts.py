"""`scoop posts`: the outbox."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.model import Post, PostState

in_topic = click.option("--topic", metavar="SLUG", help="Only this topic, as ai_news.")
at_most = click.option(
    "--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most."
)


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """The outbox: posts that were sent, wait, or are held for you to decide.

    A post is held if it is not known whether it arrived: look into the channel, then mark it as arrived, resend it or
    drop it.

    \b
    Examples:
      scoop posts list
      scoop posts held
      scoop posts arrived 17
      scoop posts resend 17
      scoop posts drop 17
    """


@command.command("list")
@in_topic
@at_most
@console.as_json
@click.pass_obj
def list_(config: Config, topic: str | None, limit: int, as_json: bool) -> None:
    """The latest posts, of every state.

    \b
    Examples:
      scoop posts list
      scoop posts list --topic ai_news --json
    """
    runtime.run(_show(config, topic, None, limit, "nothing was posted yet", as_json=as_json))


@command.command()
@in_topic
@at_most
@console.as_json
@click.pass_obj
def held(config: Config, topic: str | None, limit: int, as_json: bool) -> None:
    """Posts that await your decision: their delivery is unknown, or their channel refused them.

    \b
    Examples:
      scoop posts held
      scoop posts held --json
    """
    runtime.run(_show(config, topic, ("held", "failed"), limit, "nothing is held", as_json=as_json))


@command.command()
@click.argument("posts", metavar="POST...", type=console.ID, nargs=-1, required=True)
@click.pass_obj
def resend(config: Config, posts: tuple[int, ...]) -> None:
    """Resend held or failed posts: you checked that they are not in the channel.

    \b
    Examples:
      scoop posts resend 17
    """
    runtime.run(_decide(config, posts, "resend"))
    click.echo("queued; scoop up sends it, or at once: scoop run-once --publish")


@command.command()
@click.argument("posts", metavar="POST...", type=console.ID, nargs=-1, required=True)
@click.pass_obj
def arrived(config: Config, posts: tuple[int, ...]) -> None:
    """Mark held posts as arrived: you checked that they are in the channel. Their stories count as published.

    \b
    Examples:
      scoop posts arrived 17
    """
    runtime.run(_decide(config, posts, "confirm"))
    click.echo("marked as sent; the parts that follow are sent")


@command.command()
@click.argument("posts", metavar="POST...", type=console.ID, nargs=-1, required=True)
@click.pass_obj
def drop(config: Config, posts: tuple[int, ...]) -> None:
    """Drop held or failed posts; the parts that follow them are sent.

    \b
    Examples:
      scoop posts drop 17
    """
    runtime.run(_decide(config, posts, "drop"))
    click.echo("dropped")


async def _show(
    config: Config, topic: str | None, states: "Sequence[PostState] | None", limit: int, empty: str, *, as_json: bool
) -> None:
    from scoop.store import posts

    async with runtime.open_connection(config) as conn:
        found = await posts.list_posts(conn, topic_slug=topic, states=states, limit=limit)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("post", "topic", "date", "channel", "part", "state", "when", "message", "problem"),
        [_row(post) for post in found],
        empty=empty,
    )


def _row(post: "Post") -> tuple[object, ...]:
    when, part = post.sent_at or post.tried_at, f"{post.part_no}/{post.parts}"
    about = (post.post_id, post.topic_slug, post.run_date, post.channel, part)
    return (*about, post.state, when, post.message_id, post.error or "")


async def _decide(config: Config, ids: Sequence[int], word: Literal["resend", "confirm", "drop"]) -> None:
    from scoop.store import posts

    decide = {"resend": posts.resend, "confirm": posts.confirm, "drop": posts.drop}[word]
    async with runtime.open_connection(config) as conn, conn.transaction():
        for post_id in ids:
            await decide(conn, post_id)
