"""Wrong settings, homes, ports and databases: one clear message that says what to do, and nothing half-made."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from builders import an_item, as_lines, scoop
from conftest import administer, make_home, url_of
from scoop import config
from scoop.store import db
from scoop.store.db import ExternalServer
from scoop.store.embedded import EmbeddedServer

NOBODY_LISTENS = "postgresql://127.0.0.1:1/scoop"


def assert_error(done, code, *words):
    """One error with these words, the last line of standard error; only progress lines precede it."""
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    *progress, error = done.stderr.splitlines()
    assert all(line.endswith(" ...") and not line.startswith("scoop: ") for line in progress), done.stderr
    assert error.startswith("scoop: "), done.stderr
    assert all(word in error for word in words), done.stderr


def finished(process, rest):
    """Hand the rest of its input to a process and wait for it, but not for ever."""
    try:
        return process.communicate(rest, timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


# Settings


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("port", "abc", ["SCOOP_PORT", "'abc'", "0 to 65535"]),
        ("port", "-1", ["SCOOP_PORT", "'-1'"]),
        ("port", "65536", ["SCOOP_PORT", "'65536'"]),
        ("newsstand_port", "8788x", ["SCOOP_NEWSSTAND_PORT"]),
        ("processes", "0", ["SCOOP_PROCESSES", "1 to 64"]),
        ("timezone", "Mars/Base", ["SCOOP_TIMEZONE", "Mars/Base", "Europe/Berlin"]),
        ("timezone", "Europe", ["SCOOP_TIMEZONE"]),
        ("timezone", "../../etc/passwd", ["SCOOP_TIMEZONE"]),
        ("log_format", "xml", ["SCOOP_LOG_FORMAT", "text, json, auto"]),
        ("log_level", "loud", ["SCOOP_LOG_LEVEL", "debug, info, warning, error"]),
        ("config", "/tmp/there/is/no/scoop.toml", ["SCOOP_CONFIG", "no such file"]),
        ("config", "/tmp", ["SCOOP_CONFIG", "directory"]),
        ("home", "~nobody_has_this_name/scoop", ["SCOOP_HOME", "~nobody_has_this_name"]),
        ("database_url", "foo", ["SCOOP_DATABASE_URL", "postgresql://"]),
        ("database_url", "mysql://user@host/name", ["SCOOP_DATABASE_URL", "postgresql://"]),
        ("fault", "x", ["SCOOP_FAULT"]),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(name, value, words):
    assert_error(scoop("run-once", **{"database_url": NOBODY_LISTENS, name: value}), 3, *words)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (b"port = ", ["not TOML"]),
        (b"port = '8787'\n[", ["not TOML"]),
        (b"\xff\xfe", ["not TOML"]),
        (b"port = " + b"9" * 5000, ["not TOML"]),
        (b"port = " + b"[" * 100_000, ["not TOML"]),
        (b"prot = 8787", ["there is no setting 'prot'", "port"]),
        (b'port = "abc"', ["port", "'abc'"]),
        (b"[port]\nnumber = 1", ["port", "0 to 65535"]),
        (b"processes = 1.5", ["processes", "'1.5'"]),
        (b"processes = true", ["processes", "'True'"]),
        (b'home = "/tmp/a\\u0000b"', ["home"]),
    ],
)
def test_a_wrong_settings_file_is_named_with_what_is_wrong(toml, words, tmp_path):
    file = tmp_path / "scoop.toml"
    file.write_bytes(toml)
    assert_error(scoop("stats", database_url=NOBODY_LISTENS, config=file), 3, *words)


def test_an_empty_home_is_the_default_and_not_the_folder_one_happens_to_be_in():
    assert config.load({"SCOOP_HOME": ""}, Path("/")).home == config.load({}, Path("/")).home


# Databases


def silent_server(answer):
    """A port that takes connections and answers each with these bytes, or never."""
    listener = socket.create_server(("127.0.0.1", 0))
    held = []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                held.append(connection)
                if answer:
                    connection.recv(1000)
                    connection.sendall(answer)
                    connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return listener, held


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (NOBODY_LISTENS, ["Connection refused"]),
        ("postgresql://nobody.invalid/scoop", ["nobody.invalid"]),
        ("postgresql://127.0.0.1:port/scoop", ["port"]),
        ("postgresql://[::1/scoop", ["IPv6"]),
        ("postgresql:///scoop?host=/tmp/no/such/folder", ["No such file"]),
        (f"{NOBODY_LISTENS}?sslmode=perhaps", ["sslmode"]),
    ],
)
def test_a_database_that_does_not_answer_is_told_with_the_setting(url, words):
    done = scoop("stats", database_url=url)
    assert_error(done, 4, "does not answer", "check SCOOP_DATABASE_URL", "unset it", *words)


@pytest.mark.parametrize("command", ["run-once", "worker", "up"])
def test_every_command_tells_that_no_database_answers(command, tmp_path):
    assert_error(scoop(command, database_url=NOBODY_LISTENS, home=tmp_path), 4, "does not answer")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["nothing", "HTTP"])
def test_a_port_where_something_else_listens_is_told(answer):
    listener, held = silent_server(answer)
    try:
        done = scoop("stats", database_url=f"postgresql://127.0.0.1:{listener.getsockname()[1]}/scoop", timeout=30)
    finally:
        listener.close()
        for connection in held:
            connection.close()
    assert_error(done, 4, "does not answer", "check SCOOP_DATABASE_URL")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:tr0ub4dor@127.0.0.1:1/scoop",
        "postgresql://user:tr0ub4dor@abc@127.0.0.1:1/scoop",
        "postgresql://user:abc@tr0ub4dor@127.0.0.1:1/scoop",
        "postgresql://user:x/tr0ub4dor@127.0.0.1:1/scoop",
        "postgresql://127.0.0.1:1/scoop?user=user&password=tr0ub4dor",
    ],
)
def test_a_password_is_never_shown(url):
    done = scoop("stats", database_url=url)
    assert_error(done, 4, "SCOOP_DATABASE_URL")
    assert "tr0ub4dor" not in done.stderr


def query(url, *statements):
    async def execute():
        database = await db.connect(ExternalServer(url), size=1)
        async with database.connection() as conn:
            found = [await conn.fetchval(statement) for statement in statements]
        await database.close()
        return found

    return asyncio.run(execute())


@pytest.fixture
def make_database(postgres, worker_id):
    """Empty databases that no migration has seen; give the URL."""
    names = []

    def make(*settings):
        names.append(f"odd_{worker_id}_{random.getrandbits(40)}")
        asyncio.run(administer(postgres, f"CREATE DATABASE {names[-1]}"))
        for setting in settings:
            asyncio.run(administer(postgres, f"ALTER DATABASE {names[-1]} SET {setting}"))
        return url_of(postgres, names[-1])

    yield make
    for name in names:
        asyncio.run(administer(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def stranger(postgres, worker_id):
    """A role that has a password and no rights."""
    name = f"stranger_{worker_id}"
    asyncio.run(administer(postgres, f"CREATE ROLE {name} LOGIN PASSWORD 'stranger'"))
    yield name
    asyncio.run(administer(postgres, f"DROP ROLE {name}"))


def as_role(url, role, password):
    address, _, parameters = url.partition("?")
    kept = "&".join(each for each in parameters.split("&") if not each.startswith("passfile="))
    return f"{address.replace('scoop@', f'{role}:{password}@')}?{kept}"


def test_a_wrong_password_is_told(make_database, stranger):
    done = scoop("stats", database_url=as_role(make_database(), stranger, "guessed"))
    assert_error(done, 4, "password authentication failed", "SCOOP_DATABASE_URL")
    assert "guessed" not in done.stderr


def test_a_wrong_password_is_told_as_such_even_when_it_is_the_name_of_the_role(make_database, stranger):
    done = scoop("stats", database_url=as_role(make_database(), stranger, stranger))
    assert_error(done, 4, "password authentication failed", "SCOOP_DATABASE_URL")


def test_a_database_that_does_not_exist_is_told(postgres):
    done = scoop("stats", database_url=url_of(postgres, "no_such_database"))
    assert_error(done, 4, 'database "no_such_database" does not exist', "SCOOP_DATABASE_URL")


def test_a_server_without_pgvector_is_told_before_anything_is_written(make_database):
    # The server looks for extensions where none are, for this database: it has no pgvector to offer.
    url = make_database("extension_control_path = '/nonexistent'")
    done = scoop("ingest", "--items", "-", stdin=as_lines([an_item()]), database_url=url)
    assert_error(done, 4, "no pgvector", "install")
    # A role of the database's own may still look: the search path of the file system is put back for it.
    found = query(f"{url}&extension_control_path=$system", "SELECT count(*) FROM pg_namespace WHERE nspname = 'news'")
    assert found == [0]


def test_a_role_that_may_not_install_pgvector_is_told_what_a_superuser_must_run(make_database, stranger):
    done = scoop("stats", database_url=as_role(make_database(), stranger, "stranger"))
    assert_error(done, 4, "CREATE EXTENSION vector")


def test_a_role_that_may_not_make_the_schema_is_told_what_it_needs(make_database, stranger):
    url = make_database()
    query(url, "CREATE EXTENSION vector")
    assert_error(scoop("stats", database_url=as_role(url, stranger, "stranger")), 4, "schema", "GRANT")


def test_a_database_that_is_read_only_is_told(make_database):
    url = make_database("default_transaction_read_only = on")
    assert_error(scoop("stats", database_url=url), 4, "read-only", "SCOOP_DATABASE_URL")


def test_a_schema_of_a_newer_program_is_left_alone(database_url):
    query(database_url, "INSERT INTO news.schema_migrations VALUES (9999, 'future', 'x')")
    assert_error(scoop("stats", database_url=database_url), 4, "9999", "update Scoop")


def test_a_database_that_ends_the_connection_during_an_ingest_is_told_and_the_rest_goes_in_later(database_url):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "scoop", "ingest", "--items", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/tmp",
        env=environ | {"SCOOP_DATABASE_URL": database_url},
    )
    items = [an_item(number) for number in range(6_000)]
    process.stdin.write(as_lines(items[:4_000]))
    process.stdin.flush()
    while query(database_url, "SELECT count(*) FROM news.raw_arrivals") == [0]:
        assert process.poll() is None
    mine = "pid <> pg_backend_pid() AND datname = current_database()"
    query(database_url, f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {mine}")
    output, errors = finished(process, as_lines(items[4_000:]))
    assert "Traceback" not in errors.decode(), errors.decode()
    assert process.returncode == 4, output
    assert errors.decode().startswith("scoop: the database")

    done = scoop("ingest", "--items", "-", "--json", stdin=as_lines(items), database_url=database_url)
    assert done.returncode == 0
    assert query(database_url, "SELECT count(*) FROM news.raw_arrivals") == [6_000]


# Homes


def stop(home):
    EmbeddedServer(home).stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def bare_home():
    """A home for one test; unlike `home`, its server is only stopped where there is one."""
    folder = Path(make_home())
    yield folder
    stop(folder)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("below a file", ["stats"]),
        ("below a file", ["demo", "items"]),
        ("below a file", ["up", "--once"]),
        ("a file", ["ingest", "--items", "-"]),
        ("a name too long", ["stats"]),
        ("a name too long", ["demo", "items"]),
    ],
)
def test_a_home_that_cannot_be_made_is_told(kind, arguments, tmp_path):
    file = tmp_path / "file"
    file.touch()
    home = {"below a file": file / "home", "a file": file, "a name too long": tmp_path / ("x" * 300)}[kind]
    assert_error(scoop(*arguments, stdin=b"", home=home), 3, str(tmp_path), "SCOOP_HOME")


def with_small_files(blocks, *arguments, home):
    """Run a command whose files, and those of its children, may not grow beyond so many blocks of 512 bytes."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    limited = f'ulimit -f {blocks}; exec "$@"'
    return subprocess.run(
        ["sh", "-c", limited, "sh", sys.executable, "-m", "scoop", *arguments],
        capture_output=True,
        text=True,
        cwd="/tmp",
        env=environ | {"SCOOP_HOME": str(home)},
        timeout=60,
    )


@pytest.mark.parametrize("blocks", [0, 2_000], ids=["nothing", "a small table"])
def test_a_home_with_room_for_little_more_than_nothing_is_told_and_heals(blocks, bare_home):
    done = with_small_files(blocks, "stats", home=bare_home)
    assert done.returncode in {3, 4}
    assert_error(done, done.returncode, str(bare_home), "SCOOP_HOME")
    assert scoop("stats", home=bare_home).returncode == 0


def test_a_home_in_a_closed_folder_without_room_heals_too(tmp_path):
    tmp_path.chmod(0o700)
    home = tmp_path / "home"
    done = with_small_files(0, "stats", home=home)
    assert_error(done, 3, str(home), "SCOOP_HOME")
    assert all(file.stat().st_size for file in home.glob("pg.location"))  # an empty one names the current folder
    done = scoop("stats", home=home)
    server = EmbeddedServer(home)
    server.stop()
    shutil.rmtree(server.folder)
    assert done.returncode == 0, done.stderr


def test_a_demo_without_room_is_told_and_heals(bare_home):
    assert_error(with_small_files(0, "demo", "items", home=bare_home), 3, str(bare_home), "SCOOP_HOME")
    assert scoop("demo", "items", home=bare_home).returncode == 0


def test_a_broken_note_of_the_demo_is_written_anew(tmp_path):
    note = tmp_path / "newsstand.json"
    for broken in ("", '{"anchor": 7}'):
        note.write_text(broken)
        done = scoop("demo", "items", home=tmp_path)
        assert done.returncode == 0, done.stderr
    assert json.loads(note.read_text())


def may_mount():
    folder = make_home()
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True).returncode == 0
        if mounted:
            subprocess.run(["umount", folder], check=True)
    except FileNotFoundError:
        return False
    finally:
        os.rmdir(folder)
    return mounted


needs_disks = pytest.mark.skipif(
    not may_mount(), reason="a small file system can be mounted only with the rights of root"
)


@pytest.fixture
def disk():
    """A folder on a disk of its own, which can be made larger: `disk.change("size=2g")`."""
    found = Disk(Path(make_home()))
    yield found
    found.remove()


class Disk:
    def __init__(self, folder):
        self.folder = folder
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,mode=0711", "none", folder], check=True)

    def change(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.folder], check=True)

    def remove(self):
        EmbeddedServer(self.folder).stop()
        subprocess.run(["umount", "--lazy", self.folder], check=True)
        self.folder.rmdir()


@needs_disks
def test_a_home_with_room_for_half_a_database_is_told_and_heals(disk):
    disk.change("size=40m")  # enough for the server's own tables, not for a copy of them
    done = scoop("stats", home=disk.folder)
    assert_error(done, 4, str(disk.folder), "o space left on device", "SCOOP_HOME")
    disk.change("size=2g")
    done = scoop("stats", home=disk.folder)
    assert done.returncode == 0, done.stderr


@needs_disks
def test_a_disk_that_fills_during_an_ingest_is_told_and_nothing_is_lost(disk):
    disk.change("size=70m")
    chance = random.Random(1)
    items = as_lines(an_item(number, body_text=chance.randbytes(40_000).hex()) for number in range(500))
    done = scoop("ingest", "--items", "-", stdin=items, home=disk.folder)
    assert_error(done, 4, "space")

    done = scoop("stats", "--json", home=disk.folder)
    if done.returncode:  # the server may need room to come back
        assert_error(done, 4, str(disk.folder), "o space left on device")

    disk.change("size=2g")
    done = scoop("ingest", "--items", "-", "--json", stdin=items, home=disk.folder)
    assert done.returncode == 0, done.stderr
    stats = json.loads(scoop("stats", "--json", home=disk.folder).stdout)
    assert stats["arrivals"] == 500


@pytest.fixture
def read_only_view(bare_home):
    """A second way to the home, which cannot be written through."""
    view = Path(make_home())
    subprocess.run(["mount", "--bind", bare_home, view], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", view], check=True)
    yield view
    subprocess.run(["umount", "--lazy", view], check=True)
    view.rmdir()


@needs_disks
def test_a_home_that_has_become_read_only_is_told_and_works_again_afterwards(bare_home, read_only_view):
    for is_empty in (True, False):
        for arguments in (["stats"], ["demo", "items"]):
            done = scoop(*arguments, home=read_only_view)
            assert_error(done, 3, str(read_only_view), "read-only", "SCOOP_HOME")
        if is_empty:
            assert scoop("ingest", "--items", "-", stdin=as_lines([an_item()]), home=bare_home).returncode == 0
            EmbeddedServer(bare_home).stop()
    assert json.loads(scoop("stats", "--json", home=bare_home).stdout)["arrivals"] == 1


# Ports


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield str(listener.getsockname()[1])


def a_free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def test_a_page_whose_port_is_taken_is_told(taken, database_url, tmp_path):
    done = scoop("up", port=taken, newsstand_port=a_free_port(), database_url=database_url, home=tmp_path, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 3
    assert taken in done.stderr.splitlines()[-1]
    assert "SCOOP_PORT" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("host", ["nobody.invalid", "203.0.113.5"])
def test_a_page_at_an_address_that_is_not_ours_is_told(host, database_url, tmp_path):
    settings = {"host": host, "port": "0", "newsstand_port": a_free_port(), "home": tmp_path}
    done = scoop("up", database_url=database_url, timeout=60, **settings)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 3
    assert host in done.stderr.splitlines()[-1]
    assert "SCOOP_HOST" in done.stderr.splitlines()[-1]


def test_a_newsstand_whose_port_is_taken_is_told_and_another_port_then_serves(taken, database_url, tmp_path):
    done = scoop("up", "--once", newsstand_port=taken, database_url=database_url, home=tmp_path, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 3
    assert taken in done.stderr.splitlines()[-1]
    assert "SCOOP_NEWSSTAND_PORT" in done.stderr.splitlines()[-1]

    settings = {"newsstand_port": a_free_port(), "database_url": database_url, "home": tmp_path}
    done = scoop("up", "--once", "--json", timeout=60, **settings)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stories"] > 0
