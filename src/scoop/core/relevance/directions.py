"""Common subjects as directions of the vector space, learned from labelled articles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoop.core.interests import Interests
from scoop.core.relevance import Vectors
from scoop.core.relevance.related import subject_of
from scoop.core.relevance.similarity import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Directions:
    """A row of weights and an offset for each subject: articles about it are above 0, others below."""

    subjects: Sequence[str]
    weights: Vectors
    offsets: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSubjects:
    """How far articles are in the directions of topics; `is_known` is 1 for the topics that have one."""

    score: Table
    is_known: Table


def find(articles: Vectors, interests: Interests, directions: Directions) -> LearnedSubjects:
    row = {subject: at for at, subject in enumerate(directions.subjects)}
    rows = [row.get(subject_of(topic) or "") for topic in interests.topics]
    shape = len(articles), len(rows)
    score, is_known = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    known = [topic for topic, at in enumerate(rows) if at is not None]
    chosen = [at for at in rows if at is not None]
    score[:, known] = articles @ directions.weights[chosen].T + directions.offsets[chosen]
    is_known[:, known] = 1
    return LearnedSubjects(score=score, is_known=is_known)
