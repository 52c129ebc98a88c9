"""`scoop topics`: subjects, schedules and channels of digests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from scoop.actions.topic_settings import SETTINGS
from scoop.cli import _settings, _topic_channels, _topic_rules, console, runtime, usage
from scoop.config import Config
from scoop.core import text
from scoop.errors import Conflict, UsageError
from scoop.model import TopicSettings

if TYPE_CHECKING:
    from scoop.core.topics import Trial
    from scoop.model import Topic

SHOWN_CHARACTERS = 60  # of a title in a list


@click.group(cls=usage.CommandGroup, aliases={"channel": "channels"})
def command() -> None:
    """Subjects of digests: list, add, change, rules, channels, test, suppress.

    A topic takes the stories of its collections and of the sources its rules include; without any, it takes from
    everywhere. If it has keywords, a story must match one. A rule that excludes a story outweighs all others.

    \b
    Examples:
      scoop topics add energy --collection world_news --cron '0 8 * * 1-5'
      scoop topics rules add energy --keyword "solar power"
      scoop topics test energy
      scoop topics channels add energy main --kind file --option folder=/srv/digests
      scoop topics list
    """


command.add_command(_topic_rules.rules)
command.add_command(_topic_channels.channels)


@command.command("list")
@console.as_json
@click.pass_obj
def list_topics(config: Config, as_json: bool) -> None:
    """List all topics: sources, schedule and channels."""
    runtime.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        found = await topics.list_topics(conn)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("topic", "name", "schedule", "timezone", "rules", "channels", "takes from"),
        [
            (
                t.topic_slug,
                t.topic_name,
                t.digest_cron if t.enabled else "off",
                t.timezone,
                len(t.source_rules) + len(t.keyword_rules),
                ", ".join(each.name for each in t.channels) or "-",
                _reach(t),
            )
            for t in found
        ],
        empty="there are no topics; add one: scoop topics add energy --collection world_news",
    )


def _reach(topic: "Topic") -> str:
    included = [rule.source for rule in topic.source_rules if rule.rule_type == "include"]
    return ", ".join([*topic.collections, *included]) or "everywhere"


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def show(config: Config, slug: str, as_json: bool) -> None:
    """Show one topic with its rules and channels."""
    runtime.run(_show(config, slug, as_json=as_json))


async def _show(config: Config, slug: str, *, as_json: bool) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        topic = await topics.by_slug(conn, slug)
        channels = await topics.list_channels(conn, topic.topic_id)
    if as_json:
        console.print_json(replace(topic, channels=tuple(channels)))
        return
    click.echo(f"{topic.topic_name} ({topic.topic_slug}){'' if topic.enabled else ', disabled'}")
    click.echo(f"due at {topic.digest_cron} in {topic.timezone}, from {_reach(topic)}")
    click.echo(f"at most {topic.max_entries} stories, {topic.max_per_family} of one publisher family\n")
    _topic_rules.show(topic)
    click.echo()
    _topic_channels.show(slug, channels)


@command.command()
@click.argument("slug", metavar="TOPIC")
@_settings.options(SETTINGS, TopicSettings, is_new=True)
@console.as_json
@click.pass_obj
def add(config: Config, /, slug: str, as_json: bool, **options: Any) -> None:
    """Add a topic; TOPIC is its short name, of a-z, 0-9 and _.

    \b
    Examples:
      scoop topics add energy --collection world_news --collection ai_news
      scoop topics add tokyo --name "Tokyo mornings" --timezone Asia/Tokyo --cron '30 7 * * *'
    """
    from scoop.actions import topics

    added = topics.settings({"slug": slug, **_settings.read(SETTINGS, options)}, timezone=config.timezone)
    runtime.run(_add(config, added))
    if as_json:
        console.print_json(added)
        return
    click.echo(f"{slug} is due at {added.digest_cron} in {added.timezone}; now: scoop topics test {slug}")
    click.echo(f"it has no channel yet: scoop topics channels add {slug} NAME --kind KIND")


async def _add(config: Config, added: TopicSettings) -> None:
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        try:
            await topics.add(conn, added)
        except Conflict as error:
            raise UsageError(f"{error}: scoop topics change {added.topic_slug}") from error


@command.command()
@click.argument("slug", metavar="TOPIC")
@_settings.options(SETTINGS, TopicSettings, is_new=False)
@console.as_json
@click.pass_obj
def change(config: Config, /, slug: str, as_json: bool, **options: Any) -> None:
    """Change a topic; other settings stay.

    \b
    Examples:
      scoop topics change ai_news --cron '0 7 * * *' --timezone Asia/Tokyo
      scoop topics change energy --collection world_news --max-entries 20
    """
    changed = runtime.run(_change(config, slug, _settings.read(SETTINGS, options)))
    if as_json:
        console.print_json(changed)
    else:
        click.echo(f"{slug} changed")


async def _change(config: Config, slug: str, patch: dict[str, Any]) -> "Topic":
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await topics.edit(conn, slug, patch, timezone=config.timezone)


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def remove(config: Config, slug: str, as_json: bool) -> None:
    """Remove a topic that has posted no digest, with its rules and channels.

    Digests that were made and not posted are removed too.

    A collection that is still gathered gets a new topic if no other names it; disable the topic instead.
    """
    runtime.run(_remove(config, slug))
    if as_json:
        console.print_json({"removed": slug})
    else:
        click.echo(f"{slug} removed; its stories stay")


async def _remove(config: Config, slug: str) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        await topics.remove(conn, slug)


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def enable(config: Config, slug: str, as_json: bool) -> None:
    """Enable a topic."""
    _switch(config, slug, enabled=True, as_json=as_json)


@command.command()
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def disable(config: Config, slug: str, as_json: bool) -> None:
    """Disable a topic: it takes no stories and has no digests."""
    _switch(config, slug, enabled=False, as_json=as_json)


def _switch(config: Config, slug: str, *, enabled: bool, as_json: bool) -> None:
    runtime.run(_set_enabled(config, slug, enabled=enabled))
    if as_json:
        console.print_json({"topic_slug": slug, "enabled": enabled})
    else:
        click.echo(f"{slug} {'enabled' if enabled else 'disabled'}")


async def _set_enabled(config: Config, slug: str, *, enabled: bool) -> None:
    from scoop.store import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        await topics.set_enabled(conn, slug, enabled=enabled)


@command.command()
@click.argument("slug", metavar="TOPIC")
@click.option("--days", type=click.IntRange(1, 365), default=7, show_default=True, help="How far back.")
@console.as_json
@click.pass_obj
def test(config: Config, slug: str, days: int, as_json: bool) -> None:
    """Test a topic's rules on the latest stories; nothing is stored.

    \b
    Examples:
      scoop topics test energy
      scoop topics test energy --days 30 --json
    """
    tried = runtime.run(_test(config, slug, timedelta(days=days)))
    if as_json:
        console.print_json(tried)
        return
    console.print_table(
        ("rule", "", "stories", "among them"),
        [
            (each.rule, "matches" if each.rule_type == "include" else "excludes", each.stories, _titles(each.titles))
            for each in tried.rules
        ],
        empty="it has no collections and no rules: it takes every story",
    )
    click.echo(f"{tried.stories:,} of {tried.looked_at:,} stories within its bounds belong to {slug} ({days} days)")
    for title in tried.titles:
        click.echo(f"  {text.one_line(title)}")


async def _test(config: Config, slug: str, span: timedelta) -> "Trial":
    from scoop.actions import topics
    from scoop.store import topics as store

    async with runtime.open_connection(config) as conn:
        topic = await store.by_slug(conn, slug)
        return await topics.try_rules(conn, topic, since=datetime.now(UTC) - span)


def _titles(titles: tuple[str, ...]) -> str:
    return "; ".join(text.truncated(text.one_line(title), SHOWN_CHARACTERS) for title in titles)


@command.command()
@click.argument("slug", metavar="TOPIC")
@click.argument("story", type=console.REFERENCE)
@click.option("--reason", default="", metavar="TEXT", help="The reason, for the digest's log.")
@console.as_json
@click.pass_obj
def suppress(config: Config, slug: str, story: str, reason: str, as_json: bool) -> None:
    """Suppress a story in a topic's digests; STORY is a number or a UUID.

    \b
    Examples:
      scoop topics suppress energy 4711 --reason "an advertisement"
    """
    story_id = runtime.run(_suppress(config, slug, story, reason))
    if as_json:
        console.print_json({"topic_slug": slug, "story_id": story_id, "suppressed": True, "suppression_reason": reason})
    else:
        click.echo(f"story {story_id} is suppressed in {slug}; to allow it: scoop topics unsuppress {slug} {story_id}")


async def _suppress(config: Config, slug: str, name: str, reason: str) -> int:
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn:
        return await topics.suppress(conn, slug, name, reason)


@command.command()
@click.argument("slug", metavar="TOPIC")
@click.argument("story", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def unsuppress(config: Config, slug: str, story: str, as_json: bool) -> None:
    """Allow a suppressed story again.

    \b
    Examples:
      scoop topics unsuppress energy 4711
    """
    story_id = runtime.run(_unsuppress(config, slug, story))
    if as_json:
        console.print_json({"topic_slug": slug, "story_id": story_id, "suppressed": False, "suppression_reason": None})
    else:
        click.echo(f"story {story_id} is allowed in {slug} again")


async def _unsuppress(config: Config, slug: str, name: str) -> int:
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await topics.unsuppress(conn, slug, name)
