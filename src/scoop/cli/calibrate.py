"""`scoop calibrate`: propose thresholds from review decisions."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.actions.review import Calibration
    from scoop.core.calibration import Accuracy, Proposal


@click.command()
@click.option("--apply", "applies", is_flag=True, help="Store the proposed thresholds for the active model.")
@click.option("--reset", is_flag=True, help="Return to the model's default thresholds.")
@console.as_json
@click.pass_obj
def command(config: Config, applies: bool, reset: bool, as_json: bool) -> None:
    """Propose thresholds from the decisions of reviewers.

    The decisions of `scoop review` are the labels. Each threshold is tested alone at every value that makes a
    difference. For merges, the proposal is the value with the highest recall at a precision of 0.99 or more; for
    coverage, the value with the best F1. A proposal needs at least 20 pairs of each kind that depend on the threshold.

    \b
    Examples:
      scoop calibrate                 show the current accuracy and the proposal
      scoop calibrate --apply         apply it; the next run links the documents again
      scoop calibrate --reset
    """
    if applies and reset:
        raise UsageError("give --apply or --reset, not both")
    runtime.run(_reset(config, as_json=as_json) if reset else _calibrate(config, applies=applies, as_json=as_json))


async def _calibrate(config: Config, *, applies: bool, as_json: bool) -> None:
    from scoop.actions import review
    from scoop.store import review_queue

    async with runtime.open_connection(config) as conn, conn.transaction():
        model, shipped = await review.active_model(conn)
        calibration = await review.measured(conn, model, shipped)
        if applies:
            await review_queue.calibrate(conn, model, calibration.calibration)
    if as_json:
        console.print_json(calibration)
    else:
        _show(calibration, applied=applies)


async def _reset(config: Config, *, as_json: bool) -> None:
    from scoop.actions import review
    from scoop.store import review_queue

    async with runtime.open_connection(config) as conn, conn.transaction():
        model, _ = await review.active_model(conn)
        await review_queue.calibrate(conn, model, {})
    if as_json:
        console.print_json(replace(model, calibration={}))
    else:
        click.echo(f"{model.model_name} {model.model_version} uses its default thresholds")


def _show(found: "Calibration", *, applied: bool) -> None:
    click.echo(f"{found.model_name} {found.model_version}, by review decisions:")
    click.echo(f"{found.same:,} pairs are one story, {found.labels - found.same:,} are not")
    if found.unusable:
        click.echo(f"{found.unusable:,} more are not usable: the model has no link between them")
    tiers = [(tier, *_figures(reached)) for tier, reached in (("merge", found.merge), ("coverage", found.coverage))]
    console.print_table(("tier", "precision", "recall"), tiers, empty="")
    console.print_table(
        ("threshold", "now", "proposed", "precision", "recall"), [_row(one) for one in found.proposals], empty=""
    )
    for one in found.proposals:
        if one.missing_same or one.missing_apart:
            click.echo(
                f"{one.threshold}: needs {one.missing_same} more pairs that are one story "
                f"and {one.missing_apart} that are not"
            )
    if applied:
        click.echo("applied: the next run links the documents again; merged stories stay merged")
    elif any(one.proposed != one.now for one in found.proposals):
        click.echo("to apply the proposal: scoop calibrate --apply")


def _row(one: "Proposal") -> tuple[str, ...]:
    if one.proposed == one.now:
        return one.threshold, f"{one.now:.4f}", "-", "", ""
    changes = zip(_figures(one.before), _figures(one.after), strict=True)
    return one.threshold, f"{one.now:.4f}", f"{one.proposed:.4f}", *(f"{was} -> {will}" for was, will in changes)


def _figures(reached: "Accuracy") -> tuple[str, ...]:
    return tuple("-" if figure is None else f"{figure:.3f}" for figure in (reached.precision, reached.recall))
