"""The texts of interests that are embedded: names of topics, all about each, and related words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.core.interests import Interest, Interests
from scoop.core.relevance.related import words_of

Positions = NDArray[np.int64]

RELATED_WORDS = 40  # of a topic: the encoder reads no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the texts of each topic are among all texts: its names come first, its own one before the aliases.

    `starts` has the place of the first name of each topic, `wholes` that of the text about all of it. After these
    `named` texts comes one of related words for each topic.
    """

    named: int

    starts: Positions
    wholes: Positions


def texts(interests: Interests) -> list[str]:
    named = [written for topic in interests.topics for written in (topic.topic, *topic.aliases, _whole(topic))]
    return [*named, *map(_related, interests.topics)]


def layout(interests: Interests) -> Layout:
    counts = np.array([len(topic.aliases) + 2 for topic in interests.topics], dtype=np.int64)
    ends = counts.cumsum()
    return Layout(named=int(ends[-1]), starts=ends - counts, wholes=ends - 1)


def _whole(topic: Interest) -> str:
    named = f"{topic.topic}: {', '.join(topic.aliases)}" if topic.aliases else topic.topic
    return f"{named}. {topic.description}" if topic.description else named


def _related(topic: Interest) -> str:
    words = words_of(topic)[:RELATED_WORDS]
    return f"{topic.topic}: {', '.join(words)}" if words else _whole(topic)
