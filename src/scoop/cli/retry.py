"""`scoop retry`: the retry queue."""

import click

from scoop.cli import console, runtime, usage, work
from scoop.config import Config


@click.group(cls=usage.CommandGroup, invoke_without_command=True)
@console.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show the retry queue: list, now.

    It has the work that failed and is tried again, with the reason and the next try. `scoop work` shows the whole
    queue.

    \b
    Examples:
      scoop retry
      scoop retry list --stage write
      scoop retry now --stage write 17
    """
    if ctx.invoked_subcommand is None:
        runtime.run(work.print_work(ctx.obj, "failed", None, as_json=as_json))


@command.command("list")
@work.stage_option
@console.as_json
@click.pass_obj
def list_(config: Config, stage: str | None, as_json: bool) -> None:
    """List failed work that waits for a retry."""
    runtime.run(work.print_work(config, "failed", stage, as_json=as_json))


@command.command()
@work.stage_option
@work.subjects_argument
@console.as_json
@click.pass_obj
def now(config: Config, stage: str | None, subjects: tuple[int, ...], as_json: bool) -> None:
    """Retry failed work now; all of it, or only these SUBJECTS."""
    runtime.run(work.change(config, "retry_now", stage, subjects, as_json=as_json))
