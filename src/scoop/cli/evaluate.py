"""`scoop evaluate`: measure stories, and the tasks of writers, against gold labels."""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

import click

from scoop.cli import _trial, console, runtime
from scoop.config import Config
from scoop.errors import InputError, UsageError
from scoop.evaluation.tasks import TASKS, EvaluationTask, TaskOptions

if TYPE_CHECKING:
    from scoop.core.clusters import Agreement
    from scoop.evaluation.datasets import Labelled
    from scoop.evaluation.measure import Measurement

TIERS = ("merge", "coverage")
DETAILS = {"by_topic", "classes", "confusion"}  # metrics that are shown as JSON only: a table would be too wide


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--gold", metavar="FILE", help="The gold stories of FILE..., which then hold v1 items.")
@click.option(
    "--errors", type=click.IntRange(0), default=5, show_default=True, help="The number of errors of each kind to show."
)
@click.option("--shuffle", "shuffles", type=click.IntRange(0), default=0, help="Also run this many other orders.")
@click.option("--task", type=click.Choice(list(TASKS)), help="Measure this task instead of stories.")
@click.option("--predictions", metavar="OUT", help="With --task: write the predictions to OUT and measure nothing.")
@click.option(
    "--interests", "interests_file", metavar="FILE", help="With --task interests: the topics by set, as JSON."
)
@click.option(
    "--set", "set_name", metavar="NAME", help="With --task interests: the set of topics, else that of FILE's name."
)
@click.option(
    "--aliases-in", metavar="LANG", help="With --task interests: topics in this language, else that of each article."
)
@click.option(
    "--max-requests",
    type=click.IntRange(0),
    default=1_000,
    show_default=True,
    help="With --task claims: the most requests to the model of the task support, over all files.",
)
@click.option("--tools", "tools_file", metavar="FILE", help="With --task mentions: the tools with their aliases.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    /,
    files: tuple[str, ...],
    gold: str | None,
    errors: int,
    shuffles: int,
    task: str | None,
    predictions: str | None,
    as_json: bool,
    **task_options: Any,
) -> None:
    """Measure how well stories agree with gold labels.

    Each file is a set: one JSON object per line, plain or gzip, with `title` and `story`, and optionally `id`, `text`,
    `url`, `source`, `published_at`, `lang`, `collection` and `wide`. Lines with the same `story` belong together; lines
    of two stories that share a label in `wide` are not scored with each other. With --gold the files hold canonical v1
    items, and the gold file has the stories, one JSON object per line with `story` and either `item_uuid` or `source`
    and `source_item_id`.

    Every set goes through all stages, with your settings, in a scratch database that is removed afterwards. Your own
    database is not changed. Exit code 1: a file could not be read; the others were measured.

    With --task the files hold rows of another task, one JSON object per line; rows without gold are predicted and not
    measured. `summaries`: `id`, `lang`, `documents` (each with `title` and `text`), `sentences` (the most that a
    summary may have) and `references`, texts that it is compared with. `claims`: `id`, `lang`, `sources` (texts),
    `claim` (a sentence), `claim_lang` if it differs from `lang`, and `supported`; optionally `error` (its kind) and
    `support` (sets of lines that are enough). `interests`: `id`, `lang`, `title`, `text`, `topics` (the ids of the
    relevant ones) and `day`, by which rankings are grouped. The file of --interests has the topics: a JSON object for
    each set, in which a topic's id has `name`, `aliases` and optionally `description` and `by_lang`, the same in other
    languages. `sentiment`: `id`, `text`, `language`, `kind` (news, headline, developer, social, review, report or
    unknown) and `label` (positive, neutral or negative); optionally `span`, the range of characters of its target, and
    `score` from -1 to 1. `mentions`: `id`, `text`, `mentions`, each as [start, end, tool], and `ignore`, ranges that
    count as neither right nor wrong. The file of --tools has a tool in each line: `tool` (its id), `name`, `aliases`
    and optionally `context_words`. `levels`: `id`, `text`, `level` or `levels`, and optionally `article`. `lessons`:
    `id` and `text`, an article in English. `simplification`: `id`, `source` (a sentence), `refs` (simpler texts),
    `target` (a level, else A2). `splitting`: `id`, `source`, `refs` (lists of sentences). `substitutes`: `id`,
    `sentence`, `start` (of a hard word), `gold` (easier words), `inflected` (false: they are base forms).

    \b
    Examples:
      scoop evaluate labelled.ndjson
      scoop evaluate --gold stories.ndjson items.ndjson
      scoop evaluate --task interests --interests interests.json --json news.ndjson
      scoop evaluate --task mentions --tools tools.ndjson --predictions out.ndjson posts.ndjson
    A line of labelled.ndjson:
      {"title": "Old bridge stays closed", "story": "bridge", "text": "The council said so.", "lang": "en"}
    A line of news.ndjson, and interests.json:
      {"id": 1, "title": "Old bridge stays closed", "lang": "en", "topics": ["roads"], "day": "2026-11-18"}
      {"news": {"roads": {"name": "roads and bridges", "aliases": ["traffic", "road works"]}}}
    A line of comments.ndjson, of posts.ndjson, and of tools.ndjson:
      {"id": 1, "text": "I love Docker", "language": "en", "kind": "social", "span": [7, 13], "label": "positive"}
      {"id": 1, "text": "I love Docker", "mentions": [[7, 13, "docker"]]}
      {"tool": "docker", "name": "Docker", "aliases": ["Moby"]}
    """
    if task is not None:
        _evaluate_task(TASKS[task](TaskOptions(config=config, **task_options)), files, predictions, as_json=as_json)
    if predictions is not None:
        raise UsageError("--predictions needs --task: give both, or neither")
    _evaluate_stories(config, files, gold, shuffles=shuffles, errors=errors, as_json=as_json)


def _evaluate_stories(
    config: Config, files: Sequence[str], gold: str | None, *, shuffles: int, errors: int, as_json: bool
) -> NoReturn:
    sets = list(_readable(files, gold))
    results = runtime.run_logged(config, _measure(config, sets, shuffles=shuffles, errors=errors)) if sets else []
    if as_json:
        console.print_json(results)
    else:
        _show(results)
    sys.exit(0 if len(sets) == len(files) else 1)


def _evaluate_task(task: EvaluationTask, files: Sequence[str], predictions: str | None, *, as_json: bool) -> NoReturn:
    """Predict what all files hold; write the predictions, or print how good they are."""
    sets = list(_readable_sets(task, files))
    predicted = [task.predict(rows) for _, rows in sets]
    if predictions is not None:
        _write_predictions(predictions, [one for some in predicted for one in some])
    else:
        measured = [
            {"set": name, **task.measure(rows, some)} for (name, rows), some in zip(sets, predicted, strict=True)
        ]
        _show_metrics(measured, as_json=as_json)
    if cost := task.describe_cost():
        click.echo(f"scoop: {cost}", err=True)
    sys.exit(0 if len(sets) == len(files) else 1)


def _readable_sets(task: EvaluationTask, files: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The readable files by the name of their set; the others are reported with the reason."""
    from scoop.evaluation import datasets

    for file in files:
        try:
            yield datasets.set_name(file), task.read(file)
        except InputError as error:
            click.echo(f"scoop: {error}", err=True)


def _write_predictions(out: str, predictions: "Sequence[dict[str, Any]]") -> None:
    try:
        with open(out, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in predictions)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {(error.strerror or str(error)).lower()}") from error
    click.echo(f"{len(predictions)} predictions written to {out}", err=True)


def _show_metrics(results: "list[dict[str, Any]]", *, as_json: bool) -> None:
    if as_json:
        console.print_json(results)
    else:
        shown = [{name: value for name, value in one.items() if name not in DETAILS} for one in results]
        columns = tuple(shown[0]) if shown else ("set",)
        console.print_table(columns, [tuple(map(_shown, one.values())) for one in shown], empty="no set could be read")


def _shown(value: Any) -> Any:
    """A group of figures on one line."""
    return ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, dict) else value


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
        if one.single_publisher_groups:
            click.echo(f"\n{one.set}: {one.single_publisher_groups} groups of coverage have a single publisher family")
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
    reliability = [
        (one.set, f"{each.at_least:.2f}", each.links, *_figures(each.mean, each.right))
        for one in results
        for each in one.reliability
    ]
    if reliability:
        console.print_table(("set", "probability from", "links", "mean", "share right"), reliability, empty="")
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
