"""The embedded PostgreSQL: started on demand, shared, closed to others, safe to kill."""

import asyncio
import os
import pwd
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Barrier

import psutil
import pytest

from scoop.errors import ConfigError
from scoop.store import db, embedded
from scoop.store.embedded import EmbeddedServer

ATTACH = """
import sys, time
from pathlib import Path
from scoop.store.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
server.attach()
"""
USE_AND_WAIT = ATTACH + "print('up', flush=True); time.sleep(60)"
USE_AND_TELL = ATTACH + "print(server.postmaster_pid())"
NOBODY = pwd.getpwnam("nobody")


async def answer(server: EmbeddedServer, query: str = "SELECT 1"):
    database = await db.connect(server, size=1)
    try:
        async with database.connection() as conn:
            return await conn.fetchval(query)
    finally:
        await database.close()


def wait_until(condition, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def a_user(home: Path) -> subprocess.Popen[bytes]:
    """Another process that uses the server until it is killed."""
    user = subprocess.Popen([sys.executable, "-c", USE_AND_WAIT, str(home)], stdout=subprocess.PIPE)
    assert user.stdout is not None
    assert user.stdout.readline() == b"up\n"
    return user


def end(user: subprocess.Popen[bytes]) -> None:
    user.kill()
    user.communicate()


async def test_it_starts_on_demand_and_understands_every_script(home):
    assert await answer(EmbeddedServer(home), "SELECT lower('ÄÉ') || length('日本語')") == "äé3"


async def test_committed_rows_survive_a_kill_of_the_server(home):
    server = EmbeddedServer(home)
    database = await db.connect(server, size=2)
    async with database.connection() as conn:
        await conn.execute("CREATE TABLE kept AS SELECT generate_series(1, 5000) AS n")
    os.kill(server.postmaster_pid(), signal.SIGKILL)
    assert wait_until(lambda: not server.is_listening())
    await asyncio.sleep(0.5)  # the server's children notice that it is gone
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM kept") == 5000
    await database.close()


async def test_it_stays_while_a_process_uses_it_and_stops_when_the_last_one_is_killed(home):
    server = EmbeddedServer(home)
    first, second = a_user(home), a_user(home)
    end(first)
    time.sleep(0.5)
    assert server.is_listening()
    end(second)
    assert wait_until(lambda: not server.is_listening(), embedded.LINGER_SECONDS + 20)


async def test_four_processes_that_start_at_once_share_one_server(home):
    starting = [
        subprocess.Popen([sys.executable, "-c", USE_AND_TELL, str(home)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert len({process.communicate(timeout=60)[0] for process in starting}) == 1


async def test_whoever_comes_second_finds_the_folders_of_a_new_home_made(tmp_path):
    tmp_path.chmod(0o711)

    def come(home: Path, ready: Barrier) -> None:
        server = EmbeddedServer(home)
        ready.wait()
        server.make_folders()
        server.detach()

    for number in range(30):
        ready = Barrier(4)
        await asyncio.gather(*(asyncio.to_thread(come, tmp_path / str(number), ready) for _ in range(ready.parties)))


async def test_a_lock_file_with_a_strangers_pid_does_not_keep_it_down(home):
    server = EmbeddedServer(home)
    await answer(server)
    server.stop()
    (server.data / "postmaster.pid").write_text(
        f"{os.getpid()}\n{server.data}\n{int(time.time())}\n5432\n{server.sockets}\n\n"
    )
    assert await answer(server) == 1


async def test_a_half_made_database_is_made_anew(home):
    server = EmbeddedServer(home)
    draft = home / "pg" / "server" / "data.new"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    if server.owner:
        for folder in (home / "pg" / "server", draft):
            os.chown(folder, server.owner.uid, server.owner.gid)
        (home / "pg").chmod(0o711)
    assert await answer(server) == 1


async def test_a_deep_home_gets_its_socket_in_a_short_folder(home):
    deep = home / ("long" * 12) / ("path" * 12)
    server = EmbeddedServer(deep)
    assert await answer(server) == 1
    assert len(str(server.sockets)) <= embedded.MAX_SOCKET_FOLDER
    assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
    server.stop()
    server.sockets.rmdir()


async def test_data_socket_and_password_are_closed_to_other_users(home):
    server = EmbeddedServer(home)
    await answer(server)
    for path in (server.data, server.sockets, server.passfile):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


async def test_the_password_is_needed_even_on_the_socket(home):
    server = EmbeddedServer(home)
    await answer(server)
    server.passfile.write_text("*:*:*:scoop:wrong\n")
    stranger = EmbeddedServer(home)
    with pytest.raises(db.DatabaseUnavailable, match="password"):
        await answer(stranger)


async def test_no_tcp_port_is_opened(home):
    server = EmbeddedServer(home)
    await answer(server)
    pid = server.postmaster_pid()
    listening = [conn for conn in psutil.Process(pid).net_connections("inet") if conn.status == psutil.CONN_LISTEN]
    assert listening == []


async def test_a_home_below_a_file_is_told_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="SCOOP_HOME"):
        await asyncio.to_thread(EmbeddedServer(tmp_path / "file" / "home").attach)


class TestAsRoot:
    """Where Scoop runs as root, the server does not; as an ordinary user these state the same of that user."""

    async def test_the_server_runs_as_an_unprivileged_user(self, home):
        server = EmbeddedServer(home)
        await answer(server)
        uid = psutil.Process(server.postmaster_pid()).uids().effective
        assert uid == (NOBODY.pw_uid if os.geteuid() == 0 else os.geteuid())

    async def test_folders_above_the_home_keep_their_modes(self, home):
        closed = home / "closed"
        closed.mkdir(mode=0o700)
        server = EmbeddedServer(closed / "home")
        assert await answer(server) == 1
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        again = EmbeddedServer(closed / "home")
        assert again.folder == server.folder
        server.stop()
        if os.geteuid() == 0:
            assert embedded.CLOSED_HOMES in server.folder.parents
            subprocess.run(["rm", "-rf", str(server.folder)], check=True)
