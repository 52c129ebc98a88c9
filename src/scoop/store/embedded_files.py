"""Folders, files and locks of the embedded server, and the user that it runs as."""

import fcntl
import os
import pwd
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scoop.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Owner:
    """The user that the server runs as if Scoop runs as root, which PostgreSQL refuses."""

    uid: int
    gid: int


def nobody_user() -> Owner:
    nobody = pwd.getpwnam("nobody")
    return Owner(nobody.pw_uid, nobody.pw_gid)


def can_enter(folder: Path, owner: Owner) -> bool:
    """Whether a user can enter a folder."""
    status = folder.stat()
    if status.st_uid == owner.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == owner.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def make_private_folder(folder: Path, owner: Owner | None) -> None:
    """Create a folder that only the server's user can enter; refuse one that another user created."""
    uid = owner.uid if owner else os.geteuid()
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {uid, os.geteuid()}:
            raise ConfigError(
                f"{folder} belongs to another user; remove it or set SCOOP_HOME to another folder"
            ) from None
    if owner and folder.stat().st_uid != uid:
        os.chown(folder, owner.uid, owner.gid)


def write_private(path: Path, text: str, owner: Owner | None = None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:
        if owner:
            os.fchown(descriptor, owner.uid, owner.gid)
        file.write(text)


def write_once(path: Path, text: str) -> str:
    """Write a private file atomically, unless it exists; gives its content."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        write_private(draft, text)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path.read_text()


def copy_installation(package: Path, target: Path) -> Path:
    """A copy of the wheel's files, with the libraries beside the package."""
    if not target.exists():
        draft = target.with_name("dist.new")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(package / "pginstall", draft / package.name / "pginstall", symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        draft.rename(target)
    return target / package.name


def lock(path: Path, kind: int) -> IO[str]:
    file = open(path, "a")  # noqa: SIM115 - the lock lasts as long as the file is open
    fcntl.flock(file, kind)
    return file


def try_lock(path: Path) -> IO[str] | None:
    file = open(path, "a")  # noqa: SIM115
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with lock(path, fcntl.LOCK_EX):
        yield


def home_problem(home: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return (
        f"cannot write to {error.filename or home}: {reason}; free it, or set SCOOP_HOME to a folder you can write to"
    )
