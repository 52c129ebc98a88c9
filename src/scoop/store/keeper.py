"""The process that stops the embedded PostgreSQL when its last user is gone: `python -m scoop.store.keeper HOME`."""

import sys
from pathlib import Path

from scoop.store.embedded import Embedded

LINGER = 20.0  # seconds without users; commands that follow one another find the server warm


def main() -> None:
    Embedded(Path(sys.argv[1])).keep(LINGER)


if __name__ == "__main__":
    main()
