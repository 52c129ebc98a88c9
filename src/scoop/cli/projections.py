"""`scoop projections`: other stores that the desk's data is written to."""

import asyncio
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scoop.cli import console, progress, runtime, usage
from scoop.config import Config
from scoop.errors import UsageError
from scoop.stage_names import StageName

if TYPE_CHECKING:
    from scoop.app import App
    from scoop.projections import Projection

POLL_SECONDS = 0.5  # while another worker has a part of the work


@click.group(cls=usage.CommandGroup, invoke_without_command=True)
@console.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Other stores that the desk's data is written to: lag, items, errors; rebuild; files.

    The setting `project_to` names the projections; their options are listed by `scoop plugins list`.

    \b
    Examples:
      scoop projections                    lag, items and errors of each kind of record
      scoop projections rebuild dynamodb
      scoop projections files firestore --to .
    """
    if ctx.invoked_subcommand is None:
        runtime.run(_show(ctx.obj, as_json=as_json))


async def _show(config: Config, *, as_json: bool) -> None:
    from scoop.store import projections

    async with runtime.open_connection(config) as conn:
        states = await projections.list_states(conn)
    if as_json:
        console.print_json(states)
        return
    console.print_table(
        ("projection", "records", "lag", "items", "refused", "written", "deleted", "next attempt", "error"),
        [
            (
                state.projection,
                state.subject_kind,
                "not complete yet" if state.lag is None else f"{state.lag.total_seconds():.0f} s",
                state.items,
                state.problems,
                state.items_written,
                state.items_deleted,
                state.next_attempt_at,
                state.error,
            )
            for state in states
        ],
        empty="No projection has run. The setting project_to (SCOOP_PROJECT_TO) names the projections.",
        counts=["items", "refused", "written", "deleted"],
        cut="error",
    )


@command.command()
@click.argument("name")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    default=Path(),
    help="The folder to write them to.  [default: this one]",
)
@console.as_json
def files(name: str, folder: Path, as_json: bool) -> None:
    """Write the files of a projection for the tools of its store: access rules, indexes, expiry.

    A file that exists with another content is not overwritten.

    \b
    Example:
      scoop projections files firestore --to firebase
    """
    from scoop import plugins, projections

    known = plugins.discover(projections)
    if name not in known:
        raise UsageError(f"there is no projection {name!r}; there are {', '.join(sorted(known))}")
    written = _write_files(known[name], folder)
    if as_json:
        console.print_json([str(path) for path in written])
    else:
        click.echo("\n".join(map(str, written)) or f"{name} needs no files")


def _write_files(plugin: type["Projection"], folder: Path) -> list[Path]:
    source = Path(inspect.getfile(plugin)).parent / "files"
    contents = {folder / file: (source / file).read_bytes() for file in plugin.files}
    changed = [path for path, content in contents.items() if path.exists() and path.read_bytes() != content]
    if changed:
        raise UsageError(f"{changed[0]} exists with another content; name another folder, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        path.write_bytes(content)
    return list(contents)


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def rebuild(config: Config, name: str, as_json: bool) -> None:
    """Write all records of a projection again, and delete those that should not be there.

    Readers of the store see the old records until they are replaced. Workers may run meanwhile.

    \b
    Example:
      scoop projections rebuild dynamodb
    """
    deleted = runtime.run(_rebuild(config, name))
    if as_json:
        console.print_json({"projection": name, "deleted_unknown": deleted})
    else:
        click.echo(f"{name} rebuilt; {deleted:,} unknown items deleted")


async def _rebuild(config: Config, name: str) -> int:
    from scoop.app import open_app, open_projections
    from scoop.stages import project
    from scoop.store import projections as store

    projection_by_name = {projection.name: projection for projection in open_projections(config)}
    if name not in projection_by_name:
        raise UsageError(f"{name!r} is not configured; the setting project_to is {config.project_to or 'empty'}")
    projection = projection_by_name[name]
    await projection.prepare()
    async with open_app(config, only=[StageName.PROJECT]) as app, app.database.connection() as conn:
        await project.schedule(conn, [projection])
        await store.reset(conn, name)
        await _run_until_complete(app, projection)
        return await project.delete_unknown(conn, projection)


async def _run_until_complete(app: "App", projection: "Projection") -> None:
    """Run the stage beside the workers of the desk until every feed of the projection has ended a pass."""
    from scoop import worker
    from scoop.stages.stage import Worker
    from scoop.store import projections as store
    from scoop.store import work

    stop = runtime.stop_on_signal()
    async with app.database.connection() as conn:
        this_worker = Worker(await work.register_worker(conn), conn)
        with progress.stages() as report:
            while not stop.is_set() and not await store.is_complete(conn, projection.name):
                await work.release_orphans(conn)
                if not await worker.drain(app.stages[0], this_worker, stop=stop, report=report):
                    await asyncio.sleep(POLL_SECONDS)
    if stop.is_set():
        raise UsageError(f"interrupted: run `scoop projections rebuild {projection.name}` again")
