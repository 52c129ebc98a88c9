"""`scoop users`: who may come in."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.core import access
from scoop.core.access import Role
from scoop.errors import InputError, UsageError
from scoop.store.db import Connection

a_role = click.Choice(access.ROLES)


def _password_options(function: Callable[..., None]) -> Callable[..., None]:
    """Where a password comes from; never an argument, which everybody on the machine can see."""
    options = [
        click.option(
            "--password-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Read the password from the first line of this file.",
        ),
        click.option("--password-stdin", is_flag=True, help="Read the password from the first line of standard input."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group(cls=usage.Group)
def command() -> None:
    """People who may sign in: list, add, password, role, enable, disable, remove.

    A reader reads; an editor also changes sources, topics and stories; an admin also manages people and their keys.

    \b
    Examples:
      scoop users add ada --role admin                  asks for the password
      scoop users add bot --password-file bot.secret
      scoop users role ada editor
      scoop users password ada
      scoop users list
    """


@command.command("list")
@console.as_json
@click.pass_obj
def list_users(config: Config, as_json: bool) -> None:
    """Show everybody who may sign in."""
    runtime.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import users

    async with runtime.open_connection(config) as conn:
        found = await users.list_users(conn)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("name", "role", "state", "signs in by", "last signed in"),
        [
            (
                user.name,
                user.role,
                "may come in" if user.enabled else "rests",
                " and ".join(["password"] * user.has_password + ["organisation"] * user.has_oidc),
                user.seen_at,
            )
            for user in found
        ],
        empty="nobody has an account yet; make one: scoop users add NAME --role admin",
    )


@command.command()
@click.argument("name")
@click.option("--role", type=a_role, default="reader", show_default=True, help="What they may do.")
@_password_options
@console.as_json
@click.pass_obj
def add(config: Config, name: str, role: Role, password_file: Path | None, password_stdin: bool, as_json: bool) -> None:
    """Add a person; the first one should be an admin.

    \b
    Examples:
      scoop users add ada --role admin
      pass show scoop/ada | scoop users add ada --role editor --password-stdin
    """
    from scoop.http import accounts

    checked = accounts.checked_name(name)
    password = _password(password_file, from_stdin=password_stdin)
    runtime.run(_add(config, checked, role, password, as_json=as_json))


async def _add(config: Config, name: str, role: Role, password: str, *, as_json: bool) -> None:
    from scoop.http import passwords
    from scoop.store import users

    async def put(conn: Connection) -> users.User:
        return await users.by_id(conn, await users.add(conn, name=name, role=role, password_hash=password_hash))

    password_hash = await passwords.hash_password(password)
    await _change(config, put, done=f"{name} may sign in, as {role}", as_json=as_json)


@command.command()
@click.argument("name")
@_password_options
@console.as_json
@click.pass_obj
def password(config: Config, name: str, password_file: Path | None, password_stdin: bool, as_json: bool) -> None:
    """Give a person another password; all their browsers are signed out."""
    given = _password(password_file, from_stdin=password_stdin)
    runtime.run(_set_password(config, name, given, as_json=as_json))


async def _set_password(config: Config, name: str, given: str, *, as_json: bool) -> None:
    from scoop.http import passwords

    password_hash = await passwords.hash_password(given)
    await _change(
        config,
        _changing(name, password_hash=password_hash),
        as_json=as_json,
        done=f"{name} has another password, and is signed out everywhere",
    )


@command.command()
@click.argument("name")
@click.argument("new_role", metavar="ROLE", type=a_role)
@console.as_json
@click.pass_obj
def role(config: Config, name: str, new_role: Role, as_json: bool) -> None:
    """Give a person the ROLE reader, editor or admin."""
    runtime.run(_change(config, _changing(name, role=new_role), done=f"{name} is now: {new_role}", as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def enable(config: Config, name: str, as_json: bool) -> None:
    """Let a person in again who rested."""
    runtime.run(_change(config, _changing(name, enabled=True), done=f"{name} may come in", as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def disable(config: Config, name: str, as_json: bool) -> None:
    """Keep a person and their keys out until they are enabled again."""
    done = f"{name} is signed out and rests"
    runtime.run(_change(config, _changing(name, enabled=False), done=done, as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def remove(config: Config, name: str, as_json: bool) -> None:
    """Forget a person, with all their keys."""

    async def take(conn: Connection) -> Any:
        from scoop.store import users

        user = await users.by_name(conn, name)
        await users.remove(conn, user.user_id)
        return user

    runtime.run(_change(config, take, done=f"{name} is removed, with all keys", as_json=as_json))


def _changing(name: str, **changes: Any) -> Callable[[Connection], Awaitable[Any]]:
    async def change(conn: Connection) -> Any:
        from scoop.store import users

        return await users.change(conn, (await users.by_name(conn, name)).user_id, **changes)

    return change


async def _change(config: Config, change: Callable[[Connection], Awaitable[Any]], *, done: str, as_json: bool) -> None:
    async with runtime.open_connection(config) as conn, conn.transaction():
        user = await change(conn)
    if as_json:
        console.print_json(user)
    else:
        click.echo(done)


def _password(file: Path | None, *, from_stdin: bool) -> str:
    """The password from where the caller says, else from whoever sits at the terminal, who types it unseen."""
    if file is not None and from_stdin:
        raise UsageError("give --password-file or --password-stdin, not both")
    if file is not None:
        return _first_line(_text(file))
    if from_stdin:
        return _first_line(sys.stdin.readline())
    if not sys.stdin.isatty():
        raise UsageError("nobody sits here to type a password; give --password-file or --password-stdin")
    typed: str = click.prompt("Password", hide_input=True, confirmation_prompt="The same again", err=True)
    return typed


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"the password cannot be read from {file}: {error}") from error


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip("\r")
