"""`scoop evaluate`: how well stories agree with what people say."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import _trial, console, runtime
from scoop.config import Config
from scoop.errors import InputError

if TYPE_CHECKING:
    from scoop.core.clusters import Agreement
    from scoop.evaluation.datasets import Labelled
    from scoop.evaluation.measure import Measurement

TIERS = ("merge", "coverage")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--gold", metavar="FILE", help="The stories of FILE..., which hold v1 items then.")
@click.option(
    "--errors", type=click.IntRange(0), default=5, show_default=True, help="How many errors of each kind to show."
)
@click.option("--shuffle", "shuffles", type=click.IntRange(0), default=0, help="Run this many other orders as well.")
@console.as_json
@click.pass_obj
def command(
    config: Config, files: tuple[str, ...], gold: str | None, errors: int, shuffles: int, as_json: bool
) -> None:
    """Measure how well stories agree with what people say.

    Each file is a set: one JSON a line, plain or gzip, with `title` and `story`, and with `id`, `text`, `url`,
    `source`, `published_at`, `lang` and `collection` as far as they are known. `story` names what people put together.
    With --gold the files hold canonical v1 items, and the stories stand in the gold file, one JSON a line with `story`
    and either `item_uuid` or `source` and `source_item_id`.

    Every set goes through all stages, with your settings, in a scratch database that is removed afterwards; your own
    is not touched. Exit code 1: a file could not be read; the others were measured.

    \b
    Examples:
      scoop evaluate labelled.ndjson
      scoop evaluate --errors 20 sets/*.jsonl.gz
      scoop evaluate --shuffle 5 --json labelled.ndjson
      scoop evaluate --gold stories.ndjson items.ndjson
    A line of labelled.ndjson:
      {"title": "Old bridge stays closed", "story": "bridge", "text": "The council said so.", "lang": "en"}
    """
    sets = list(_readable(files, gold))
    found = runtime.run_logged(config, _measured(config, sets, shuffles=shuffles, errors=errors)) if sets else []
    if as_json:
        console.print_json(found)
    else:
        _show(found)
    sys.exit(0 if len(sets) == len(files) else 1)


def _readable(files: Sequence[str], gold: str | None) -> Iterator[tuple[str, "list[Labelled]"]]:
    """The readable sets by name; the others are reported with the reason."""
    from scoop.evaluation import datasets

    stories = datasets.stories(gold) if gold is not None else None
    for file in files:
        try:
            yield datasets.set_name(file), datasets.documents(file, stories, now=datetime.now(UTC))
        except InputError as error:
            click.echo(f"scoop: {error}", err=True)


async def _measured(
    config: Config, sets: "Sequence[tuple[str, list[Labelled]]]", *, shuffles: int, errors: int
) -> "list[Measurement]":
    from scoop.evaluation import measure

    with _trial.watched() as (stop, report):
        return [
            await measure.measure(config, name, documents, shuffles=shuffles, errors=errors, stop=stop, report=report)
            for name, documents in sets
        ]


def _show(found: "list[Measurement]") -> None:
    console.print_table(
        ("set", "documents", "stories", "refused", "seconds"),
        [(one.set, one.documents, one.stories, len(one.refused), f"{one.seconds:.1f}") for one in found],
        empty="nothing was measured",
    )
    _show_figures(found)
    for one in found:
        for error in one.errors:
            _trial.show_difference(f"{one.set}, {error.tier}", error)
        for refused in one.refused:
            click.echo(f"\n{one.set}: refused, so alone: {_trial.line(refused.title)} ({refused.reason})")


def _show_figures(found: "list[Measurement]") -> None:
    """The tables of those figures that there are."""
    columns = ("precision", "recall", "F1", "B-cubed F1", "ARI")
    tiers = [(one.set, tier, *_figures(*_in_order(getattr(one, tier)))) for one in found for tier in TIERS]
    languages = [
        (one.set, language, figures.documents, *_figures(figures.merge, figures.coverage))
        for one in found
        for language, figures in one.languages.items()
    ]
    shuffles = [
        (one.set, tier, *_figures(spread.min, spread.mean, spread.max, spread.difference))
        for one in found
        for tier, spread in one.shuffles.items()
    ]
    if tiers:
        console.print_table(("set", "tier", *columns), tiers, empty="")
    if languages:
        console.print_table(
            ("set", "language", "documents", "merge B-cubed F1", "coverage B-cubed F1"), languages, empty=""
        )
    if shuffles:
        console.print_table(("set", "tier", "B-cubed F1 min", "mean", "max", "difference"), shuffles, empty="")


def _in_order(agreement: "Agreement") -> tuple[float, ...]:
    pairwise = agreement.pairwise_precision, agreement.pairwise_recall, agreement.pairwise_f1
    return *pairwise, agreement.b_cubed_f1, agreement.ari


def _figures(*values: float) -> list[str]:
    return [f"{value:.3f}" for value in values]
