"""One set of verbs over all commands; old spellings still work and are hidden."""

import json

import click
import pytest

from builders import scoop
from scoop import cli

PASSWORD = b"correct horse battery\n"
OTHER_SPELLINGS = {"edit", "ls", "rm", "delete", "get", "update", "create", "new", "set", "unset", "on", "off"}


def groups():
    root = click.Context(cli.scoop, info_name="scoop")
    for name in cli.COMMANDS:
        command = cli.scoop.get_command(root, name)
        if isinstance(command, click.Group):
            yield command
            yield from (below for below in command.commands.values() if isinstance(below, click.Group))


@pytest.mark.parametrize("group", list(groups()), ids=lambda group: group.name)
def test_commands_that_do_the_same_have_the_same_name(group):
    shown = {name for name, command in group.commands.items() if not command.hidden}
    assert not shown & OTHER_SPELLINGS
    assert ("enable" in shown) == ("disable" in shown)
    assert not any("--off" in option.opts for command in group.commands.values() for option in command.params)


@pytest.fixture
def desk(database_url, home):
    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, secret_desk="x", **options)

    return call


def test_old_spellings_still_work(desk):
    assert desk("users", "add", "ada", "--role", "admin", "--password-stdin", stdin=PASSWORD).returncode == 0
    assert desk("users", "add", "bob", "--password-stdin", stdin=PASSWORD).returncode == 0
    assert desk("users", "role", "bob", "editor").stdout == "role of bob changed to editor\n"
    assert desk("users", "password", "bob", "--password-stdin", stdin=b"another long password\n").returncode == 0
    assert desk("webhooks", "add", "main", "https://example.com/hook", "--secret", "desk").returncode == 0
    assert json.loads(desk("webhooks", "enable", "--off", "main", "--json").stdout) == {
        "name": "main",
        "enabled": False,
    }
    assert desk("topics", "add", "energy").returncode == 0
    assert desk("topics", "edit", "energy", "--name", "Energy").returncode == 0
    assert desk("topics", "channel", "list", "energy").returncode == 0
    added = desk("sources", "add", "https://example.com/feed", "--collection", "news", "--slug", "a", "--no-check")
    assert added.returncode == 0, added.stderr
    assert desk("sources", "edit", "a", "--every", "2h").returncode == 0
    assert json.loads(desk("sources", "enable", "a", "--off", "--json").stdout) == {"slugs": ["a"], "enabled": False}
    for group in ("work", "review", "digests"):
        assert desk(group, "list", "--json").returncode == 0


@pytest.mark.parametrize(
    ("group", "old"),
    [("users", "role"), ("users", "password"), ("topics", "channel"), ("topics", "edit"), ("sources", "edit")],
)
def test_old_spellings_are_hidden_from_the_help(group, old):
    listed = [
        line.split()[0] for line in scoop("help", group).stdout.partition("Commands:")[2].splitlines() if line.strip()
    ]
    assert old not in listed
    assert scoop(group, old, "--help").returncode == 0


def test_a_webhook_is_changed_where_an_option_says_so_and_else_stays(desk):
    url = "https://example.com/hook"
    assert desk("webhooks", "add", "main", url, "--secret", "desk", "--collection", "ai_news").returncode == 0
    changed = desk("webhooks", "change", "main", "--url", "https://example.com/other", "--collection", "", "--json")
    assert changed.returncode == 0, changed.stderr
    shown = json.loads(desk("webhooks", "show", "main", "--json").stdout)
    assert (shown["url"], shown["collection"], shown["secret"]) == ("https://example.com/other", None, "desk")
    assert desk("webhooks", "change", "main").returncode == 2


def test_a_person_is_shown_and_changed(desk):
    desk("users", "add", "ada", "--role", "admin", "--password-stdin", stdin=PASSWORD)
    desk("users", "add", "bob", "--password-stdin", stdin=PASSWORD)
    assert desk("users", "change", "bob").returncode == 2
    assert desk(
        "users", "change", "bob", "--role", "editor", "--password-stdin", stdin=b"another long one\n"
    ).stdout == ("role of bob changed to editor\npassword of bob changed; all sessions ended\n")
    shown = json.loads(desk("users", "show", "bob", "--json").stdout)
    assert (shown["user"]["name"], shown["user"]["role"], shown["keys"]) == ("bob", "editor", [])
