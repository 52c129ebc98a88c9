"""`scoop users` and `scoop keys`: a desk that is run from a terminal needs no browser."""

import asyncio
import json
import os
import pty
import subprocess
import sys

import pytest

from builders import scoop
from scoop.http import passwords
from scoop.store import users
from web.visitor import NOW, visiting

PASSWORD = "correct horse battery"


@pytest.fixture
def run(database_url, home):
    def run(*arguments, stdin=None):
        return scoop(*arguments, stdin=stdin, database_url=database_url, home=home)

    return run


def a_person(run, name="ada", role="admin"):
    done = run("users", "add", name, "--role", role, "--password-stdin", "--json", stdin=f"{PASSWORD}\n".encode())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_the_first_person_can_be_added_without_a_browser_and_signs_in(run, database):
    added = await asyncio.to_thread(a_person, run)
    assert (added["name"], added["role"], added["enabled"], added["seen_at"]) == ("ada", "admin", True, None)
    async with visiting(database, role=None) as visitor:
        welcome = await visitor.get("/welcome")
        entered = await visitor.post("/sign-in", {"name": "ada", "password": PASSWORD})
    assert welcome.headers["Location"] == "/sign-in"
    assert (entered.status, entered.headers["Location"]) == (303, "/")


async def test_a_password_comes_from_the_first_line_of_a_file(run, database, tmp_path):
    (tmp_path / "secret").write_text(f"{PASSWORD}\r\nand a remark\n")
    done = await asyncio.to_thread(run, "users", "add", "ada", "--password-file", str(tmp_path / "secret"))
    assert (done.returncode, done.stdout) == (0, "ada added as reader\n")
    async with database.connection() as conn:
        known = await users.find_credentials(conn, "ada", network="", networks_since=NOW)
    assert await passwords.is_password(PASSWORD, known.password_hash)


def test_a_password_is_typed_unseen_and_twice(database_url, home):
    environ = {**os.environ, "SCOOP_DATABASE_URL": database_url, "SCOOP_HOME": str(home)}
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "scoop", "users", "add", "ada"]
    typing = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=environ, start_new_session=True)
    shown = b""
    for prompt in (b"Password:", b"Password again:", b"ada added"):
        while prompt not in shown:
            shown += os.read(terminal, 1024)
        if prompt.endswith(b":"):
            os.write(terminal, f"{PASSWORD}\n".encode())
    assert typing.wait(60) == 0
    os.close(terminal)
    os.close(end)
    assert PASSWORD.encode() not in shown


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["users", "add", "grace"], 2, "no terminal to type a password"),
        (["users", "add", "grace", "--password-file", "/nowhere"], 1, "cannot be read from /nowhere"),
        (["users", "add", "grace", "--password-file", "x", "--password-stdin"], 2, "not both"),
        (["users", "add", "ADA", "--password-stdin"], 1, "the name 'ADA' is taken"),
        (["users", "add", " ", "--password-stdin"], 2, "a name must be"),
        (
            ["users", "add", "grace", "--role", "king", "--password-stdin"],
            2,
            "--role is 'king'; it must be one of",
        ),
        (["users", "role", "ada", "reader"], 1, "ada is the only admin"),
        (["users", "disable", "ada"], 1, "ada is the only admin"),
        (["users", "remove", "ada"], 1, "ada is the only admin"),
        (["users", "role", "nobody", "reader"], 1, "there is no user 'nobody'"),
        (["users", "enable", "nobody"], 1, "there is no user 'nobody'"),
        (["users", "remove", "nobody"], 1, "there is no user 'nobody'"),
        (["keys", "add", "--user", "nobody", "--name", "x"], 1, "there is no user 'nobody'"),
        (["keys", "add", "--user", "ada", "--name", "a\nb"], 2, "a name must be"),
        (["keys", "add", "--user", "ada", "--name", "x", "--scope", "all"], 2, "--scope is 'all'"),
        (["keys", "add", "--user", "ada", "--name", "x", "--days", "0"], 2, "--days is '0'"),
        (["keys", "remove", "99"], 1, "there is no key 99"),
        (["keys", "list", "--user", "nobody"], 1, "there is no user 'nobody'"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(run, arguments, code, told):
    a_person(run)
    done = run(*arguments, stdin=f"{PASSWORD}\n".encode())
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_weak_password_is_refused(run):
    done = run("users", "add", "ada", "--password-stdin", stdin=b"short\n")
    assert (done.returncode, done.stderr) == (2, "scoop: the password must have at least 10 characters\n")


def test_people_change_and_go(run):
    a_person(run)
    a_person(run, "grace", "reader")
    assert run("users", "role", "Grace", "admin").returncode == 0
    assert run("users", "disable", "ada").returncode == 0
    found = {each["name"]: each for each in json.loads(run("users", "list", "--json").stdout)}
    assert (found["grace"]["role"], found["ada"]["enabled"]) == ("admin", False)
    assert "disabled" in run("users", "list").stdout
    assert run("users", "enable", "ada").returncode == 0
    assert json.loads(run("users", "remove", "ada", "--json").stdout)["name"] == "ada"
    assert [each["name"] for each in json.loads(run("users", "list", "--json").stdout)] == ["grace"]


async def test_another_password_signs_all_browsers_out(run, database):
    await asyncio.to_thread(a_person, run)
    async with visiting(database, role=None) as visitor:
        await visitor.post("/sign-in", {"name": "ada", "password": PASSWORD})
        changed = await asyncio.to_thread(
            run, "users", "password", "ada", "--password-stdin", stdin=b"another long password\n"
        )
        assert changed.returncode == 0
        assert (await visitor.get("/")).headers["Location"] == "/sign-in"
        assert (await visitor.post("/sign-in", {"name": "ada", "password": PASSWORD})).status == 401
        entered = await visitor.post("/sign-in", {"name": "ada", "password": "another long password"})
    assert entered.status == 303


async def test_a_key_is_shown_once_and_opens_what_it_was_made_for(run, database):
    await asyncio.to_thread(a_person, run)
    made = await asyncio.to_thread(run, "keys", "add", "--user", "ada", "--name", "script", "--days", "3")
    key = made.stdout.strip()
    listed = json.loads((await asyncio.to_thread(run, "keys", "list", "--user", "ada", "--json")).stdout)
    async with visiting(database, role=None) as visitor:
        read = await visitor.get("/queue", Authorization=f"Bearer {key}")
        changed = await visitor.post("/queue/retry", Authorization=f"Bearer {key}")
    removed = await asyncio.to_thread(run, "keys", "remove", str(listed[0]["api_key_id"]))
    async with visiting(database, role=None) as visitor:
        afterwards = await visitor.get("/api/openapi.json", Authorization=f"Bearer {key}")
    assert (read.status, changed.status, removed.returncode, afterwards.status) == (200, 403, 0, 401)
    assert (listed[0]["name"], listed[0]["scopes"], listed[0]["hint"]) == ("script", ["read"], key[-4:])
    assert key not in json.dumps(listed)
    assert key not in (await asyncio.to_thread(run, "keys", "list")).stdout


def test_a_key_is_no_wider_than_its_owner(run):
    a_person(run)
    a_person(run, "grace", "reader")
    done = run("keys", "add", "--user", "grace", "--name", "x", "--scope", "read", "--scope", "edit")
    assert (done.returncode, done.stderr) == (2, "scoop: a key of a reader cannot have the scope edit\n")
    assert json.loads(run("keys", "list", "--json").stdout) == []
