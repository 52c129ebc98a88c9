"""`scoop replay`: run part of the ledger again under other settings."""

from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

import click

from scoop.cli import _trial, console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.evaluation.replay import Basis, Replayed, ReplayRequest

SHOWN = 5  # differences of each kind; --json has all
NAMES = {"merge": ("story", "stories"), "coverage": ("group", "groups")}

a_threshold = click.FloatRange(0, 1)


@click.command()
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Only what was fetched in the last N days.")
@click.option(
    "--limit", type=click.IntRange(1), default=10_000, show_default=True, help="How many arrivals at most: the newest."
)
@click.option("--embedder", help="Another embedder than the setting embedder, as local or openai.")
@click.option("--coverage-at", type=a_threshold, help="From this probability on, stories are shown together.")
@click.option("--merge-at", type=a_threshold, help="From this cosine on, documents with like titles are one story.")
@click.option("--sure-at", type=a_threshold, help="From this cosine on, documents are one story, whatever the title.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    /,
    collection: str | None,
    days: int | None,
    limit: int,
    embedder: str | None,
    as_json: bool,
    **thresholds: float | None,
) -> None:
    """Tell the ledger again under other settings, and show which stories differ.

    The newest arrivals go through all stages once more, in a scratch database that is removed afterwards, with your
    settings and what is asked for here. Nothing of your own database is changed. Without any option it tells whether
    the stories there are would come out the same today.

    \b
    Examples:
      scoop replay --days 7
      scoop replay --collection ai_news --coverage-at 0.6
      scoop replay --merge-at 0.95 --sure-at 0.98 --json
      scoop replay --embedder openai --limit 2000
    """
    from scoop.evaluation.replay import ReplayRequest

    asked = ReplayRequest(
        collection=collection,
        since=datetime.now(UTC) - timedelta(days=days) if days else None,
        limit=limit,
        embedder=embedder,
        thresholds={name: value for name, value in thresholds.items() if value is not None},
    )
    found = runtime.run_logged(config, _replayed(config, asked))
    if as_json:
        console.print_json(found)
    else:
        _show(found)


async def _replayed(config: Config, asked: "ReplayRequest") -> "Replayed":
    from scoop.evaluation.replay import replay

    with _trial.watched() as (stop, report):
        return await replay(config, asked, stop=stop, report=report)


def _show(found: "Replayed") -> None:
    click.echo(f"{found.arrivals:,} arrivals replayed in {found.seconds:.1f} s, {found.documents:,} documents compared")
    if found.unplaced:
        click.echo(f"{found.unplaced:,} are in a story on one side only, so they are not compared")
    click.echo(f"before: {_basis(found.before)}\nafter:  {_basis(found.after)}\n")
    rows = [(tier, getattr(found, tier)) for tier in NAMES]
    console.print_table(
        ("tier", "before", "after", "documents moved", "precision", "recall", "F1", "ARI"),
        [
            (
                tier,
                one.before,
                one.after,
                one.moved,
                *(
                    f"{figure:.3f}"
                    for figure in (
                        one.agreement.pairwise_precision,
                        one.agreement.pairwise_recall,
                        one.agreement.pairwise_f1,
                        one.agreement.ari,
                    )
                ),
            )
            for tier, one in rows
        ],
        empty="",
    )
    _show_differences(found)


def _basis(basis: "Basis | None") -> str:
    if basis is None:
        return "no model has embedded anything yet"
    thresholds = ", ".join(f"{name} {value:g}" for name, value in basis.thresholds.items())
    return f"{basis.model_name} {basis.model_version}, {thresholds or 'which has no links: only copies are merged'}"


def _show_differences(found: "Replayed") -> None:
    """The largest of each kind, and how many more there are."""
    for (tier, kind), alike in groupby(found.differences, key=lambda difference: (difference.tier, difference.kind)):
        one, many = NAMES[tier]
        differences = list(alike)
        for difference in differences[:SHOWN]:
            _trial.show_difference(tier, difference, one=one, many=many)
        if len(differences) > SHOWN:
            click.echo(f"\n{tier}: {len(differences) - SHOWN:,} more {kind}s; --json has them all")
