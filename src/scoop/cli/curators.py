"""`scoop curators`: interests, and the articles that they choose."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from scoop.actions.curator_settings import SETTINGS
from scoop.cli import _curator_import, _curators, _settings, _texts, console, runtime, usage
from scoop.config import Config
from scoop.errors import Conflict, UsageError
from scoop.model import TopicSettings
from scoop.store.curators import CuratorSettings

if TYPE_CHECKING:
    from scoop.actions.curator_reports import CuratorReport, CuratorStatus, TrialArticle, TrialReport
    from scoop.core.curation import EvaluationState
    from scoop.core.interests import CuratorFile, Interests
    from scoop.store.curators import ArticleLabel, InterestVersion

STATES: "tuple[EvaluationState, ...]" = ("waiting", "relevant", "rejected", "notified")
SHOWN = 15  # articles of a trial
VERSION = click.IntRange(1, 2**31 - 1)

of_curator = click.argument("slug", metavar="NAME")
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


command.add_command(_curator_import.command)


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
@of_curator
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
@of_curator
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
@of_curator
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
@of_curator
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
@of_curator
@console.as_json
@click.pass_obj
def enable(config: Config, slug: str, as_json: bool) -> None:
    """Enable a curator."""
    _switch(config, slug, enabled=True, as_json=as_json)


@command.command()
@of_curator
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
@of_curator
@click.option("--interests", "place", metavar="FILE", help="TOML or JSON: a file, a URL, or -. Default: those in use.")
@click.option("--days", type=click.IntRange(1, 30), default=7, show_default=True, help="How far back.")
@console.as_json
@click.pass_obj
def test(config: Config, slug: str, place: str | None, days: int, as_json: bool) -> None:
    """Test interests on the latest articles, against those in use; nothing is stored, no model is asked.

    \b
    Examples:
      scoop curators test picks
      scoop curators test picks --interests changed.toml --days 3 --json
    """
    trial = runtime.run(_test(config, slug, place, timedelta(days=days)))
    if as_json:
        console.print_json(trial)
        return
    found, tried = len(trial.relevant), trial.tried
    click.echo(f"{found:,} of {tried:,} articles of {days} days are relevant, by the local scorer")
    console.print_table(("topic", "articles"), list(trial.count_by_topic.items()), empty="", counts=["articles"])
    _print_tried("the best", trial.relevant)
    if place is not None:
        _print_tried(_gained(trial), trial.gained)
        _print_tried(f"lost: {len(trial.lost):,}", trial.lost)


async def _test(config: Config, slug: str, place: str | None, span: timedelta) -> "TrialReport":
    from scoop.actions import curator_files, curator_reports, curators
    from scoop.store import curators as store
    from scoop.store import topics

    file = await _curators.read_file(config, place) if place is not None else None
    async with runtime.open_connection(config) as conn:
        curator, topic = await store.by_slug(conn, slug), await topics.by_slug(conn, slug)
        wanted = file.interests if file is not None else curator.interests
        if wanted is None:
            raise UsageError(f"{slug} has no interests yet; give some: --interests FILE")
        bounds = curator_files.with_bounds(topic, file) if file is not None else topic
        used = curator.interests if file is not None else None
        trial = await curators.try_interests(conn, bounds, wanted, used=used, since=datetime.now(UTC) - span)
    return curator_reports.report_trial(trial)


def _gained(trial: "TrialReport") -> str:
    kept_out = trial.kept_out_count
    return f"gained: {len(trial.gained):,}{f', of which {kept_out:,} are not posted all the same' if kept_out else ''}"


def _print_tried(heading: str, articles: "Sequence[TrialArticle]") -> None:
    has_notes = any(each.kept_out for each in articles[:SHOWN])
    click.secho(f"\n{heading}", bold=True)
    console.print_table(
        ("score", "parts", "topics", "title", *(["not posted because it was"] if has_notes else [])),
        [
            (
                _curators.score(each.relevance_score),
                _curators.parts(each.score_parts),
                _curators.names(each.matching_topics),
                each.title,
                *([each.kept_out] if has_notes else []),
            )
            for each in articles[:SHOWN]
        ],
        empty="none",
        cut="title",
    )
    if len(articles) > SHOWN:
        click.echo(f"and {len(articles) - SHOWN:,} more; --json lists all")


@command.command()
@of_curator
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


@command.command()
@of_curator
@click.argument("article", type=console.REFERENCE)
@click.option("--up/--down", "is_wanted", default=True, help="Whether you want such articles.  [default: up]")
@console.as_json
@click.pass_obj
def label(config: Config, slug: str, article: str, is_wanted: bool, as_json: bool) -> None:
    """Label an article as wanted or not; labels tune the local scorer of the curator.

    ARTICLE is a number, an art_ id or a URL.

    \b
    Examples:
      scoop curators label picks https://example.com/a --up
      scoop curators label picks art_0123456789abcdef0123456789abcdef --down
    """
    kept = runtime.run(_label(config, slug, article, is_wanted=is_wanted))
    if as_json:
        console.print_json(kept)
        return
    click.echo(f"{'wanted' if is_wanted else 'not wanted'}: {_curators.title(kept.title)}")
    click.echo(
        f"it has {kept.untuned_score}/100 points without labels; to take it back: scoop curators unlabel {slug} ..."
    )


async def _label(config: Config, slug: str, article: str, *, is_wanted: bool) -> "ArticleLabel":
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn, conn.transaction():
        document_id = (await _texts.find_document(conn, article)).subject_id
        return await curators.label(conn, slug, document_id, is_wanted=is_wanted)


@command.command()
@of_curator
@click.argument("article", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def unlabel(config: Config, slug: str, article: str, as_json: bool) -> None:
    """Take back the label of an article.

    \b
    Examples:
      scoop curators unlabel picks https://example.com/a
    """
    document_id = runtime.run(_unlabel(config, slug, article))
    if as_json:
        console.print_json({"topic_slug": slug, "document_id": document_id, "is_wanted": None})
    else:
        click.echo("label removed")


async def _unlabel(config: Config, slug: str, article: str) -> int:
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn:
        document_id = (await _texts.find_document(conn, article)).subject_id
        await curators.unlabel(conn, slug, document_id)
        return document_id


@command.command()
@of_curator
@console.as_json
@click.pass_obj
def labels(config: Config, slug: str, as_json: bool) -> None:
    """List the labels of a curator, the newest first."""
    found = runtime.run(_labels(config, slug))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("article", "wanted", "points without labels", "since", "title"),
        [
            (each.article_id, "yes" if each.is_wanted else "no", each.untuned_score, each.labelled_at, each.title)
            for each in found
        ],
        empty=f"{slug} has no labels; add one: scoop curators label {slug} URL --up",
        cut="title",
        whole=["article"],
    )


async def _labels(config: Config, slug: str) -> "list[ArticleLabel]":
    from scoop.store import curators

    async with runtime.open_connection(config) as conn:
        return await curators.list_labels(conn, (await curators.by_slug(conn, slug)).topic_id)
