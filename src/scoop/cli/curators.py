"""`scoop curators`: interests, and the articles that they choose."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from scoop.actions.curator_settings import SETTINGS
from scoop.cli import _curator_import, _curator_labels, _curator_trial, _curators, _settings, console, runtime, usage
from scoop.config import Config
from scoop.errors import Conflict, UsageError
from scoop.model import TopicSettings
from scoop.store.curators import CuratorSettings

if TYPE_CHECKING:
    from scoop.actions.curator_reports import CuratorReport, CuratorStatus
    from scoop.core.curation import EvaluationState
    from scoop.core.interests import CuratorFile, Interests
    from scoop.store.curators import InterestVersion

STATES: "tuple[EvaluationState, ...]" = ("waiting", "relevant", "rejected", "notified")
VERSION = click.IntRange(1, 2**31 - 1)

from_sources = click.option("--source", "sources", multiple=True, metavar="SLUG", help="A source it reads. Repeatable.")


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Interests, and the best articles for them: list, show, add, change, remove, test, label, import.

    A curator scores every new article of its collections and sources for your interests, and posts the best few at its
    time, none twice. It is a topic, too: `scoop topics channels` says where it posts. A file with interests is TOML or
    JSON; it may also have name, cron, timezone, collections, sources, freshness_days, language and channels.

    \b
    Examples:
      scoop curators add picks --interests interests.toml --collection ai_news
      scoop curators test picks --interests changed.toml
      scoop topics channels add picks main --kind discord_webhook --option url=team
      scoop curate --curator picks --dry-run
      scoop curator explain https://example.com/a
    """


@command.command("list")
@console.as_json
@click.pass_obj
def list_curators(config: Config, as_json: bool) -> None:
    """List all curators: schedule, interests, and articles by state."""
    found = runtime.run(_list(config))
    if as_json:
        console.print_json([asdict(report) | {"status": status} for report, status in found])
        return
    console.print_table(
        ("curator", "name", "schedule", "timezone", "topics", *STATES, "problem"),
        [
            (
                report.topic_slug,
                report.topic_name,
                report.digest_cron if report.enabled else "off",
                report.timezone,
                len(report.interests.topics) if report.interests else 0,
                *(status.articles.get(state, 0) for state in STATES),
                report.problem or "",
            )
            for report, status in found
        ],
        empty="there are no curators; add one: scoop curators add picks --interests interests.toml",
        counts=STATES,
    )


async def _list(config: Config) -> "list[tuple[CuratorReport, CuratorStatus]]":
    from scoop.actions import curator_reports

    async with runtime.open_connection(config) as conn:
        reports = await curator_reports.list_reports(conn, now=datetime.now(UTC))
        return list(zip(reports, await curator_reports.list_statuses(conn), strict=True))


@command.command()
@_curators.of_curator
@click.option("--toml", "as_toml", is_flag=True, help="Print its interests as TOML, to be changed and given back.")
@click.option("--version", type=VERSION, help="Show this version of its interests instead.")
@console.as_json
@click.pass_obj
def show(config: Config, slug: str, as_toml: bool, version: int | None, as_json: bool) -> None:
    """Show one curator: settings, interests, channels, articles by state.

    \b
    Examples:
      scoop curators show picks
      scoop curators show picks --toml > interests.toml
      scoop curators show picks --version 3
    """
    if version is not None:
        _print_version(runtime.run(_get_version(config, slug, version)), as_toml=as_toml, as_json=as_json)
        return
    report, status = runtime.run(_show(config, slug))
    if as_json:
        console.print_json(asdict(report) | {"status": status})
    elif as_toml:
        if report.interests is None:
            raise Conflict(f"{slug} has no interests yet")
        _print_toml(report.interests)
    else:
        _print(report, status)


def _print_version(found: "InterestVersion", *, as_toml: bool, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
    elif as_toml:
        _print_toml(found.interests)
    else:
        _print_interests(found.interests, found.version)
        by = f" by {found.created_by}" if found.created_by else ""
        click.echo(f"since {console.format_time(found.created_at)}, from {found.origin}{by}")


async def _get_version(config: Config, slug: str, version: int) -> "InterestVersion":
    from scoop.store import curators

    async with runtime.open_connection(config) as conn:
        return await curators.get_version(conn, await curators.by_slug(conn, slug), version)


async def _show(config: Config, slug: str) -> "tuple[CuratorReport, CuratorStatus]":
    from scoop.actions import curator_reports

    async with runtime.open_connection(config) as conn:
        report = await curator_reports.get_report(conn, slug, now=datetime.now(UTC))
        return report, await curator_reports.get_status(conn, slug)


def _print_toml(interests: "Interests") -> None:
    from scoop.core import interest_changes

    click.echo(interest_changes.write_toml(interests), nl=False)


def _print(report: "CuratorReport", status: "CuratorStatus") -> None:
    click.echo(f"{report.topic_name} ({report.topic_slug}){'' if report.enabled else ', disabled'}")
    reach = ", ".join([*report.collections, *report.sources]) or "everywhere"
    click.echo(f"posts at {report.digest_cron} in {report.timezone}, from {reach}")
    click.echo(
        f"articles stay fresh for {report.freshness_days} days; summaries in {report.language or 'their language'}"
    )
    if report.interests_from is not None:
        click.echo(f"interests from {report.interests_from}, read at every run")
    if report.problem is not None:
        click.secho(f"the interests could not be read: {report.problem}", fg="red")
    click.echo(", ".join(f"{status.articles.get(state, 0):,} {state}" for state in STATES))
    if report.interests is not None:
        _print_interests(report.interests, report.interests_version)
    console.print_table(
        ("channel", "kind", "enabled", "problem"),
        [(each.name, each.kind, "yes" if each.enabled else "no", each.problem) for each in report.channels],
        empty=f"it has no channel: scoop topics channels add {report.topic_slug} NAME --kind KIND",
    )


def _print_interests(interests: "Interests", version: int | None) -> None:
    limits = f"{interests.min_articles} to {interests.max_articles} articles of {interests.min_relevance_score} points"
    click.echo(f"\ninterests, version {version}: {limits} or more")
    console.print_table(
        ("topic", "priority", "aliases", "description"),
        [(each.topic, each.priority, ", ".join(each.aliases), each.description) for each in interests.topics],
        empty="",
    )
    click.echo()


@command.command()
@_curators.of_curator
@click.option("--interests", "place", metavar="FILE", help="TOML or JSON: a file, a URL, or - for standard input.")
@from_sources
@_settings.options(SETTINGS, TopicSettings, CuratorSettings, is_new=True)
@console.as_json
@click.pass_obj
def add(
    config: Config, /, slug: str, place: str | None, sources: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Add a curator; NAME is its short name, of a-z, 0-9 and _.

    Give its interests once by --interests, or let them be read at every run by --interests-from. Settings and channels
    in the file hold unless an option says otherwise.

    \b
    Examples:
      scoop curators add picks --interests interests.toml --collection ai_news --source tribune
      scoop curators add picks --interests-from https://github.com/ann/notes/blob/main/interests.toml
      scoop curators add picks --interests - --cron '30 7 * * 1-5' --timezone Europe/Berlin < interests.json
    """
    given = _given(slug, options)
    if (place is None) == ("interests_from" not in given):
        raise UsageError("give the interests by one of --interests FILE and --interests-from FILE|URL")
    report = runtime.run(_add(config, given, place or given["interests_from"], list(sources)))
    if as_json:
        console.print_json(report)
        return
    click.echo(
        f"{slug} posts at {report.digest_cron} in {report.timezone}; now: scoop curate --curator {slug} --dry-run"
    )
    if not report.channels:
        click.echo(f"it has no channel yet: scoop topics channels add {slug} NAME --kind KIND")


def _given(slug: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """The settings of the options; a file of interests by its absolute path."""
    given = {**({"slug": slug} if slug else {}), **_settings.read(SETTINGS, options)}
    if given.get("interests_from"):
        given["interests_from"] = _curators.absolute(given["interests_from"])
    return given


async def _add(config: Config, given: dict[str, Any], place: str, sources: list[str]) -> "CuratorReport":
    from scoop.actions import curator_files, curator_reports, curators

    file = await _curators.read_file(config, place)
    settings = curator_files.settings_of(file)
    wanted = sources or settings.pop("sources", [])
    async with runtime.open_connection(config) as conn, conn.transaction():
        try:
            curator = await curators.add(conn, {**settings, **given}, file.interests, sources=wanted)
        except Conflict as error:
            raise UsageError(f"{error}: scoop curators change {given['slug']}") from error
        await curator_files.put_channels(conn, curator, file, config.plugins)
        return await curator_reports.get_report(conn, given["slug"], now=datetime.now(UTC))


@command.command()
@_curators.of_curator
@click.option("--interests", "place", metavar="FILE", help="TOML or JSON: a file, a URL, or - for standard input.")
@click.option("--version", type=VERSION, help="Use this version of its interests again: it becomes the newest.")
@from_sources
@_settings.options(SETTINGS, TopicSettings, CuratorSettings, is_new=False)
@console.as_json
@click.pass_obj
def change(
    config: Config,
    /,
    slug: str,
    place: str | None,
    version: int | None,
    sources: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Change the interests or settings of a curator; the others stay.

    Changed interests are a new version; articles that were evaluated are judged by them without another evaluation.

    \b
    Examples:
      scoop curators change picks --interests interests.toml
      scoop curators change picks --cron '0 7 * * *' --freshness-days 2
      scoop curators change picks --version 3
      scoop curators change picks --reset interests_from
    """
    given = _given(None, options)
    if version is not None and (place is not None or given.get("interests_from")):
        raise UsageError("choose one of --version, --interests and --interests-from")
    listed = [each for each in sources if each] if sources else None
    report = runtime.run(_change(config, slug, given, place, listed, version=version))
    if as_json:
        console.print_json(report)
    else:
        click.echo(f"{slug} changed; its interests are version {report.interests_version}")


async def _change(
    config: Config,
    slug: str,
    given: dict[str, Any],
    place: str | None,
    sources: list[str] | None,
    *,
    version: int | None,
) -> "CuratorReport":
    from scoop.actions import curator_files, curator_reports, curators

    file = await _new_file(config, given, place)
    async with runtime.open_connection(config) as conn, conn.transaction():
        settings = curator_files.settings_of(file) if file is not None and place is not None else {}
        listed = settings.pop("sources", None) if sources is None else sources
        curator = await curators.change(conn, slug, {**settings, **given}, sources=listed)
        if file is not None:
            await curator_files.put_channels(conn, curator, file, config.plugins)
        if file is not None and place is not None:
            await curators.put_interests(conn, slug, file.interests, origin="command")
        if version is not None:
            await curators.restore_interests(conn, slug, version, origin="command")
        return await curator_reports.get_report(conn, slug, now=datetime.now(UTC))


async def _new_file(config: Config, given: dict[str, Any], place: str | None) -> "CuratorFile | None":
    """The file of --interests, or the one to be read at every run, which must be valid now."""
    if place is not None and given.get("interests_from"):
        raise UsageError("choose one of --interests and --interests-from")
    chosen = place or given.get("interests_from")
    return await _curators.read_file(config, chosen) if chosen else None


@command.command()
@_curators.of_curator
@console.as_json
@click.pass_obj
def remove(config: Config, slug: str, as_json: bool) -> None:
    """Remove a curator that has posted nothing, with its interests and memory; disable it otherwise."""
    runtime.run(_remove(config, slug))
    if as_json:
        console.print_json({"removed": slug})
    else:
        click.echo(f"{slug} removed; its articles stay")


async def _remove(config: Config, slug: str) -> None:
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn, conn.transaction():
        await curators.remove(conn, slug)


@command.command()
@_curators.of_curator
@console.as_json
@click.pass_obj
def enable(config: Config, slug: str, as_json: bool) -> None:
    """Enable a curator."""
    _switch(config, slug, enabled=True, as_json=as_json)


@command.command()
@_curators.of_curator
@console.as_json
@click.pass_obj
def disable(config: Config, slug: str, as_json: bool) -> None:
    """Disable a curator: it looks for no articles and posts nothing. Nothing is deleted."""
    _switch(config, slug, enabled=False, as_json=as_json)


def _switch(config: Config, slug: str, *, enabled: bool, as_json: bool) -> None:
    runtime.run(_set_enabled(config, slug, enabled=enabled))
    if as_json:
        console.print_json({"topic_slug": slug, "enabled": enabled})
    else:
        click.echo(f"{slug} {'enabled' if enabled else 'disabled'}")


async def _set_enabled(config: Config, slug: str, *, enabled: bool) -> None:
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn, conn.transaction():
        await curators.change(conn, slug, {"enabled": enabled})


@command.command()
@_curators.of_curator
@click.option("--limit", type=click.IntRange(1, 1000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def history(config: Config, slug: str, limit: int, as_json: bool) -> None:
    """List the versions of the interests of a curator, the newest first.

    \b
    Examples:
      scoop curators history picks
      scoop curators history picks --json
    """
    found = runtime.run(_history(config, slug, limit))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("version", "since", "from", "by", "topics", "articles", "points"),
        [
            (
                each.version,
                each.created_at,
                each.origin,
                each.created_by or "-",
                _curators.names([interest.topic for interest in each.interests.topics]),
                f"{each.interests.min_articles}-{each.interests.max_articles}",
                each.interests.min_relevance_score,
            )
            for each in found
        ],
        empty=f"{slug} has no valid interests yet: scoop curators show {slug}",
        cut="topics",
    )


async def _history(config: Config, slug: str, limit: int) -> "list[InterestVersion]":
    from scoop.store import curators

    async with runtime.open_connection(config) as conn:
        return await curators.list_versions(conn, (await curators.by_slug(conn, slug)).topic_id, limit=limit)


for subcommand in (
    _curator_trial.test,
    _curator_labels.label,
    _curator_labels.unlabel,
    _curator_labels.labels,
    _curator_import.command,
):
    command.add_command(subcommand)
