"""`scoop mcp`: an MCP server for assistants on this machine."""

from datetime import UTC, datetime

import click

from scoop.cli import runtime
from scoop.config import Config


@click.command()
@click.pass_obj
def command(config: Config) -> None:
    """Run an MCP server for an assistant on this machine.

    It uses standard input and output. The assistant can search, read stories and digests, and list sources; it cannot
    change anything. Assistants on other machines use /mcp of the web server with an API key.

    \b
    Examples:
      scoop mcp
      claude mcp add scoop -- scoop mcp
    """
    runtime.run(_serve(config))


async def _serve(config: Config) -> None:
    from scoop.app import open_database
    from scoop.http.deps import Desk
    from scoop.mcp import tools

    async with open_database(config, name="scoop mcp") as database:
        desk = Desk(config=config, database=database, clock=lambda: datetime.now(UTC))
        await tools.server(tools.Tools(desk=desk)).run_stdio_async()
