"""`scoop refused`: list refused items."""

from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.arrivals import StoredRefusal

SHOWN_BYTES = 2000


@click.command()
@click.option("--run", "run_id", type=console.ID, help="Only items of this run.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Maximum number.")
@console.as_json
@click.pass_obj
def command(config: Config, run_id: int | None, limit: int, as_json: bool) -> None:
    """List refused items with line and problems.

    Items are stored unchanged: correct them and ingest them again.

    \b
    Examples:
      scoop refused
      scoop refused --run 7 --json
    """
    runtime.run(_show(config, run_id, limit, as_json=as_json))


async def _show(config: Config, run_id: int | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import arrivals

    async with runtime.open_connection(config) as conn:
        refusals = await arrivals.list_refusals(conn, run_id=run_id, limit=limit)
    if as_json:
        console.print_json([_as_dict(refused) for refused in refusals])
        return
    console.print_table(
        ("run", "input", "line", "path", "reason"),
        [
            (refused.run_id, refused.input, refused.line, problem["path"], problem["reason"])
            for refused in refusals
            for problem in refused.problems
        ],
        empty="no refused items",
    )


def _as_dict(refused: "StoredRefusal") -> dict[str, Any]:
    """The item as text, with its first problem and the list of all."""
    return {
        "run_id": refused.run_id,
        "input": refused.input,
        "line": refused.line,
        **refused.problems[0],
        "problems": refused.problems,
        "refused_at": refused.refused_at,
        "item": refused.raw_item[:SHOWN_BYTES].decode("utf-8", "replace"),
    }
