"""`scoop users`: user accounts."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.core import access
from scoop.core.access import Role
from scoop.errors import InputError, UsageError

if TYPE_CHECKING:
    from scoop.store.db import Connection
    from scoop.store.users import User

a_role = click.Choice(access.ROLES)


def _password_options(function: Callable[..., None]) -> Callable[..., None]:
    """Options for the source of a password; not an argument, which all users of the machine could see."""
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


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """User accounts: list, show, add, change, enable, disable, remove.

    A reader reads; an editor also changes sources, topics and stories; an admin also manages people and their keys.

    \b
    Examples:
      scoop users add ada --role admin                  asks for the password
      scoop users add bot --password-file bot.secret
      scoop users change ada --role editor
      scoop users change ada --password
      scoop users list
    """


@command.command("list")
@console.as_json
@click.pass_obj
def list_users(config: Config, as_json: bool) -> None:
    """List all accounts.

    \b
    Example:
      scoop users list
    """
    runtime.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import users

    async with runtime.open_connection(config) as conn:
        accounts = await users.list_users(conn)
    if as_json:
        console.print_json(accounts)
        return
    console.print_table(
        ("name", "role", "state", "signs in by", "last signed in"),
        [(user.name, user.role, _state(user), _sign_in(user), user.seen_at) for user in accounts],
        empty="there are no accounts yet; add one: scoop users add NAME --role admin",
    )


def _state(user: "User") -> str:
    return "enabled" if user.enabled else "disabled"


def _sign_in(user: "User") -> str:
    return " and ".join(["password"] * user.has_password + ["organisation"] * user.has_oidc)


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def show(config: Config, name: str, as_json: bool) -> None:
    """Show one account with its keys.

    \b
    Example:
      scoop users show ada
    """
    runtime.run(_show(config, name, as_json=as_json))


async def _show(config: Config, name: str, *, as_json: bool) -> None:
    from scoop.store import users

    async with runtime.open_connection(config) as conn:
        user = await users.by_name(conn, name)
        keys = await users.list_keys(conn, user_id=user.user_id)
    if as_json:
        console.print_json({"user": user, "keys": keys})
        return
    seen = console.format_time(user.seen_at) if user.seen_at else "never"
    click.echo(f"{user.name}, {user.role}, {_state(user)}; signs in by {_sign_in(user) or 'nothing'}, last: {seen}")
    console.print_table(
        ("key", "name", "created"), [(key.api_key_id, key.name, key.created_at) for key in keys], empty="no keys"
    )


@command.command()
@click.argument("name")
@click.option("--role", type=a_role, default="reader", show_default=True, help="The role, which gives the rights.")
@_password_options
@console.as_json
@click.pass_obj
def add(config: Config, name: str, role: Role, password_file: Path | None, password_stdin: bool, as_json: bool) -> None:
    """Add an account; the first one should be an admin.

    \b
    Examples:
      scoop users add ada --role admin
      pass show scoop/ada | scoop users add ada --role editor --password-stdin
    """
    from scoop.http import accounts

    checked = accounts.checked_name(name)
    password = _read_password(password_file, from_stdin=password_stdin)
    runtime.run(_add(config, checked, role, password, as_json=as_json))


async def _add(config: Config, name: str, role: Role, password: str, *, as_json: bool) -> None:
    from scoop.http import passwords
    from scoop.store import users

    async def add(conn: "Connection") -> users.User:
        return await users.by_id(conn, await users.add(conn, name=name, role=role, password_hash=password_hash))

    password_hash = await passwords.hash_password(password)
    await _change(config, add, done=f"{name} added as {role}", as_json=as_json)


@command.command()
@click.argument("name")
@click.option("--role", type=a_role, help="The role, which gives the rights.")
@click.option("--password", "asks_password", is_flag=True, help="Prompt for a new password.")
@_password_options
@console.as_json
@click.pass_obj
def change(
    config: Config,
    name: str,
    role: Role | None,
    asks_password: bool,
    password_file: Path | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Change the role or the password of an account; a new password ends all its sessions.

    \b
    Examples:
      scoop users change ada --role editor
      scoop users change ada --password
      pass show scoop/ada | scoop users change ada --password-stdin
    """
    changes_password = asks_password or password_file is not None or password_stdin
    if role is None and not changes_password:
        raise UsageError("nothing to change: give --role, --password, --password-file or --password-stdin")
    password = _read_password(password_file, from_stdin=password_stdin) if changes_password else None
    runtime.run(_set(config, name, role=role, password=password, as_json=as_json))


async def _set(config: Config, name: str, *, role: Role | None, password: str | None, as_json: bool) -> None:
    from scoop.http import passwords

    changes: dict[str, Any] = {}
    done: list[str] = []
    if role is not None:
        changes["role"] = role
        done.append(f"role of {name} changed to {role}")
    if password is not None:
        changes["password_hash"] = await passwords.hash_password(password)
        done.append(f"password of {name} changed; all sessions ended")
    await _change(config, _changing(name, **changes), done="\n".join(done), as_json=as_json)


@command.command(hidden=True)
@click.argument("name")
@_password_options
@console.as_json
@click.pass_obj
def password(config: Config, name: str, password_file: Path | None, password_stdin: bool, as_json: bool) -> None:
    """The old spelling of `scoop users change NAME --password`."""
    typed = _read_password(password_file, from_stdin=password_stdin)
    runtime.run(_set(config, name, role=None, password=typed, as_json=as_json))


@command.command(hidden=True)
@click.argument("name")
@click.argument("new_role", metavar="ROLE", type=a_role)
@console.as_json
@click.pass_obj
def role(config: Config, name: str, new_role: Role, as_json: bool) -> None:
    """The old spelling of `scoop users change NAME --role ROLE`."""
    runtime.run(_set(config, name, role=new_role, password=None, as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def enable(config: Config, name: str, as_json: bool) -> None:
    """Enable a disabled account.

    \b
    Example:
      scoop users enable ada
    """
    runtime.run(_change(config, _changing(name, enabled=True), done=f"{name} enabled", as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def disable(config: Config, name: str, as_json: bool) -> None:
    """Disable an account: its sessions end, and its keys are refused until it is enabled again.

    \b
    Example:
      scoop users disable ada
    """
    done = f"{name} disabled; all sessions ended"
    runtime.run(_change(config, _changing(name, enabled=False), done=done, as_json=as_json))


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def remove(config: Config, name: str, as_json: bool) -> None:
    """Delete an account with all its keys.

    \b
    Example:
      scoop users remove ada
    """

    async def delete(conn: "Connection") -> Any:
        from scoop.store import users

        user = await users.by_name(conn, name)
        await users.remove(conn, user.user_id)
        return user

    runtime.run(_change(config, delete, done=f"{name} removed, with all keys", as_json=as_json))


def _changing(name: str, **changes: Any) -> "Callable[[Connection], Awaitable[Any]]":
    async def change(conn: "Connection") -> Any:
        from scoop.store import users

        return await users.change(conn, (await users.by_name(conn, name)).user_id, **changes)

    return change


async def _change(
    config: Config, change: "Callable[[Connection], Awaitable[Any]]", *, done: str, as_json: bool
) -> None:
    async with runtime.open_connection(config) as conn, conn.transaction():
        user = await change(conn)
    if as_json:
        console.print_json(user)
    else:
        click.echo(done)


def _read_password(file: Path | None, *, from_stdin: bool) -> str:
    """The password from a file or standard input, else typed at the terminal without being shown."""
    if file is not None and from_stdin:
        raise UsageError("give --password-file or --password-stdin, not both")
    if file is not None:
        return _first_line(_text(file))
    if from_stdin:
        return _first_line(sys.stdin.readline())
    if not sys.stdin.isatty():
        raise UsageError("no terminal to type a password at; give --password-file or --password-stdin")
    typed: str = click.prompt("Password", hide_input=True, confirmation_prompt="Password again", err=True)
    return typed


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"the password cannot be read from {file}: {error}") from error


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip("\r")
