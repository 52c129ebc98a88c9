"""The texts of interests that are embedded: the names of each topic, and all that is said about it in one text."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.core.interests import Interest, Interests

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the texts of each topic are among all texts: its names come first, its own one before the aliases.

    `starts` has the place of the first name of each topic, `wholes` that of the text about all of it.
    """

    starts: Positions
    wholes: Positions


def texts(interests: Interests) -> list[str]:
    return [written for topic in interests.topics for written in (topic.topic, *topic.aliases, _whole(topic))]


def layout(interests: Interests) -> Layout:
    counts = np.array([len(topic.aliases) + 2 for topic in interests.topics], dtype=np.int64)
    ends = counts.cumsum()
    return Layout(starts=ends - counts, wholes=ends - 1)


def _whole(topic: Interest) -> str:
    named = f"{topic.topic}: {', '.join(topic.aliases)}" if topic.aliases else topic.topic
    return f"{named}. {topic.description}" if topic.description else named
