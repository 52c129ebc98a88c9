"""Speed and completeness of the feed parser, compared with two others: one JSON line per figure.

python bench/feeds.py                     speed on generated feeds
python bench/feeds.py --corpora FOLDER    and completeness, on the test feeds in its folders feed-rs and rss-parser
"""

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import fastfeedparser
import feedparser

from common import figure
from scoop.core import feed_reading
from scoop.core.feed_reading import dates, markup

FEEDS, ITEMS = 50, 50  # about 90 KB each
ROUNDS = 5
WORDS = """
    the of minister bridge said tuesday market engineers report river company model price rises falls new data after
    before when which city world energy power plan law court first second third launch team game final match vote party
""".split()  # noqa: SIM905


def a_feed(seed: int) -> bytes:
    """RSS 2.0 like that of a blog: a teaser, and the article in HTML."""
    chance = random.Random(seed)
    start = datetime(2026, 11, 15, 9, tzinfo=UTC)
    entries = "".join(_an_entry(chance, number, start - timedelta(hours=number)) for number in range(ITEMS))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>The Tribune</title>'
        f"<link>https://tribune.example/</link><description>News</description><language>en</language>{entries}"
        "</channel></rss>"
    ).encode()


def _an_entry(chance: random.Random, number: int, at: datetime) -> str:
    paragraphs = "".join(
        f'<p>{" ".join(chance.choices(WORDS, k=55))} &amp; <a href="https://tribune.example/x?a=1&amp;b=2">more</a>.</p>\n'
        for _ in range(3)
    )
    title = " ".join(chance.choices(WORDS, k=9)).capitalize()
    return (
        f"<item><title>{title} &amp; more</title><link>https://tribune.example/2026/11/{number}</link>"
        f'<guid isPermaLink="false">tribune-{chance.randrange(10**9)}</guid><dc:creator>Ada Reporter</dc:creator>'
        f"<pubDate>{at.strftime('%a, %d %b %Y %H:%M:%S +0000')}</pubDate><category>world</category>"
        f"<category>bridges</category><description>{' '.join(chance.choices(WORDS, k=40))} &#8230;</description>"
        f"<content:encoded><![CDATA[{paragraphs}]]></content:encoded></item>\n"
    )


def measure_speeds() -> None:
    documents = [a_feed(seed) for seed in range(FEEDS)]
    readers: dict[str, Callable[[bytes], Any]] = {
        "scoop": feed_reading.parse,
        "fastfeedparser": fastfeedparser.parse,
        "feedparser": feedparser.parse,
    }
    speed_by_name = {name: _feeds_a_second(read, documents) for name, read in readers.items()}
    size = sum(map(len, documents)) // FEEDS
    for name, speed in speed_by_name.items():
        share = round(speed / speed_by_name["fastfeedparser"], 3)
        figure(f"speed of {name}", speed, "feeds a second", bytes=size, share_of_fastfeedparser=share)


def _feeds_a_second(read: Callable[[bytes], Any], documents: list[bytes]) -> float:
    """By CPU time, in the best round: other programs may use the machine."""
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        for document in documents:
            read(document)
        best = max(best, len(documents) / (time.process_time() - start))
    return best


def list_expected(folder: Path) -> Iterator[tuple[str, bytes, list[dict[str, Any]]]]:
    """Corpus, feed, and the expected values of its entries; texts as plain text, dates as RFC 3339."""
    for path in sorted((folder / "feed-rs").rglob("*.serde.json")):
        source = next(other for other in path.parent.glob(path.name.removesuffix("serde.json") + "*") if other != path)
        entries = json.loads(path.read_bytes())["entries"]
        expected_items = [
            {"title": (entry.get("title") or {}).get("content"), "published_at": entry.get("published")}
            for entry in entries
        ]
        yield "feed-rs", source.read_bytes(), expected_items
    for path in sorted((folder / "rss-parser" / "output").glob("*.json")):
        source = next((folder / "rss-parser" / "input").glob(path.stem + ".*"))
        entries = json.loads(path.read_bytes().decode(errors="replace"))["feed"]["items"]
        expected_items = [
            {
                "title": entry.get("title"),
                "canonical_url": entry.get("link"),
                "source_item_id": entry.get("guid"),
                "published_at": entry.get("isoDate"),
            }
            for entry in entries
        ]
        yield "rss-parser", source.read_bytes(), expected_items


def compare_readers(folder: Path) -> None:
    """Print how many of the expected values each parser finds."""
    readers: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {
        "scoop": _by_scoop,
        "fastfeedparser": _by_fastfeedparser,
        "feedparser": _by_feedparser,
    }
    for name, read in readers.items():
        right: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for corpus, document, entries in list_expected(folder):
            items = _quietly(read, document)
            total[f"{corpus}: item counts"] += 1
            right[f"{corpus}: item counts"] += len(items) == len(entries)
            for entry, item in zip(entries, items, strict=False):
                for key, value in entry.items():
                    if isinstance(value, str):
                        total[f"{corpus}: {key}"] += 1
                        right[f"{corpus}: {key}"] += _agrees(key, value, item.get(key) or "")
        for line, count in total.items():
            figure(f"{name}: {line}", right[line], f"of {count}")


def _quietly(read: Callable[[bytes], list[dict[str, Any]]], document: bytes) -> list[dict[str, Any]]:
    try:
        return read(document)
    except Exception as error:  # a parser that raises finds nothing
        print(f"{getattr(read, '__name__', '')}: {error!r}"[:200], file=sys.stderr)
        return []


def _by_scoop(document: bytes) -> list[dict[str, Any]]:
    return feed_reading.parse(document).items


def _by_fastfeedparser(document: bytes) -> list[dict[str, Any]]:
    return [_renamed(entry) for entry in fastfeedparser.parse(document).entries]


def _by_feedparser(document: bytes) -> list[dict[str, Any]]:
    return [_renamed(entry) for entry in feedparser.parse(document).entries]


def _renamed(entry: Any) -> dict[str, Any]:
    names = {"title": "title", "link": "canonical_url", "id": "source_item_id", "published": "published_at"}
    return {ours: dict.get(entry, theirs) for theirs, ours in names.items()}


def _agrees(key: str, expected: str, actual: str) -> bool:
    """Compare as plain text; U+FFFD in an expected value comes from a wrong encoding and matches anything."""
    if key == "published_at":
        return dates.moment(expected) == dates.moment(actual)
    if key == "canonical_url":
        return actual.rstrip("/").endswith(expected.strip().rstrip("/"))
    expected, actual = markup.headline(expected, 4096), markup.headline(actual, 4096)
    return re.fullmatch(".{1,3}".join(map(re.escape, expected.split("\ufffd"))), actual) is not None


def count_losses(folder: Path) -> None:
    """Print the number of values that feedparser finds and Scoop does not, over all feeds of the corpora."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in {".xml", ".rss", ".atom"}]
    kept: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for path in paths:
        document = path.read_bytes()
        theirs, ours = feedparser.parse(document).entries, feed_reading.parse(document).items
        lost["items"] += max(0, len(theirs) - len(ours))
        kept["items"] += min(len(theirs), len(ours))
        for entry, item in zip(theirs, ours, strict=False):
            for name, has in _fields_present(entry).items():
                kept[name] += has and name in item
                lost[name] += has and name not in item
    for name, count in kept.items():
        figure(f"found by feedparser, lost by scoop: {name}", lost[name], "lost", kept=count)


def _fields_present(entry: Any) -> dict[str, bool]:
    contents = [content.get("value", "") for content in entry.get("content", ())]
    return {
        "title": bool(entry.get("title")),
        "canonical_url": str(entry.get("link", "")).startswith("http"),
        "published_at": bool(dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")),
        "body_text": any(markup.body(text, 4096) for text in [*contents, entry.get("summary", "")]),
        "authors": any(author.get("name") for author in entry.get("authors", ())),
        "tags": any(tag.get("term") for tag in entry.get("tags", ())),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--corpora", type=Path, metavar="FOLDER", help="the folder with feed-rs and rss-parser")
    folder = arguments.parse_args().corpora
    measure_speeds()
    if folder:
        compare_readers(folder)
        count_losses(folder)


if __name__ == "__main__":
    main()
