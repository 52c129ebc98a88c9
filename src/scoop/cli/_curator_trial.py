"""`scoop curators test`: what other interests would have caught."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from scoop.cli import _curators, console, runtime
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.actions.curator_reports import TrialArticle, TrialReport

SHOWN = 15  # articles of a trial


@click.command()
@_curators.of_curator
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
