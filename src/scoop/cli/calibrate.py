"""`scoop calibrate`: thresholds that follow from what people decided."""

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
@click.option(
    "--apply", "applies", is_flag=True, help="Store what is proposed: the deciding model follows it from now on."
)
@click.option("--reset", is_flag=True, help="Go back to the thresholds that the model came with.")
@console.as_json
@click.pass_obj
def command(config: Config, applies: bool, reset: bool, as_json: bool) -> None:
    """Propose thresholds that follow from what people decided.

    The decisions of `scoop review` are the labels. Each threshold is tried at every value that makes a difference, one
    at a time: for merges the one that finds most at a precision of 0.99 or more, for coverage the best F1. Nothing is
    proposed from fewer than 20 pairs of each kind that depend on the threshold.

    \b
    Examples:
      scoop calibrate                 how well the thresholds do, and what is proposed
      scoop calibrate --apply         apply it; the next run links the documents again
      scoop calibrate --reset
    """
    if applies and reset:
        raise UsageError("--apply and --reset exclude each other; name one")
    runtime.run(_reset(config, as_json=as_json) if reset else _calibrate(config, applies=applies, as_json=as_json))


async def _calibrate(config: Config, *, applies: bool, as_json: bool) -> None:
    from scoop.actions import review
    from scoop.store import review as store

    async with runtime.open_connection(config) as conn, conn.transaction():
        model, shipped = await review.active_model(conn)
        found = await review.measured(conn, model, shipped)
        if applies:
            await store.calibrate(conn, model, found.calibration)
    if as_json:
        console.print_json(found)
    else:
        _show(found, applied=applies)


async def _reset(config: Config, *, as_json: bool) -> None:
    from scoop.actions import review
    from scoop.store import review as store

    async with runtime.open_connection(config) as conn, conn.transaction():
        model, _ = await review.active_model(conn)
        await store.calibrate(conn, model, {})
    if as_json:
        console.print_json(replace(model, calibration={}))
    else:
        click.echo(f"{model.model_name} {model.model_version} decides by the thresholds that it came with")


def _show(found: "Calibration", *, applied: bool) -> None:
    click.echo(f"{found.model_name} {found.model_version}, by what people decided:")
    click.echo(f"{found.same:,} pairs are one story, {found.labels - found.same:,} are not")
    if found.unusable:
        click.echo(f"{found.unusable:,} more cannot be used: the model has no link between them")
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
        click.echo("to follow it: scoop calibrate --apply")


def _row(one: "Proposal") -> tuple[str, ...]:
    if one.proposed == one.now:
        return one.threshold, f"{one.now:.4f}", "-", "", ""
    changes = zip(_figures(one.before), _figures(one.after), strict=True)
    return one.threshold, f"{one.now:.4f}", f"{one.proposed:.4f}", *(f"{was} -> {will}" for was, will in changes)


def _figures(reached: "Accuracy") -> tuple[str, ...]:
    return tuple("-" if figure is None else f"{figure:.3f}" for figure in (reached.precision, reached.recall))
