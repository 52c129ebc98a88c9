"""Words that belong to common subjects: what an article says that is about a topic and does not name it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from scoop.core import text
from scoop.core.interests import Interest, Interests
from scoop.core.relevance import ScoredText, names

LEAD_TRUST = 0.7  # of a word in the lead, against one in the title
SEARCHED_CHARACTERS = 1_000  # of the body

Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedWords:
    """The related words of topics in articles, by article and topic.

    `in_title` and `in_lead` say how many there are; in `own` a word counts less if several topics have it. `is_known`
    is 1 for the topics that have any.
    """

    in_title: Table
    in_lead: Table
    own: Table
    is_known: Table


def subject_of(topic: Interest) -> str | None:
    """The common subject that a topic is, by its name, or else by the first alias that is a subject's name."""
    subjects = _subjects_by_name()
    found = (subjects.get(text.normalized(name)) for name in (topic.topic, *topic.aliases))
    return next(filter(None, found), None)


def words_of(topic: Interest) -> tuple[str, ...]:
    """The related words of a topic; none if it is no common subject."""
    subject = subject_of(topic)
    return _words_by_subject()[subject] if subject else ()


def find(articles: Sequence[ScoredText], interests: Interests) -> RelatedWords:
    words_by_topic = [words_of(topic) for topic in interests.topics]
    vocabulary = list(dict.fromkeys(word for words in words_by_topic for word in words))
    column = {word: at for at, word in enumerate(vocabulary)}
    members = np.zeros((len(vocabulary), len(words_by_topic)), dtype=np.float32)
    for topic, words in enumerate(words_by_topic):
        members[[column[word] for word in words], topic] = 1
    searched = [(article.title, article.body_text[:SEARCHED_CHARACTERS]) for article in articles]
    occurring = names.find(searched, [names.name_of(word) for word in vocabulary])
    sure = np.maximum(occurring.title, LEAD_TRUST * occurring.lead)
    shares = members / np.maximum(1, members.sum(axis=1, keepdims=True))
    return RelatedWords(
        in_title=np.log1p(occurring.title @ members),
        in_lead=np.log1p(sure @ members),
        own=np.log1p(sure @ shares),
        is_known=np.broadcast_to(members.any(axis=0).astype(np.float32), (len(articles), len(words_by_topic))),
    )


@cache
def _subjects_by_name() -> Mapping[str, str]:
    named = ((name, subject) for subject, row in _subjects().items() for name in row["names"].split(", "))
    return {text.normalized(name): subject for name, subject in named}


@cache
def _words_by_subject() -> Mapping[str, tuple[str, ...]]:
    return {subject: tuple(dict.fromkeys(row["words"].split(", "))) for subject, row in _subjects().items()}


@cache
def _subjects() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files(__package__).joinpath("related_words.toml").read_text("utf-8"))
