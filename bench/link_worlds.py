"""Labelled articles as worlds of pairs to fit the link model to, and the streams that are made of them."""

import asyncio
import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from scoop.core import editions, genres, links, publishers, sentences, signals, text, urls
from scoop.core.embedding_text import embedding_text
from scoop.core.event_groups import UNKNOWN_FAMILY, GroupableStory
from scoop.embedders.local import Local

CANDIDATES = 30

# Streams made of the sets: most stories have one article, a few have many, all are teasers of one week.
STREAMS = 4
INCLUDED = 0.6  # stories
ALONE = 0.85  # small stories
LARGE_STORY = 6  # articles
LARGE_KEPT = 0.25  # large stories; without large events in its streams, the model breaks those of a real one apart
MAX_KEPT = 12
PUBLISHERS = 20
SAME_PUBLISHER = 0.15  # articles by the publisher of the story's first one
DAYS = 7
HOURS_APART = 17  # on average, of the articles of one story

# Streams of articles that are alone: some are cut in two reports, so that there is something to be found.
CUT_IN_TWO = 0.2
TEASER, WHOLE = 400, 4_000  # characters at most
UNSPACED, UNSPACED_SHARE = ("ja", "zh"), 0.5  # of the characters: these languages say the same in fewer
TITLE_CHARACTERS = 140


@dataclass
class World:
    """A labelled set of articles with all of its candidate pairs.

    A pair of two stories is `is_open` if the stories share a wider label: it is neither right nor wrong. A right pair
    has the weight 1.
    """

    pairs: np.ndarray
    table: np.ndarray
    is_same: np.ndarray
    is_open: np.ndarray
    labels: list[str]
    wide: list[frozenset[str]]
    stories: list[GroupableStory]
    wrong_weight: float = 1.0

    @property
    def weights(self) -> np.ndarray:
        """The weight of each pair in a fit: a world counts by the root of its pairs."""
        weights: np.ndarray = np.where(self.is_same, 1.0, self.wrong_weight) * len(self.is_same) ** -0.5
        return weights

    def within(self, is_inside: np.ndarray) -> "World":
        """The pairs of the documents that are inside, with the neighbourhoods of all.

        A wrong pair is of two stories, and is lost if one of them is outside: those that are left weigh more.
        """
        is_chosen = is_inside[self.pairs].all(axis=1)
        return replace(
            self,
            pairs=self.pairs[is_chosen],
            table=self.table[is_chosen],
            is_same=self.is_same[is_chosen],
            is_open=self.is_open[is_chosen],
            wrong_weight=self.wrong_weight / is_inside.mean(),
        )

    def unseen(self, is_outside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs that test a model which was fitted within the other documents, and how much each of them counts.

        Pairs of two parts count in half, because they are met twice: without them, most wrong links would be missed.
        """
        share = is_outside[self.pairs].mean(axis=1)
        is_related_only = self.table[:, links._RELATED_ONLY].any(axis=1)
        chosen = np.flatnonzero((share > 0) & ~self.is_open & ~is_related_only)
        return chosen, share[chosen]


def read(path: Path) -> list[dict[str, Any]]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in content.decode().splitlines()]


def words(written: str) -> list[str]:
    return text.words(text.normalized(written))


def compared(row: dict[str, Any]) -> links.Compared:
    body = words(row["text"])
    date = row["published_at"]
    return links.Compared(
        signals=signals.extract(row["title"], row["text"]),
        day=datetime.fromisoformat(date).timestamp() / 86_400 if date else float("nan"),
        publisher=publishers.publisher_family(urls.host(row["url"]), "") if row["url"] else "",
        language=row["lang"],
        words=len(body),
        is_of_many_events=genres.genre(row["title"], row["url"]) in genres.OF_MANY_EVENTS,
        dated_title=editions.dated_title(row["title"]),
    )


def embedded(rows: Sequence[dict[str, Any]], cache: Path) -> np.ndarray:
    texts = [embedding_text(row["title"], row["text"]) for row in rows]
    kept = cache / f"{hashlib.sha256(repr(texts).encode()).hexdigest()[:16]}.npy"
    if not kept.exists():
        np.save(kept, asyncio.run(Local(None, None).embed(texts)))  # type: ignore[arg-type]
    vectors: np.ndarray = np.load(kept)
    return vectors


def world(rows: Sequence[dict[str, Any]], vectors: np.ndarray) -> World:
    documents = [compared(row) for row in rows]
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    most = min(CANDIDATES, len(rows) - 1)
    order = np.argsort(-cosines, axis=1)[:, :most]
    near = [
        links.Neighbourhood(ids=order[one], cosines=cosines[one, order[one]].astype(np.float32))
        for one in range(len(rows))
    ]
    pairs = sorted({(min(one, other), max(one, other)) for one in range(len(rows)) for other in order[one].tolist()})
    by_one: dict[int, list[int]] = {}
    for one, other in pairs:
        by_one.setdefault(one, []).append(other)
    own = np.concatenate(
        [
            links.pair_features(
                documents[one], [documents[other] for other in others], cosines[one, others].astype(np.float32)
            )
            for one, others in by_one.items()
        ]
    )
    both = np.array(pairs)
    around = links.neighbourhood_features(own[:, 0], links.stack_neighbourhoods(near), both[:, 0], both[:, 1])
    labels, wide = [row["story"] for row in rows], [frozenset(row.get("wide", row["story"]).split()) for row in rows]
    is_same = np.array([labels[one] == labels[other] for one, other in pairs])
    shares_label = np.array([bool(wide[one] & wide[other]) for one, other in pairs])
    return World(
        pairs=both,
        table=np.hstack([own, around]),
        is_same=is_same,
        is_open=shares_label & ~is_same,
        labels=labels,
        wide=wide,
        stories=[
            GroupableStory(
                story_id=number,
                families=frozenset({document.publisher or UNKNOWN_FAMILY}),
                may_join=not document.is_of_many_events,
            )
            for number, document in enumerate(documents)
        ],
    )


def chance(*key: object) -> float:
    """A number from 0 to 1 that depends on the key alone."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6], "little") / (1 << 48)


def stream(rows: Sequence[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """A stream made of labelled articles: most stories have one article, and every text is a teaser."""
    by_story: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_story.setdefault(row["story"], []).append(row)
    return [
        teaser(row, place, number)
        for story, articles in sorted(by_story.items())
        if chance(number, "included", story) < INCLUDED
        for place, row in enumerate(
            sorted(articles, key=lambda row: chance(number, "order", row["id"]))[: kept(story, len(articles), number)]
        )
    ]


def kept(story: str, size: int, number: int) -> int:
    """How many articles of a story a stream has."""
    if size >= LARGE_STORY:
        return min(size, MAX_KEPT) if chance(number, "large", story) < LARGE_KEPT else 1
    return 1 if chance(number, "alone", story) < ALONE else size


def teaser(row: dict[str, Any], place: int, number: int) -> dict[str, Any]:
    """The article as a feed of one of the publishers has it, in some hour of the week."""
    story, article = row["story"], row["id"]
    ranks = sorted(range(PUBLISHERS), key=lambda one: chance(number, "publisher", story, one) / (1 + one % 4))
    is_repeat = chance(number, "repeat", article) < SAME_PUBLISHER
    publisher = ranks[0 if is_repeat else place % PUBLISHERS]
    hours = 24 * DAYS * chance(number, "day", story) - HOURS_APART * np.log(1e-6 + chance(number, "hour", article))
    return {
        **row,
        "text": text.truncated(row["text"], teaser_length(number, article)),
        "url": f"https://publisher{publisher}.example/{article}",
        "published_at": datetime.fromtimestamp(1_700_000_000 + 3600 * hours, UTC).isoformat(),
    }


def teaser_length(number: int, article: str) -> int:
    """The characters of a teaser: two of three have one sentence, some three, and some feeds give the article."""
    kind, share = chance(number, "kind", article), chance(number, "length", article)
    if kind < 0.65:
        return int(80 + 140 * share)
    return int(220 + 500 * share) if kind < 0.85 else 1_500


def alone(rows: Sequence[dict[str, Any]], most: int) -> dict[str, list[dict[str, Any]]]:
    """A stream for each language, of at most so many characters an article; a story has one article or two reports."""
    streams: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        streams.setdefault(row["lang"], []).extend(reports(row, most))
    return streams


def reports(row: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """An article in some hour of the week; or two reports of it, each with every other of its sentences."""
    document, key = row["documents"][0], row["id"]
    length = most * (UNSPACED_SHARE if row["lang"] in UNSPACED else 1) * (0.3 + 0.7 * chance("length", key))
    hours, first = 24 * DAYS * chance("hour", key), int(PUBLISHERS * chance("publisher", key))
    return [
        {
            "id": f"{key}-{place}",
            "title": text.truncated(title, TITLE_CHARACTERS),
            "text": text.truncated(" ".join(body), int(length)),
            "story": key,
            "lang": row["lang"],
            "url": f"https://publisher{(first + place) % PUBLISHERS}.example/{key}",
            "published_at": datetime.fromtimestamp(
                1_700_000_000 + 3600 * (hours + HOURS_APART * place), UTC
            ).isoformat(),
        }
        for place, (title, body) in enumerate(written(document, row["references"][0], row["lang"], key))
    ]


def written(document: dict[str, str], lead: str, language: str, key: str) -> list[tuple[str, list[str]]]:
    """Title and sentences of each report; the second one begins with the lead, or with the first sentence."""
    title, body = document.get("title"), document["text"]
    parts = [body[start:end] for start, end in sentences.split(body, language)]
    if chance("two", key) >= CUT_IN_TWO or len(parts) < 2:
        return [(title or lead, [lead, *parts])]
    second = lead if title else parts[0]
    return [(title or lead, parts[::2]), (second, [second, *parts[1::2]])]
