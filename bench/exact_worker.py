"""A worker that knows the exact rules alone: what the road costs without the search for copies and like headlines.

python bench/exact_worker.py --stage=normalize --stage=dedup      a member of a crew: it works while its input is open
"""

import sys
from typing import Any
from unittest.mock import patch

from scoop.cli import main
from scoop.core import signals, titles
from scoop.stages import dedup


async def no_copies(*_asked: Any) -> list[Any]:
    return []


if __name__ == "__main__":
    sys.argv = ["scoop", "worker", "--member", *sys.argv[1:]]
    with (
        patch.object(signals, "indexed", lambda _phrases: []),
        patch.object(titles, "headline", lambda _title: None),
        patch.object(dedup, "_copies", no_copies),
    ):
        main()
