"""`scoop topics rules`: rules that include or exclude stories."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.model import KeywordRule, RuleType, SourceRule, Topic


@click.group(cls=usage.CommandGroup)
def rules() -> None:
    """Rules that include or exclude stories: list, add, remove.

    \b
    Examples:
      scoop topics rules add energy --keyword "solar power"
      scoop topics rules add energy --regex "wind (farm|park)s?" --weight 2
      scoop topics rules add energy --keyword horoscope --exclude
      scoop topics rules list energy
    """


def _one_rule(function: Callable[..., None]) -> Callable[..., None]:
    """Options that identify one rule."""
    options = [
        click.argument("slug", metavar="TOPIC"),
        click.option("--keyword", metavar="WORDS", help="Whole words, in any case."),
        click.option("--regex", metavar="PATTERN", help="A regular expression in RE2 syntax."),
        click.option("--source", metavar="SLUG", help="A source."),
        click.option("--exclude", is_flag=True, help="Exclude matching stories."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@rules.command("list")
@click.argument("slug", metavar="TOPIC")
@console.as_json
@click.pass_obj
def list_rules(config: Config, slug: str, as_json: bool) -> None:
    """List the rules of a topic."""
    topic = runtime.run(_topic(config, slug))
    if as_json:
        console.print_json({"source_rules": topic.source_rules, "keyword_rules": topic.keyword_rules})
    else:
        show(topic)


async def _topic(config: Config, slug: str) -> "Topic":
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        return await topics.by_slug(conn, slug)


def show(topic: "Topic") -> None:
    """The rules of a topic as a table."""
    from scoop.core import topics

    sources = [(rule.rule_type, "source", rule.source, None, "") for rule in topic.source_rules]
    keywords = [
        (
            rule.rule_type,
            "regex" if rule.is_regex else "keyword",
            rule.pattern,
            rule.weight,
            topics.problem(rule) or ("" if rule.enabled else "off"),
        )
        for rule in topic.keyword_rules
    ]
    console.print_table(
        ("rule", "by", "what", "weight", "note"),
        [*sources, *keywords],
        empty=f"{topic.topic_slug} has no rules",
    )


@rules.command()
@_one_rule
@click.option("--weight", type=int, default=1, show_default=True, help="The weight of a match, 1 to 100.")
@console.as_json
@click.pass_obj
def add(
    config: Config,
    slug: str,
    keyword: str | None,
    regex: str | None,
    source: str | None,
    exclude: bool,
    weight: int,
    as_json: bool,
) -> None:
    """Add or replace a rule of a topic; stories of the last 30 days are assigned again.

    \b
    Examples:
      scoop topics rules add energy --keyword "solar power" --weight 2
      scoop topics rules add energy --source tribune --exclude
    """
    rule = _rule(keyword, regex, source, exclude=exclude, weight=weight)
    runtime.run(_put(config, slug, rule))
    if as_json:
        console.print_json(rule)
    else:
        click.echo(f"{slug} has the rule; next: scoop topics test {slug}")


@rules.command()
@_one_rule
@console.as_json
@click.pass_obj
def remove(
    config: Config, slug: str, keyword: str | None, regex: str | None, source: str | None, exclude: bool, as_json: bool
) -> None:
    """Remove a rule of a topic, named as it was added.

    \b
    Examples:
      scoop topics rules remove energy --keyword "solar power"
      scoop topics rules remove energy --source tribune --exclude
    """
    rule = _rule(keyword, regex, source, exclude=exclude)
    runtime.run(_remove(config, slug, rule))
    if as_json:
        console.print_json({"removed": rule})
    else:
        click.echo(f"{slug} no longer has the rule")


def _rule(
    keyword: str | None, regex: str | None, source: str | None, *, exclude: bool, weight: int = 1
) -> "SourceRule | KeywordRule":
    from scoop.actions import topics

    if sum(each is not None for each in (keyword, regex, source)) != 1:
        raise UsageError("name the rule by one of --keyword, --regex and --source")
    rule_type: RuleType = "exclude" if exclude else "include"
    if source is not None:
        return topics.source_rule(source, rule_type)
    pattern = keyword if keyword is not None else regex
    return topics.keyword_rule({"pattern": pattern, "is_regex": regex is not None, "weight": weight}, rule_type)


async def _put(config: Config, slug: str, rule: "SourceRule | KeywordRule") -> None:
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        await topics.put_rule(conn, slug, rule)


async def _remove(config: Config, slug: str, rule: "SourceRule | KeywordRule") -> None:
    from scoop.actions import topics

    async with runtime.open_connection(config) as conn, conn.transaction():
        await topics.remove_rule(conn, slug, rule)
