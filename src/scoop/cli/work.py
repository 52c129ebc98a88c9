"""`scoop work`: the queue."""

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config

a_stage = click.option("--stage", help="Only this stage, as normalize.")
subjects_given = click.argument("subjects", type=console.ID, nargs=-1)


@click.group(cls=usage.Group, invoke_without_command=True)
@console.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """The queue: what waits, what failed, what is quarantined.

    \b
    Examples:
      scoop work                                      counts per stage and state
      scoop work failed                               what failed and waits for another try
      scoop work retry                                try it now
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
        empty="the queue is empty: everything is done",
    )


@command.command()
@a_stage
@console.as_json
@click.pass_obj
def failed(config: Config, stage: str | None, as_json: bool) -> None:
    """What failed and waits for another try."""
    runtime.run(_list(config, "failed", stage, as_json=as_json))


@command.command()
@a_stage
@subjects_given
@console.as_json
@click.pass_obj
def retry(config: Config, stage: str | None, subjects: tuple[int, ...], as_json: bool) -> None:
    """Make what waits for another try due at once."""
    runtime.run(_change(config, "retry_now", stage, subjects, as_json=as_json))


@command.group()
def quarantine() -> None:
    """What was given up until a person releases it."""


@quarantine.command("list")
@a_stage
@console.as_json
@click.pass_obj
def list_quarantined(config: Config, stage: str | None, as_json: bool) -> None:
    """Show what is quarantined, with the reason."""
    runtime.run(_list(config, "quarantined", stage, as_json=as_json))


@quarantine.command()
@a_stage
@subjects_given
@console.as_json
@click.pass_obj
def release(config: Config, stage: str | None, subjects: tuple[int, ...], as_json: bool) -> None:
    """Let quarantined work try again; all of it, or only these SUBJECTS."""
    runtime.run(_change(config, "release", stage, subjects, as_json=as_json))


async def _list(config: Config, what: str, stage: str | None, *, as_json: bool) -> None:
    from scoop.store import work

    lists = {"failed": work.failed, "quarantined": work.quarantined}
    async with runtime.open_connection(config) as conn:
        found = await lists[what](conn, stage=stage)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("stage", "subject", "tries", "crashes", "next", "reason"),
        [
            (w.stage, w.subject, w.attempts, w.crashes, w.due_at if w.state == "waiting" else None, w.error)
            for w in found
        ],
        empty=f"nothing is {what}",
    )


async def _change(config: Config, what: str, stage: str | None, subjects: tuple[int, ...], *, as_json: bool) -> None:
    from scoop.store import work

    changes = {"retry_now": work.retry_now, "release": work.release}
    async with runtime.open_connection(config) as conn:
        count = await changes[what](conn, stage=stage, subjects=subjects or None)
    if as_json:
        console.print_json({"changed": count})
    else:
        click.echo(f"{count:,} made due")
