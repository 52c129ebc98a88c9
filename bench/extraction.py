"""Quality and speed of article extraction, compared with trafilatura in the same run: one JSON line per figure.

python bench/extraction.py FOLDER

FOLDER has ground-truth.json.gz, {id: {"articleBody", "url"}}, and the pages as html/ID.html.gz.

The score is that of the article extraction benchmark: per page, it compares the multisets of runs of four words of the
expected and the extracted text. Precision and recall are means over the pages, F1 is their harmonic mean.
"""

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import trafilatura

from common import figure
from scoop.fetch import articles as extraction

RUN = 4  # words
ROUNDS = 3  # the fastest counts: other programs may use the machine


def runs(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))) if words else Counter()


def score(expected: list[str], extracted: list[str]) -> dict[str, float]:
    precisions, recalls = [], []
    for runs_expected, runs_extracted in zip(map(runs, expected), map(runs, extracted), strict=True):
        shared = (runs_expected & runs_extracted).total()
        if runs_extracted:
            precisions.append(shared / runs_extracted.total())
        recalls.append(shared / runs_expected.total())
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return {"F1": 2 * precision * recall / (precision + recall), "precision": precision, "recall": recall}


def ours(html: bytes, url: str) -> str:
    return extraction.extract(html, url=url).text


def bare(html: bytes, _url: str) -> str:
    return trafilatura.extract(html, fast=True, include_comments=False) or ""


EXTRACTORS = {"scoop": ours, "trafilatura": bare}


def seconds(extract: Callable[[bytes, str], str], html: bytes, url: str) -> float:
    start = time.process_time()
    extract(html, url)
    return time.process_time() - start


def best_seconds(html: bytes, url: str) -> tuple[float, float]:
    """The best times of Scoop and of trafilatura, measured in turns, so that other load affects both."""
    taken = [(seconds(ours, html, url), seconds(bare, html, url)) for _ in range(ROUNDS)]
    return min(mine for mine, _ in taken), min(other for _, other in taken)


def articles(folder: Path) -> Iterator[tuple[bytes, str, str]]:
    for page_id, truth in sorted(json.loads(gzip.decompress((folder / "ground-truth.json.gz").read_bytes())).items()):
        html = gzip.decompress((folder / "html" / f"{page_id}.html.gz").read_bytes())
        yield html, truth["url"], truth["articleBody"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    pages = list(articles(parser.parse_args().folder))
    expected = [text for _, _, text in pages]
    for name, extract in EXTRACTORS.items():
        for measure, value in score(expected, [extract(html, url) for html, url, _ in pages]).items():
            figure(measure, value, "share", extractor=name)
    taken = [best_seconds(html, url) for html, url, _ in pages]
    spent = [sum(column) for column in zip(*taken, strict=True)]
    for name, total in zip(EXTRACTORS, spent, strict=True):
        figure("pages a second", len(pages) / total, "pages/s", extractor=name)
    figure("time compared with trafilatura", spent[0] / spent[1], "times")


if __name__ == "__main__":
    main()
