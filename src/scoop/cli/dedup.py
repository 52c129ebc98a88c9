"""`scoop dedup`: run the stage."""

import click

from scoop.cli import _stage, console, runtime
from scoop.config import Config
from scoop.stage_names import StageName


@click.command()
@click.option("--limit", type=click.IntRange(1), help="Stop after about this many documents.")
@console.as_json
@click.pass_obj
def command(config: Config, limit: int | None, as_json: bool) -> None:
    """Fold waiting documents into stories.

    \b
    Example:
      scoop dedup --limit 2000
    """
    _stage.print_done(
        StageName.DEDUP, runtime.run_logged(config, _stage.run_stage(config, StageName.DEDUP, limit)), as_json=as_json
    )
