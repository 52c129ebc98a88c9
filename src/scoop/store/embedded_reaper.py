"""The process that stops the embedded PostgreSQL when its last user is gone: `python -m scoop.store.keeper HOME`."""

import sys
from pathlib import Path

from scoop.store.embedded import EmbeddedServer


def main() -> None:
    EmbeddedServer(Path(sys.argv[1])).keep()


if __name__ == "__main__":
    main()
