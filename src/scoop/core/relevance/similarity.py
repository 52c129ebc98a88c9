"""How near the vectors of articles are to those of topics, compared with how near they are to anything else."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoop.core.relevance import Vectors
from scoop.core.relevance.topic_texts import Layout

Table = NDArray[np.float32]

TEMPERATURE = 0.7  # of shares
SAME_SUBJECT = 0.6  # the cosine from which on a subject of the background is the topic itself, and no rival


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Background:
    """What vectors are compared with: general subjects, as topics are written, and articles about anything."""

    subjects: Vectors
    articles: Vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopicSpace:
    """What topics are by themselves: how near any articles are to their texts, and which subjects are rivals."""

    usual: Table
    usual_spread: Table
    is_rival: NDArray[np.bool_]
    related: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """How near articles, in rows, are to topics, in columns, in standard deviations of the article's cosines.

    `by_name` has a column for each name of all topics. `best_cosine` is the highest cosine itself, and `unusual` says
    how much nearer the article is than other articles are. `margin` is the distance to the nearest other topic,
    `share` the logarithm of the topic's share among topics and subjects, `rank` that of the number of nearer subjects.
    `by_words` is that of the topic's related words. `related` has the cosines of topics with each other.
    """

    name: Table
    whole: Table
    best: Table
    mean: Table
    by_name: Table
    by_words: Table
    best_cosine: Table
    unusual: Table
    margin: Table
    share: Table
    rank: Table
    related: Table


def compare(articles: Vectors, texts: Vectors, layout: Layout, background: Background) -> Similarity:
    texts, related_words = texts[: layout.named], texts[layout.named :]
    space = _topic_space(texts.astype(np.float32).tobytes(), tuple(layout.starts.tolist()), background)
    cosines = articles @ texts.T
    subjects = articles @ background.subjects.T
    center, spread = subjects.mean(axis=1, keepdims=True), subjects.std(axis=1, keepdims=True) + 1e-6
    unusual = (cosines - space.usual) / space.usual_spread
    is_name = np.ones(len(texts), dtype=bool)
    is_name[layout.wholes] = False
    scaled, scaled_subjects = (cosines - center) / spread, (subjects - center) / spread
    counts = np.diff(np.append(layout.starts, len(texts)))
    best = np.maximum.reduceat(_lowest_where(scaled, ~is_name), layout.starts, axis=1)
    mean = np.add.reduceat(np.where(is_name, scaled, 0), layout.starts, axis=1) / (counts - 1)
    name, whole = scaled[:, layout.starts], scaled[:, layout.wholes]
    mixed = (name + whole + best + mean) / 4
    return Similarity(
        name=name,
        whole=whole,
        best=best,
        mean=mean,
        by_name=scaled[:, is_name],
        by_words=(articles @ related_words.T - center) / spread,
        best_cosine=np.maximum.reduceat(_lowest_where(cosines, ~is_name), layout.starts, axis=1),
        unusual=(np.add.reduceat(unusual, layout.starts, axis=1) / counts).astype(np.float32),
        margin=_margin(mixed),
        share=_share(mixed, scaled_subjects, space.is_rival),
        rank=_rank(mixed, scaled_subjects),
        related=space.related,
    )


@lru_cache(maxsize=16)
def _topic_space(stored: bytes, starts: tuple[int, ...], background: Background) -> TopicSpace:
    """The space of topics whose vectors are stored in bytes; kept, since articles are often evaluated one by one."""
    texts = np.frombuffer(stored, dtype=np.float32).reshape(-1, background.subjects.shape[1])
    usual = background.articles @ texts.T
    middles = np.add.reduceat(texts, starts, axis=0)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True) + 1e-6
    return TopicSpace(
        usual=usual.mean(axis=0),
        usual_spread=usual.std(axis=0) + 1e-6,
        is_rival=middles @ background.subjects.T < SAME_SUBJECT,
        related=middles @ middles.T,
    )


def _lowest_where(values: Table, is_out: NDArray[np.bool_]) -> Table:
    return np.where(is_out, np.float32(-np.inf), values)


def _margin(mixed: Table) -> Table:
    """The distance to the best other topic; 0 if there is no other."""
    if mixed.shape[1] == 1:
        return np.zeros_like(mixed)
    ordered = np.sort(mixed, axis=1)
    rival = np.where(mixed == ordered[:, -1:], ordered[:, -2:-1], ordered[:, -1:])
    return mixed - rival


def _share(mixed: Table, subjects: Table, is_rival: NDArray[np.bool_]) -> Table:
    own: Table = np.exp(mixed / TEMPERATURE).sum(axis=1, keepdims=True)
    others = np.exp(subjects / TEMPERATURE) @ is_rival.T.astype(np.float32)
    shares: Table = mixed / TEMPERATURE - np.log(own + others)
    return shares


def _rank(mixed: Table, subjects: Table) -> Table:
    """The number of subjects that are nearer, by looking the topics up in the sorted subjects of each article."""
    ordered = np.sort(subjects, axis=1)
    nearer = [len(row) - np.searchsorted(row, own, side="right") for row, own in zip(ordered, mixed, strict=True)]
    ranks: Table = np.log1p(np.array(nearer, dtype=np.float32).reshape(mixed.shape))
    return ranks
