"""`scoop keys`: API keys."""

from datetime import UTC, datetime, timedelta

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.core import access
from scoop.core.access import Right

MAX_DAYS = 3650


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """API keys of users: list, add, remove.

    A key belongs to a user and never has more rights than the user. It is shown once, when it is created.

    \b
    Examples:
      scoop keys add --user ada --name "backup script" --scope read
      scoop keys add --user ada --name scraper --scope push --days 30
      scoop keys list
      scoop keys remove 3
    """


@command.command("list")
@click.option("--user", metavar="NAME", help="Only the keys of this user.")
@console.as_json
@click.pass_obj
def list_keys(config: Config, user: str | None, as_json: bool) -> None:
    """List keys; only the last characters of each are shown."""
    runtime.run(_list(config, user, as_json=as_json))


async def _list(config: Config, name: str | None, *, as_json: bool) -> None:
    from scoop.store import users

    async with runtime.open_connection(config) as conn:
        user_id = (await users.by_name(conn, name)).user_id if name is not None else None
        keys = await users.list_keys(conn, user_id=user_id)
    if as_json:
        console.print_json(keys)
        return
    console.print_table(
        ("key", "owner", "name", "ends in", "scopes", "expires", "last used"),
        [
            (key.api_key_id, key.owner, key.name, key.hint, ", ".join(key.scopes), key.expires_at, key.used_at)
            for key in keys
        ],
        empty="there are no keys yet; add one: scoop keys add --user NAME --name PURPOSE --scope read",
    )


@command.command()
@click.option("--user", required=True, metavar="NAME", help="The owner of the key.")
@click.option("--name", required=True, help="The purpose of the key, to recognise it in lists.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(access.RIGHTS),
    multiple=True,
    default=("read",),
    show_default=True,
    help="A right of the key; repeatable.",
)
@click.option(
    "--days", type=click.IntRange(1, MAX_DAYS), metavar="DAYS", help="Days until it expires (default: never)."
)
@console.as_json
@click.pass_obj
def add(config: Config, user: str, name: str, scopes: tuple[Right, ...], days: int | None, as_json: bool) -> None:
    """Create a key for a user's programs and print it. It cannot be shown again.

    \b
    Examples:
      scoop keys add --user ada --name reader --scope read --days 90
      scoop keys add --user ada --name scraper --scope push --json
    """
    runtime.run(_add(config, user, name, scopes, days, as_json=as_json))


async def _add(
    config: Config, user_name: str, name: str, scopes: tuple[Right, ...], days: int | None, *, as_json: bool
) -> None:
    from scoop.http import accounts
    from scoop.store import users

    lifetime = timedelta(days=days) if days is not None else None
    async with runtime.open_connection(config) as conn, conn.transaction():
        user = await users.by_name(conn, user_name)
        key = await accounts.new_key(
            conn, user.user_id, user.role, name=name, scopes=scopes, now=datetime.now(UTC), lasts=lifetime
        )
    if as_json:
        console.print_json(key)
    else:
        click.echo("Key created. Copy it now: it is shown only once.", err=True)
        click.echo(key.key)


@command.command()
@click.argument("key", type=console.ID)
@console.as_json
@click.pass_obj
def remove(config: Config, key: int, as_json: bool) -> None:
    """Revoke the key with the number KEY."""
    runtime.run(_remove(config, key, as_json=as_json))


async def _remove(config: Config, api_key_id: int, *, as_json: bool) -> None:
    from scoop.store import users

    async with runtime.open_connection(config) as conn, conn.transaction():
        await users.remove_key(conn, api_key_id)
    if as_json:
        console.print_json({"removed": api_key_id})
    else:
        click.echo(f"key {api_key_id} revoked")
