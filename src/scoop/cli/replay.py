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
@click.option("--days", type=click.IntRange(1, 36_500), help="Only arrivals fetched in the last N days.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="The largest number of arrivals; the newest are taken.",
)
@click.option("--embedder", help="Use this embedder instead of the setting, as local or openai.")
@click.option("--coverage-at", type=a_threshold, help="The probability from which stories form a coverage group.")
@click.option("--merge-at", type=a_threshold, help="The cosine from which documents with similar titles are one story.")
@click.option(
    "--sure-at", type=a_threshold, help="The cosine from which documents are one story, whatever their titles."
)
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
    """Run part of the ledger again under other settings, and show which stories differ.

    The newest arrivals go through all stages again, in a scratch database that is removed afterwards, with your
    settings and the options given here. Your own database is not changed. Without options it shows whether today's
    settings would produce the current stories.

    \b
    Examples:
      scoop replay --days 7
      scoop replay --collection ai_news --coverage-at 0.6
      scoop replay --merge-at 0.95 --sure-at 0.98 --json
      scoop replay --embedder openai --limit 2000
    """
    from scoop.evaluation.replay import ReplayRequest

    request = ReplayRequest(
        collection=collection,
        since=datetime.now(UTC) - timedelta(days=days) if days else None,
        limit=limit,
        embedder=embedder,
        thresholds={name: value for name, value in thresholds.items() if value is not None},
    )
    result = runtime.run_logged(config, _replay(config, request))
    if as_json:
        console.print_json(result)
    else:
        _show(result)


async def _replay(config: Config, request: "ReplayRequest") -> "Replayed":
    from scoop.evaluation.replay import replay

    with _trial.watched() as (stop, report):
        return await replay(config, request, stop=stop, report=report)


def _show(result: "Replayed") -> None:
    click.echo(
        f"{result.arrivals:,} arrivals replayed in {result.seconds:.1f} s, {result.documents:,} documents compared"
    )
    if result.unplaced:
        click.echo(f"{result.unplaced:,} documents are in a story on one side only and are not compared")
    click.echo(f"before: {_basis(result.before)}\nafter:  {_basis(result.after)}\n")
    rows = [(tier, getattr(result, tier)) for tier in NAMES]
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
    _show_differences(result)


def _basis(basis: "Basis | None") -> str:
    if basis is None:
        return "no embeddings yet"
    thresholds = ", ".join(f"{name} {value:g}" for name, value in basis.thresholds.items())
    return f"{basis.model_name} {basis.model_version}, {thresholds or 'no link model: only copies are merged'}"


def _show_differences(result: "Replayed") -> None:
    """Print the largest differences of each kind, and the number of others."""
    for (tier, kind), alike in groupby(result.differences, key=lambda difference: (difference.tier, difference.kind)):
        one, many = NAMES[tier]
        differences = list(alike)
        for difference in differences[:SHOWN]:
            _trial.show_difference(tier, difference, one=one, many=many)
        if len(differences) > SHOWN:
            click.echo(f"\n{tier}: {len(differences) - SHOWN:,} more {kind}s; --json has them all")
