"""`scoop db`: direct access to the database, and its migrations."""

import os

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """The database: url, psql, migrate, status.

    \b
    Examples:
      scoop db url                      for other programs, while Scoop runs
      scoop db psql -c 'SELECT count(*) FROM stories'
      scoop db status
    """


@command.command()
@console.as_json
@click.pass_obj
def url(config: Config, as_json: bool) -> None:
    """Print the URL of the database. The embedded server is started, and runs while it has users."""
    from scoop.app import server

    address = server(config).attach()
    if as_json:
        console.print_json({"url": address})
    else:
        click.echo(address)


@command.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def psql(config: Config, arguments: tuple[str, ...]) -> None:
    """Open psql on the database; ARGUMENTS are passed to psql."""
    from scoop.app import server
    from scoop.store.embedded import EmbeddedServer, wheel_folder

    running = server(config)
    address = running.attach()
    if isinstance(running, EmbeddedServer):
        running.keep_after_exec()
    program = str(wheel_folder() / "bin" / "psql")
    os.environ["PGOPTIONS"] = "-c search_path=news,public"
    os.execv(program, [program, address, *arguments])  # noqa: S606


@command.command()
@console.as_json
@click.pass_obj
def migrate(config: Config, as_json: bool) -> None:
    """Apply pending migrations; other commands do this automatically."""
    runtime.run(_migrate(config, as_json=as_json))


async def _migrate(config: Config, *, as_json: bool) -> None:
    from scoop import app
    from scoop.store import db, migrations

    database = await db.connect(app.server(config), size=2)
    try:
        applied = await migrations.migrate(database)
    finally:
        await database.close()
    if as_json:
        console.print_json([{"version": m.version, "name": m.name} for m in applied])
    else:
        click.echo("\n".join(f"applied {m.version:04} {m.name}" for m in applied) or "the schema is up to date")


@command.command()
@console.as_json
@click.pass_obj
def status(config: Config, as_json: bool) -> None:
    """Show the server, its location and its migrations."""
    runtime.run(_status(config, as_json=as_json))


async def _status(config: Config, *, as_json: bool) -> None:
    from scoop import app
    from scoop.store import db, migrations
    from scoop.store.embedded import EmbeddedServer

    server = app.server(config)
    database = await db.connect(server, size=2)
    try:
        async with database.connection() as conn:
            about = await db.get_server_info(conn)
        shipped = await migrations.status(database)
    finally:
        await database.close()
    where = (
        {"kind": "embedded", "folder": str(server.folder)}
        if isinstance(server, EmbeddedServer)
        else {"kind": "external"}
    )
    if as_json:
        applied = [{"version": m.version, "name": m.name, "applied_at": m.applied_at} for m in shipped]
        console.print_json({**where, **about, "migrations": applied})
        return
    console.print_table(("property", "value"), list({**where, **about}.items()), empty="")
    console.print_table(
        ("version", "migration", "applied"),
        [(f"{m.version:04}", m.name, m.applied_at) for m in shipped],
        empty="no migrations",
    )
