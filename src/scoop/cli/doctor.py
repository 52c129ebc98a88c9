"""`scoop doctor`: what is wrong with this installation, and what to do about it."""

import os
import sys
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scoop import config as settings
from scoop.cli import config as config_command
from scoop.cli import console, current_folder, runtime
from scoop.config import Config
from scoop.errors import ConfigError, DatabaseUnavailable

if TYPE_CHECKING:
    from scoop.core.diagnosis import DoctorCheck


@click.command()
@console.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Check this installation, and say what to do about each problem.

    Looks at settings, home, disk, database, schema, workers, queue, sources, digests, posts and accounts. Starts the
    embedded database where it does not run; changes nothing. Exit code 1: a check failed; warnings do not count.

    \b
    Examples:
      scoop doctor
      scoop doctor --json
    """
    checks = [*_check_settings(ctx)]
    if isinstance(ctx.obj, Config):
        checks += runtime.run(_check(ctx.obj))
    if as_json:
        console.print_json(checks)
    else:
        _show(checks)
    sys.exit(1 if any(check.outcome == "fail" for check in checks) else 0)


def _show(checks: "list[DoctorCheck]") -> None:
    console.print_table(
        ("state", "check", "finding"),
        [(check.outcome, check.name, check.finding) for check in checks],
        empty="",
    )
    advice = [f"  {check.name}: {check.advice}" for check in checks if check.advice]
    if advice:
        click.echo("\n".join(["what to do:", *advice]))
    elif all(check.outcome == "ok" for check in checks):
        click.echo("everything is well")


def _check_settings(ctx: click.Context) -> "list[DoctorCheck]":
    """Check the settings; they become the context's, if they can be read at all."""
    from scoop.core import diagnosis

    problems = list(config_command.find_problems())
    try:
        ctx.obj = settings.load(os.environ, current_folder())
    except ConfigError:
        ctx.obj = None  # it is among the problems
    return [diagnosis.check_settings(problems, are_usable=ctx.obj is not None)]


async def _check(config: Config) -> "list[DoctorCheck]":
    from scoop.core import diagnosis

    problem = _write_problem(config.home)
    checks = [diagnosis.check_home(str(config.home), problem)]
    if problem is not None and not config.database_url:
        return checks  # the embedded database cannot be there
    checks.append(diagnosis.check_disk(config.free_bytes()))
    return checks + [check async for check in _check_database(config)]


def _write_problem(home: Path) -> str | None:
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return None
    except OSError as error:
        return (error.strerror or str(error)).lower()


async def _check_database(config: Config) -> "AsyncIterator[DoctorCheck]":
    from scoop import app
    from scoop.core import diagnosis
    from scoop.core.diagnosis import DoctorCheck
    from scoop.store import db, migrations
    from scoop.store.reads import diagnosis as reads

    try:
        database = await db.connect(app.server(config), size=1)
    except (DatabaseUnavailable, ConfigError) as error:
        yield DoctorCheck(name="database", outcome="fail", finding=str(error))
        return
    try:
        async with database.connection() as conn:
            about = await db.get_server_info(conn)
        yield DoctorCheck(
            name="database",
            outcome="ok",
            finding=f"PostgreSQL {about['postgresql']}, pgvector {about['pgvector']}, {about['size']}",
        )
        pending = [migration for migration in await migrations.status(database) if migration.applied_at is None]
        if not pending:
            async with database.connection() as conn:
                await migrations.is_current(conn)  # raises if the schema is of a newer program
        yield diagnosis.check_schema(len(pending))
        if not pending:
            async with database.connection() as conn:
                facts = await reads.get_facts(conn)
            for check in diagnosis.check_desk(facts, now=datetime.now(UTC)):
                yield check
    except DatabaseUnavailable as error:
        yield DoctorCheck(name="schema", outcome="fail", finding=str(error))
    finally:
        await database.close()
