"""The task `interests`: score labelled articles for topics, and measure how well the scores agree with the labels."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from math import inf, log2
from statistics import fmean
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scoop.core.embedding_text import embedding_text
from scoop.core.interests import Interest, Interests
from scoop.core.item_stream import split_items
from scoop.core.relevance import InterestVectors, ScoredText, scoring
from scoop.embedders import local
from scoop.errors import InputError, UsageError
from scoop.evaluation import datasets
from scoop.evaluation.tasks import EvaluationTask

RELEVANT_AT = 70
DECIMALS = 4  # of scores: whole ones would tie articles that differ
NDCG_PLACES = 5
MIN_RELEVANT = 3  # articles of a topic that is measured


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestRow:
    """An article with the ids of the topics it is relevant to; a row without `topics` is not measured."""

    id: str | int
    lang: str = "und"
    title: str = ""
    text: str = ""
    topics: tuple[str, ...] | None = None
    day: str | int | None = None


class _TopicNames(msgspec.Struct):
    name: str
    aliases: list[str] = msgspec.field(default_factory=list)
    description: str = ""


class _Topic(_TopicNames):
    """A topic as a reader writes it; `by_lang` has it in other languages."""

    by_lang: dict[str, _TopicNames] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleSet:
    """The articles of a file, and the topics by id that they are scored for."""

    rows: Sequence[InterestRow]
    topics: Mapping[str, _Topic]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """The articles of one topic, the best first; equal scores are ordered by a hash of the id."""

    scores: NDArray[np.float64]
    labels: NDArray[np.bool_]
    days: Sequence[str | int | None]


def task(interests_file: str | None, *, set_name: str | None, aliases_in: str | None) -> EvaluationTask:
    """The task for the topics of a file; `aliases_in` is the language of the topics, else that of each article."""
    if interests_file is None:
        raise UsageError("--task interests needs --interests FILE, the topics by set")
    return EvaluationTask(
        read=partial(read, interests_file=interests_file, set_name=set_name),
        predict=partial(predict, aliases_in=aliases_in),
        measure=measure,
    )


def read(file: str, *, interests_file: str, set_name: str | None = None) -> ArticleSet:
    """The articles of a file, one JSON object per line, with the topics of the set that it is named after."""
    topics_by_set = _topics_by_set(interests_file)
    name = set_name or datasets.set_name(file)
    if name not in topics_by_set:
        known = ", ".join(sorted(topics_by_set))
        raise InputError(f"{interests_file}: there are no topics of the set {name!r}; give --set with one of {known}")
    with datasets.opened(file) as stream:
        rows = list(_rows(stream))
        if not rows:
            raise InputError("the file has no rows")
    return ArticleSet(rows=rows, topics=topics_by_set[name])


def _rows(stream: IO[bytes]) -> Iterator[InterestRow]:
    seen = set()
    for piece in split_items(stream):
        row: InterestRow = datasets.decoded(piece, InterestRow)
        if row.id in seen:
            raise InputError(f"line {piece.line}: id: {row.id!r} is already used in an earlier line")
        seen.add(row.id)
        yield row


def _topics_by_set(file: str) -> dict[str, dict[str, _Topic]]:
    with datasets.opened(file) as stream:
        try:
            return msgspec.json.decode(stream.read(), type=dict[str, dict[str, _Topic]])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{error}; see the example in `scoop evaluate --help`") from error


def predict(articles: ArticleSet, *, aliases_in: str | None = None) -> list[dict[str, Any]]:
    """The score of every article and topic."""
    by_language: dict[str, list[InterestRow]] = defaultdict(list)
    for row in articles.rows:
        by_language[aliases_in or row.lang].append(row)
    return [
        {"id": row.id, "topic": topic, "score": score}
        for language, rows in by_language.items()
        for row, scores in zip(rows, _scores(rows, articles.topics, language), strict=True)
        for topic, score in zip(articles.topics, scores, strict=True)
    ]


def _scores(rows: Sequence[InterestRow], topics: Mapping[str, _Topic], language: str) -> Iterator[Iterable[float]]:
    wanted = interests_of(topics, language)
    exact = scoring.topic_points([text_of(row) for row in rows], wanted, vectors_of(rows, wanted))
    return (points.round(DECIMALS).tolist() for points in exact)


def interests_of(topics: Mapping[str, _Topic], language: str) -> Interests:
    """The topics as interests, in a language where they have it; ids stand for names that two topics share."""
    named = {topic: row.by_lang.get(language, row) for topic, row in topics.items()}
    times = Counter(row.name for row in named.values())
    return Interests(
        topics=tuple(
            Interest(
                topic=row.name if times[row.name] == 1 else f"{row.name} ({topic})",
                aliases=tuple(row.aliases),
                description=row.description,
            )
            for topic, row in named.items()
        )
    )


def text_of(row: InterestRow) -> ScoredText:
    return ScoredText(title=row.title, body_text=row.text, language=row.lang)


def vectors_of(rows: Sequence[InterestRow], wanted: Interests) -> InterestVectors:
    return InterestVectors(
        articles=local.encode([embedding_text(row.title, row.text) for row in rows]),
        interests=local.encode(scoring.texts_to_embed(wanted)),
    )


def measure(articles: ArticleSet, predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How well scores agree with the labels, in the mean of the topics; a pair without a prediction ranks last."""
    score_by_pair = {(one["id"], one["topic"]): float(one["score"]) for one in predictions}
    rows = [row for row in articles.rows if row.topics is not None]
    ranked = {topic: _ranked(topic, rows, score_by_pair) for topic in sorted(articles.topics)}
    figures = {
        topic: {
            "auc": _auc(one),
            "ap": _average_precision(one.labels),
            "ndcg5": _daily_ndcg(one),
            "relevant": int(one.labels.sum()),
        }
        for topic, one in ranked.items()
        if MIN_RELEVANT <= one.labels.sum() < len(one.labels)
    }
    return {
        "articles": len(rows),
        "topics": len(figures),
        **{name: _mean([one[name] for one in figures.values()]) for name in ("auc", "ap", "ndcg5")},
        "at70": _at_threshold([ranked[topic] for topic in figures]),
        "by_topic": {topic: {name: round(value, 4) for name, value in one.items()} for topic, one in figures.items()},
    }


def _ranked(topic: str, rows: Sequence[InterestRow], score_by_pair: Mapping[tuple[str | int, str], float]) -> _Ranked:
    scored = [(score_by_pair.get((row.id, topic), -inf), row) for row in rows]
    scored.sort(key=lambda pair: (-pair[0], sha1(str(pair[1].id).encode()).hexdigest()))  # noqa: S324 - breaks ties
    return _Ranked(
        scores=np.array([score for score, _ in scored]),
        labels=np.array([topic in (row.topics or ()) for _, row in scored], dtype=bool),
        days=[row.day for _, row in scored],
    )


def _auc(ranked: _Ranked) -> float:
    """The probability that a relevant article scores above another; equal scores count half."""
    _, inverse, counts = np.unique(ranked.scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    relevant, others = int(ranked.labels.sum()), int((~ranked.labels).sum())
    return float((ranks[ranked.labels].sum() - relevant * (relevant + 1) / 2) / (relevant * others))


def _average_precision(labels: NDArray[np.bool_]) -> float:
    places = np.flatnonzero(labels)
    return float((np.arange(1, len(places) + 1) / (places + 1)).mean())


def _daily_ndcg(ranked: _Ranked) -> float:
    """The mean of the days that have a relevant article."""
    by_day: dict[str | int | None, list[bool]] = defaultdict(list)
    for day, label in zip(ranked.days, ranked.labels.tolist(), strict=True):
        by_day[day].append(label)
    return fmean(_ndcg(labels) for labels in by_day.values() if any(labels))


def _ndcg(labels: Sequence[bool]) -> float:
    gain = sum(1 / log2(place + 2) for place, label in enumerate(labels[:NDCG_PLACES]) if label)
    best = sum(1 / log2(place + 2) for place in range(min(NDCG_PLACES, sum(labels))))
    return gain / best


def _at_threshold(topics: Sequence[_Ranked]) -> dict[str, float | None]:
    """Precision and recall of the articles that reach RELEVANT_AT, over all topics together."""
    hits = sum(int(((one.scores >= RELEVANT_AT) & one.labels).sum()) for one in topics)
    found = sum(int((one.scores >= RELEVANT_AT).sum()) for one in topics)
    relevant = sum(int(one.labels.sum()) for one in topics)
    return {
        "precision": round(hits / found, 4) if found else None,
        "recall": round(hits / relevant, 4) if relevant else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 4) if values else None
