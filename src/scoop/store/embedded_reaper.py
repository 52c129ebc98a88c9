"""Stops the embedded PostgreSQL when no process uses it: `python -m scoop.store.embedded_reaper HOME`."""

import sys
from pathlib import Path

from scoop.store.embedded import EmbeddedServer


def main() -> None:
    EmbeddedServer(Path(sys.argv[1])).run_reaper()


if __name__ == "__main__":
    main()
