"""`scoop assign-topics`: run the stage."""

import click

from scoop.cli import _stage, console, runtime
from scoop.config import Config
from scoop.stage_names import StageName


@click.command()
@click.option("--limit", type=click.IntRange(1), help="Stop after about this many stories.")
@console.as_json
@click.pass_obj
def command(config: Config, limit: int | None, as_json: bool) -> None:
    """Find the topics that waiting stories belong to.

    \b
    Example:
      scoop assign-topics --limit 2000
    """
    done = runtime.run_logged(config, _stage.run_stage(config, StageName.ASSIGN_TOPICS, limit))
    _stage.print_done(StageName.ASSIGN_TOPICS, done, as_json=as_json)
