"""`scoop legacy diff`: compare the older system's digests with ours."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.errors import InputError, NotFound

if TYPE_CHECKING:
    from scoop.core.handover import ComparisonFigures, HandoverComparison


@click.command()
@click.option("--topic", "slug", required=True, metavar="SLUG", help="The topic, as ai_news.")
@click.option("--days", type=click.IntRange(1, 365), default=3, show_default=True, help="The number of dates.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last date (default: the last one imported).")
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Also write the comparison as an HTML page."
)
@console.as_json
@click.pass_obj
def command(config: Config, slug: str, days: int, until: datetime | None, page: Path | None, as_json: bool) -> None:
    """Compare the older system's digests with ours of the same dates: shadow digests, or else the live ones.

    Overlap is the share of its stories that ours has too, or had in the three days before. A miss is explained
    if ours left the story out as published, duplicate or suppressed; every other miss is unexpected. A story that a
    digest repeats without anything new, on the same date or within three days, is a duplicate.

    \b
    Examples:
      scoop legacy diff --topic ai_news
      scoop legacy diff --topic ai_news --days 7 --until 2026-11-16 --html diff.html
    """
    from scoop.core import handover

    comparison = runtime.run(_compare(config, slug, days, until.date() if until else None))
    if page is not None:
        _write(page, handover.page(comparison))
    if as_json:
        console.print_json(_as_json(comparison))
    else:
        _print_comparison(comparison)


def _write(path: Path, content: str) -> None:
    try:
        path.write_text(content, "utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error


async def _compare(config: Config, slug: str, days: int, until: date | None) -> "HandoverComparison":
    from scoop.core import handover
    from scoop.store import handover as store
    from scoop.store import topics

    async with runtime.open_connection(config) as conn:
        topic = await topics.by_slug(conn, slug)
        last = until or await store.get_last_date(conn, topic.topic_id)
        if last is None:
            raise NotFound(
                f"no digest of the older system was imported for {slug}; import some: scoop legacy import FILE"
            )
        since = last - timedelta(days=days - 1)
        sides = await store.list_sides(conn, topic, since=since, until=last)
    return handover.compare(slug, sides, since=since)


def _as_json(comparison: "HandoverComparison") -> dict[str, Any]:
    return {
        "topic_slug": comparison.topic_slug,
        "figures": _rated(comparison.figures),
        "days": [
            {
                "run_date": day.run_date,
                "mode": day.mode,
                "figures": _rated(day.figures),
                "legacy": day.legacy,
                "ours": day.ours,
            }
            for day in comparison.days
        ],
    }


def _rated(figures: "ComparisonFigures") -> dict[str, Any]:
    import msgspec

    rates = ("overlap_rate", "legacy_duplicate_rate", "our_duplicate_rate")
    return {**msgspec.to_builtins(figures), **{name: getattr(figures, name) for name in rates}}


def _print_comparison(comparison: "HandoverComparison") -> None:
    rows = [
        _row(str(day.run_date), day.mode or "none", day.figures, is_compared=bool(day.mode)) for day in comparison.days
    ]
    if len(rows) > 1:
        rows.append(_row("total", "", comparison.figures, is_compared=True))
    columns = (
        "date",
        "ours",
        "its items",
        "its stories",
        "our stories",
        "overlap",
        "explained",
        "unexpected",
        "extra",
        "its duplicates",
        "our duplicates",
    )
    console.print_table(columns, rows, empty="the older system has no digest of these dates")
    misses = [
        (day.run_date, line.verdict, line.title, line.note)
        for day in comparison.days
        for line in day.legacy
        if line.verdict in {"explained", "missed"}
    ]
    if misses:
        console.print_table(
            ("date", "miss", "title", "why"), [(d, _miss(v), t, n) for d, v, t, n in misses], empty="", cut="title"
        )


def _miss(verdict: str) -> str:
    return "explained" if verdict == "explained" else "unexpected"


def _row(day: str, mode: str, figures: "ComparisonFigures", *, is_compared: bool) -> tuple[Any, ...]:
    compared = (figures.our_stories, _share(figures.overlap_rate), figures.explained, figures.missed, figures.extras)
    return (
        day,
        mode,
        figures.legacy_items,
        figures.legacy_stories,
        *(compared if is_compared else [None] * len(compared)),
        figures.legacy_doubles + figures.legacy_repeats,
        figures.our_doubles + figures.our_repeats if is_compared else None,
    )


def _share(rate: float | None) -> str | None:
    return None if rate is None else f"{100 * rate:.0f} %"
