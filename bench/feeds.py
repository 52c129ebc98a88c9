"""Feeds, read by Scoop and by its peers: speed, and what each finds. One JSON a line.

python bench/feeds.py                     speed on generated feeds
python bench/feeds.py --corpora FOLDER    and what is found in the folders feed-rs and rss-parser of their test feeds
"""

import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import fastfeedparser
import feedparser

from scoop.core import feeds

FEEDS, ITEMS = 50, 50  # about 90 KB each
ROUNDS = 5
WORDS = """
    the of minister bridge said tuesday market engineers report river company model price rises falls new data after
    before when which city world energy power plan law court first second third launch team game final match vote party
""".split()  # noqa: SIM905


def figure(name: str, value: float, unit: str, **more: Any) -> None:
    print(json.dumps({"figure": name, "value": round(value, 4), "unit": unit, **more}), flush=True)


def a_feed(seed: int) -> bytes:
    """RSS 2.0 as a blog writes it: a teaser, and the article in HTML."""
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


def speeds() -> None:
    documents = [a_feed(seed) for seed in range(FEEDS)]
    readers: dict[str, Callable[[bytes], Any]] = {
        "scoop": feeds.parse, "fastfeedparser": fastfeedparser.parse, "feedparser": feedparser.parse,
    }  # fmt: skip
    found = {
        name: _feeds_a_second(read, documents, 1 if name == "feedparser" else ROUNDS) for name, read in readers.items()
    }
    size = sum(map(len, documents)) // FEEDS
    for name, speed in found.items():
        share = speed / found["fastfeedparser"]
        figure(f"speed of {name}", speed, "feeds a second", bytes=size, share_of_fastfeedparser=round(share, 3))


def _feeds_a_second(read: Callable[[bytes], Any], documents: list[bytes], rounds: int) -> float:
    """The best round: others share the machine."""
    best = 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        for document in documents:
            read(document)
        best = max(best, len(documents) / (time.perf_counter() - start))
    return best
