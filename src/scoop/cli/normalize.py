"""`scoop normalize`: run the stage."""

import click

from scoop.cli import _stage, console, runtime
from scoop.config import Config
from scoop.stage_names import StageName


@click.command()
@click.option("--limit", type=click.IntRange(1), help="Stop after about this many arrivals.")
@console.as_json
@click.pass_obj
def command(config: Config, limit: int | None, as_json: bool) -> None:
    """Turn waiting arrivals into documents.

    \b
    Example:
      scoop normalize --limit 1000
    """
    _stage.print_done(
        StageName.NORMALIZE,
        runtime.run_logged(config, _stage.run_stage(config, StageName.NORMALIZE, limit)),
        as_json=as_json,
    )
