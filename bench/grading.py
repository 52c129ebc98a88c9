"""Benchmark of the local grader: lessons a second in one process, with parsing.

python bench/grading.py FILE [FILE ...]: rows with `text`, English articles. Prints one JSON line per figure.
"""

import json
import sys
import time

from scoop.core.briefs import SourceText
from scoop.core.grading import lessons
from scoop.core.levels.rules import LEVELS
from scoop.evaluation import datasets
from scoop.parsers import english

ARTICLES = 20


def main(files: list[str]) -> None:
    for file in files:
        with datasets.opened(file) as stream:
            texts = [json.loads(line)["text"] for line in stream][:ARTICLES]
        english.parse(["Load the parser first."])
        started = time.process_time()
        made = sum(len(lessons.grade([_source(text)], LEVELS, parse=english.parse)) for text in texts)
        seconds = time.process_time() - started
        started = time.process_time()
        for text in texts:
            english.parse([text])
        parsing = time.process_time() - started
        print(
            json.dumps(
                {
                    "bench": "grading",
                    "file": file,
                    "lessons": made,
                    "lessons_per_second": round(made / seconds, 1),
                    "parsing_share": round(parsing / seconds, 2),
                }
            )
        )


def _source(text: str) -> SourceText:
    return SourceText(document_id=1, title="", body_text=text, language="en", publisher="")


if __name__ == "__main__":
    main(sys.argv[1:])
