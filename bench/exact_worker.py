"""A worker with the exact rules alone: the pipeline without the search for copies and equal headlines.

python bench/exact_worker.py --stage=normalize --stage=dedup      runs until its standard input is closed
"""

import sys
from typing import Any
from unittest.mock import patch

from scoop.cli import main
from scoop.core import signals, titles
from scoop.stages import dedup
from scoop.stages.dedup import CopyPairs


async def no_copies(*_arguments: Any) -> CopyPairs:
    return CopyPairs(suspects=(), same_headlines=(), texts={}, boilerplate=(), common_phrases=())


if __name__ == "__main__":
    sys.argv = ["scoop", "worker", "--member", *sys.argv[1:]]
    with (
        patch.object(signals, "index_phrases", lambda _phrases: []),
        patch.object(titles, "headline", lambda _title: None),
        patch.object(dedup, "_copy_pairs", no_copies),
    ):
        main()
