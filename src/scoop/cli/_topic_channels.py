"""`scoop topics channels`: the channels of a topic."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scoop.cli import _settings, console, runtime, usage
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.model import ChannelSettings
    from scoop.store.topics import TopicChannel

of_topic = click.argument("slug", metavar="TOPIC")


@click.group(cls=usage.CommandGroup)
def channels() -> None:
    """Channels of a topic: list, add, remove, enable, disable.

    \b
    Examples:
      scoop topics channels add energy main --kind file --option folder=/srv/digests
      scoop topics channels list energy
      scoop topics channels disable energy main
    """


@channels.command("list")
@of_topic
@console.as_json
@click.pass_obj
def list_channels(config: Config, slug: str, as_json: bool) -> None:
    """List the channels of a topic, and their problems."""
    found = runtime.run(_channels(config, slug))
    if as_json:
        console.print_json(found)
    else:
        show(slug, found)


async def _channels(config: Config, slug: str) -> "list[TopicChannel]":
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        return await topics.list_channels(conn, (await topics.by_slug(conn, slug)).topic_id)


def show(slug: str, channels: "Sequence[TopicChannel]") -> None:
    """The channels of a topic as a table."""
    console.print_table(
        ("channel", "kind", "enabled", "options", "problem"),
        [
            (
                each.name,
                each.kind,
                "yes" if each.enabled else "no",
                _settings.write_table(each.options) or "-",
                each.problem,
            )
            for each in channels
        ],
        empty=f"{slug} has no channel; add one: scoop topics channels add {slug} NAME --kind KIND",
    )


@channels.command()
@of_topic
@click.argument("name")
@click.option("--kind", required=True, help="How it is reached: file, discord_webhook, ...")
@click.option("-o", "--option", "options", multiple=True, metavar="NAME=VALUE", help="Of its kind; repeatable.")
@console.as_json
@click.pass_obj
def add(config: Config, slug: str, name: str, kind: str, options: tuple[str, ...], as_json: bool) -> None:
    """Add a channel to a topic, or change the one with this name; NAME is of a-z, 0-9 and _.

    \b
    Examples:
      scoop topics channels add energy main --kind file --option folder=/srv/digests
    """
    from scoop.actions import topics

    added = topics.channel({"name": name, "kind": kind, "options": _given(options)}, config.plugins)
    runtime.run(_put(config, slug, added))
    if as_json:
        console.print_json(added)
    else:
        click.echo(f"digests of {slug} go to {name} ({kind})")


def _given(options: tuple[str, ...]) -> dict[str, str]:
    pairs = [option.partition("=") for option in options]
    for name, equals, _ in pairs:
        if not equals:
            raise UsageError(f"--option {name!r} must be NAME=VALUE")
    return {name.strip(): value for name, _, value in pairs}


async def _put(config: Config, slug: str, added: "ChannelSettings") -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        topic = await topics.by_slug(conn, slug)
        await topics.put_channel(conn, topic.topic_id, added)


@channels.command()
@of_topic
@click.argument("name")
@console.as_json
@click.pass_obj
def remove(config: Config, slug: str, name: str, as_json: bool) -> None:
    """Remove a channel of a topic; posted messages stay."""
    runtime.run(_remove(config, slug, name))
    if as_json:
        console.print_json({"removed": name})
    else:
        click.echo(f"digests of {slug} no longer go to {name}")


async def _remove(config: Config, slug: str, name: str) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        await topics.remove_channel(conn, await topics.by_slug(conn, slug), name)


@channels.command()
@of_topic
@click.argument("name")
@console.as_json
@click.pass_obj
def enable(config: Config, slug: str, name: str, as_json: bool) -> None:
    """Enable a channel; this also clears its problem."""
    _switch(config, slug, name, enabled=True, as_json=as_json)


@channels.command()
@of_topic
@click.argument("name")
@console.as_json
@click.pass_obj
def disable(config: Config, slug: str, name: str, as_json: bool) -> None:
    """Disable a channel."""
    _switch(config, slug, name, enabled=False, as_json=as_json)


def _switch(config: Config, slug: str, name: str, *, enabled: bool, as_json: bool) -> None:
    runtime.run(_set_enabled(config, slug, name, enabled=enabled))
    if as_json:
        console.print_json({"topic_slug": slug, "name": name, "enabled": enabled})
    else:
        click.echo(f"{name} of {slug} {'enabled' if enabled else 'disabled'}")


async def _set_enabled(config: Config, slug: str, name: str, *, enabled: bool) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        await topics.set_channel_enabled(conn, await topics.by_slug(conn, slug), name, enabled=enabled)
