"""`scoop work`: the queue."""

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.core.display_names import counted
from scoop.stage_names import StageName

stage_option = click.option(
    "--stage",
    type=click.Choice([name.value for name in StageName]),
    metavar="STAGE",
    help="Only this stage, as normalize.",
)
subjects_argument = click.argument("subjects", type=console.ID, nargs=-1)


@click.group(cls=usage.CommandGroup, invoke_without_command=True)
@console.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show the queue: waiting, failed and quarantined work.

    \b
    Examples:
      scoop work                                      counts per stage and state
      scoop work failed                               failed work that waits for a retry
      scoop work retry                                retry it now
      scoop work quarantine list
      scoop work quarantine release --stage normalize 17 18
    """
    if ctx.invoked_subcommand is None:
        runtime.run(_show(ctx.obj, as_json=as_json))


async def _show(config: Config, *, as_json: bool) -> None:
    from scoop.store import work

    async with runtime.open_connection(config) as conn:
        counts = await work.counts(conn)
    if as_json:
        console.print_json(counts)
        return
    console.print_table(
        ("stage", "state", "count", "due now", "failed before", "next"),
        [(c.stage, c.state, c.count, c.due if c.state == "waiting" else "", c.failed, c.next_time) for c in counts],
        empty="The queue is empty.",
        counts=["count", "due now", "failed before"],
    )


@command.command()
@stage_option
@console.as_json
@click.pass_obj
def failed(config: Config, stage: str | None, as_json: bool) -> None:
    """List failed work that waits for a retry."""
    runtime.run(print_work(config, "failed", stage, as_json=as_json))


@command.command()
@stage_option
@subjects_argument
@console.as_json
@click.pass_obj
def retry(config: Config, stage: str | None, subjects: tuple[int, ...], as_json: bool) -> None:
    """Retry failed work now; all of it, or only these SUBJECTS."""
    runtime.run(change(config, "retry_now", stage, subjects, as_json=as_json))


@command.group()
def quarantine() -> None:
    """List or release work that is not retried any more."""


@quarantine.command("list")
@stage_option
@console.as_json
@click.pass_obj
def list_quarantined(config: Config, stage: str | None, as_json: bool) -> None:
    """List quarantined work with the reason."""
    runtime.run(print_work(config, "quarantined", stage, as_json=as_json))


@quarantine.command()
@stage_option
@subjects_argument
@console.as_json
@click.pass_obj
def release(config: Config, stage: str | None, subjects: tuple[int, ...], as_json: bool) -> None:
    """Release quarantined work, to be tried again; all of it, or only these SUBJECTS."""
    runtime.run(change(config, "release", stage, subjects, as_json=as_json))


async def print_work(config: Config, state: str, stage: str | None, *, as_json: bool) -> None:
    from scoop.store import work

    lists = {"failed": work.failed, "quarantined": work.quarantined}
    async with runtime.open_connection(config) as conn:
        items = await lists[state](conn, stage=stage)
    if as_json:
        console.print_json(items)
        return
    console.print_table(
        ("stage", "failure", "subject", "tries", "crashes", "next", "reason"),
        [
            (
                item.stage,
                item.failure_type,
                f"{item.subject_kind or 'subject'} {item.subject}",
                item.attempts,
                item.crashes,
                item.due_at if item.state == "waiting" else None,
                item.error,
            )
            for item in items
        ],
        empty=f"No work is {state}.",
    )


async def change(config: Config, action: str, stage: str | None, subjects: tuple[int, ...], *, as_json: bool) -> None:
    from scoop.store import work

    changes = {"retry_now": work.retry_now, "release": work.release}
    async with runtime.open_connection(config) as conn:
        count = await changes[action](conn, stage=stage, subjects=subjects or None)
    if as_json:
        console.print_json({"changed": count})
    else:
        click.echo(f"{counted(count, 'work item')} {'is' if count == 1 else 'are'} due now")
