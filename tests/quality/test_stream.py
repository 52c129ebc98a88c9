"""How well events are found in a stream: teasers, most articles without a partner, and one publisher's series."""

import asyncio
import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from scoop.cli.progress import Silent
from scoop.config import Config
from scoop.evaluation import datasets, measure

SETS = Path(__file__).with_name("stories")
BEGAN = datetime(2026, 9, 7, 6, tzinfo=UTC)
GAP = timedelta(hours=14)  # between the first reports of two stories
PAPERS = ("tribune", "herald", "post", "globe", "courier", "gazette", "mirror", "monitor", "record", "echo")
EVENTS = 16
REPORTS = 4  # of an event, at most
TEASER_CHARACTERS = 200
BRIEFINGS = 14
BRIEFING = (
    "Good evening. Here is what you need to know today: the news, the weather and the match. Sign up to get it by mail."
)


def articles_by_story(name):
    """The English articles of a set, by story, in the order of the file."""
    by_story = defaultdict(list)
    with gzip.open(SETS / f"{name}.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            if row["lang"] == "en":
                by_story[row["story"]].append(row)
    return list(by_story.values())


def a_teaser(row, number, seen_at):
    """An article as a feed has it, of a publisher that has no other article of its story."""
    paper = PAPERS[number % len(PAPERS)]
    return {
        "id": f"{paper}-{number}",
        "title": row["title"],
        "text": row["text"][:TEASER_CHARACTERS].rpartition(" ")[0],
        "url": f"https://{paper}.example/{number}",
        "source": paper,
        "published_at": seen_at.isoformat(),
        "lang": "en",
        "collection": "stream",
        "story": row["story"],
    }


def a_briefing(day):
    row = {"title": f"Evening briefing: what to know on {day:%-d %B}", "text": BRIEFING, "story": f"briefing {day}"}
    return a_teaser(row, 0, day) | {"id": f"briefing-{day}", "url": f"https://tribune.example/briefing/{day:%m-%d}"}


def a_stream():
    """Two months: events of up to four outlets, articles that nobody else has, and a daily briefing."""
    confusable, others = articles_by_story("ecb"), articles_by_story("meantime")
    events = [reports[:REPORTS] for reports in confusable[:EVENTS]]
    alone = [reports[:1] for reports in (*confusable[EVENTS:], *others)]
    numbers = count()
    for place, reports in enumerate(sorted((*events, *alone), key=lambda reports: reports[0]["story"])):
        for hours, row in enumerate(reports):
            yield a_teaser(row, next(numbers), BEGAN + place * GAP + timedelta(hours=hours))
    yield from (a_briefing(BEGAN + timedelta(days=days, hours=12)) for days in range(BRIEFINGS))


async def test_a_stream_of_teasers_has_its_events_and_hardly_another_in_any_order(tmp_path):
    file = tmp_path / "stream.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in a_stream()))
    documents = datasets.documents(str(file), None, now=BEGAN + timedelta(days=70))
    measured = await measure.measure(
        Config(), "stream", documents, shuffles=1, errors=0, stop=asyncio.Event(), report=Silent()
    )
    assert measured.merge.pairwise_precision >= 0.99
    assert measured.coverage.pairwise_precision >= 0.92
    assert measured.coverage.pairwise_recall >= 0.86
    assert measured.coverage.b_cubed_f1 >= 0.94
    assert measured.single_publisher_groups == 0
    assert measured.shuffles["coverage"].difference <= 0.005
