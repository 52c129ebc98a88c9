"""`scoop evaluate`: measure stories against gold labels."""

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
@click.option("--gold", metavar="FILE", help="The gold stories of FILE..., which then hold v1 items.")
@click.option(
    "--errors", type=click.IntRange(0), default=5, show_default=True, help="The number of errors of each kind to show."
)
@click.option("--shuffle", "shuffles", type=click.IntRange(0), default=0, help="Also run this many other orders.")
@console.as_json
@click.pass_obj
def command(
    config: Config, files: tuple[str, ...], gold: str | None, errors: int, shuffles: int, as_json: bool
) -> None:
    """Measure how well stories agree with gold labels.

    Each file is a set: one JSON object per line, plain or gzip, with `title` and `story`, and optionally `id`, `text`,
    `url`, `source`, `published_at`, `lang` and `collection`. Lines with the same `story` belong together. With --gold
    the files hold canonical v1 items, and the gold file has the stories, one JSON object per line with `story` and
    either `item_uuid` or `source` and `source_item_id`.

    Every set goes through all stages, with your settings, in a scratch database that is removed afterwards. Your own
    database is not changed. Exit code 1: a file could not be read; the others were measured.

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
    results = runtime.run_logged(config, _measure(config, sets, shuffles=shuffles, errors=errors)) if sets else []
    if as_json:
        console.print_json(results)
    else:
        _show(results)
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


async def _measure(
    config: Config, sets: "Sequence[tuple[str, list[Labelled]]]", *, shuffles: int, errors: int
) -> "list[Measurement]":
    from scoop.evaluation import measure

    with _trial.watched() as (stop, report):
        return [
            await measure.measure(config, name, documents, shuffles=shuffles, errors=errors, stop=stop, report=report)
            for name, documents in sets
        ]


def _show(results: "list[Measurement]") -> None:
    console.print_table(
        ("set", "documents", "stories", "refused", "seconds"),
        [(one.set, one.documents, one.stories, len(one.refused), f"{one.seconds:.1f}") for one in results],
        empty="no set could be read",
    )
    _show_figures(results)
    for one in results:
        for error in one.errors:
            _trial.show_difference(f"{one.set}, {error.tier}", error)
        for refused in one.refused:
            click.echo(
                f"\n{one.set}: refused, counts as a story of its own: {_trial.line(refused.title)} ({refused.reason})"
            )


def _show_figures(results: "list[Measurement]") -> None:
    """Print the tables of figures that are not empty."""
    columns = ("precision", "recall", "F1", "B-cubed F1", "ARI")
    tiers = [(one.set, tier, *_figures(*_in_order(getattr(one, tier)))) for one in results for tier in TIERS]
    languages = [
        (one.set, language, figures.documents, *_figures(figures.merge, figures.coverage))
        for one in results
        for language, figures in one.languages.items()
    ]
    shuffles = [
        (one.set, tier, *_figures(spread.min, spread.mean, spread.max, spread.difference))
        for one in results
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
