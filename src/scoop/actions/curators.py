"""Curators: their settings and interests, what these would have caught, and labels that tune them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from scoop.actions import settings as definition
from scoop.actions import topics as topic_actions
from scoop.actions.curator_settings import OWN_SETTINGS, SETTINGS, TIMEZONE
from scoop.core import curation, embedding_text
from scoop.core.curation import RejectReason
from scoop.core.interests import Interests
from scoop.core.relevance import InterestVectors, LocalEvaluation, RelevanceLabel, ScoredText, Vectors, scoring
from scoop.embedders import local as embedder
from scoop.errors import Conflict, UsageError
from scoop.model import Topic
from scoop.stages import curate
from scoop.store import alerts, evaluations, topics
from scoop.store import curators as store
from scoop.store.curators import ArticleLabel, Curator, CuratorSettings
from scoop.store.db import Connection
from scoop.store.evaluations import ArticleText
from scoop.writers.local import MODEL, interest_vectors

TRIED_FOR = timedelta(days=7)
MOST_TRIED = 2_000  # articles, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedArticle:
    """An article of the last days, and how it scores by the local scorer.

    `was_relevant` and `score_before` are those by the interests in use, None if there are none. `kept_out` is why a
    gained article is not posted all the same.
    """

    article: ArticleText
    evaluation: LocalEvaluation
    reason: RejectReason | None
    was_relevant: bool | None
    score_before: int | None
    kept_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestTrial:
    """What interests would have caught: the relevant articles, the best first, and the difference to those in use."""

    since: datetime
    tried: int
    relevant: Sequence[TriedArticle]
    gained: Sequence[TriedArticle]
    lost: Sequence[TriedArticle]
    count_by_topic: Mapping[str, int]

    @property
    def kept_out_count(self) -> int:
        """How many gained articles are not posted all the same."""
        return sum(bool(each.kept_out) for each in self.gained)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEffect:
    """The score of an article by the local scorer without labels, and with those of its curator."""

    untuned_score: int
    score: int
    label_count: int


def settings(given: Mapping[str, Any], known: Curator | None = None) -> CuratorSettings:
    """A curator's own settings from an operator's values; a missing value keeps its current value or the default."""
    definition.check(OWN_SETTINGS, given)
    base = known or CuratorSettings()
    kept = {field.name: getattr(base, field.name) for field in fields(CuratorSettings)}
    patch = {each.attribute: given[each.name] for each in OWN_SETTINGS if each.name in given}
    return CuratorSettings(**definition.apply_patch(CuratorSettings, kept, patch))


async def add(
    conn: Connection,
    given: Mapping[str, Any],
    wanted: Interests | None,
    *,
    sources: Sequence[str] = (),
    origin: str = "command",
    by: str = "",
) -> Curator:
    """Add a curator, in the caller's transaction: a topic with interests; Conflict if its slug is taken.

    UsageError if it has neither interests nor a file or URL to read them from.
    """
    definition.check_names("curator", SETTINGS, given)
    own = settings(given)
    if wanted is None and own.interests_from is None:
        raise UsageError("interests: a curator needs interests, or interests_from, the file or URL to read them from")
    added = topic_actions.settings({"timezone": TIMEZONE, **_shared(given)}, timezone=TIMEZONE)
    topic = await topic_actions.add(conn, added)
    if sources:
        await topics.put_rules(conn, topic, [topic_actions.source_rule(each, "include") for each in sources], [])
    await store.put(conn, topic.topic_id, own)
    if wanted is not None:
        await store.put_interests(conn, topic.topic_id, wanted, origin=own.interests_from or origin, by=by)
    return await store.by_slug(conn, topic.topic_slug)


async def change(
    conn: Connection, slug: str, given: Mapping[str, Any], *, sources: Sequence[str] | None = None
) -> Curator:
    """Change the settings of a curator, in the caller's transaction; missing values stay.

    Conflict for a setting that is read from the file of its interests.
    """
    curator = await store.by_slug(conn, slug)
    definition.check_names("curator", SETTINGS, given)
    wanted = dict(given) if sources is None else {**given, "sources": list(sources)}
    changes = _changes(wanted, curator, await topics.by_slug(conn, slug))
    held = sorted({*changes} & {*curator.settings_from_file})
    if held and "interests_from" not in changes:
        raise Conflict(f"{', '.join(held)}: {slug} reads this from {curator.interests_from}; change it there")
    await put_settings(conn, curator, changes)
    return await store.by_slug(conn, slug)


async def put_settings(conn: Connection, curator: Curator, given: Mapping[str, Any]) -> None:
    """Change the settings of a curator, in the caller's transaction; `given` may also have its sources."""
    changes = _changes(given, curator, await topics.by_slug(conn, curator.topic_slug))
    if not changes:
        return
    await topic_actions.edit(conn, curator.topic_slug, _shared(changes), timezone=TIMEZONE)
    own = {name: value for name, value in changes.items() if name in {each.name for each in OWN_SETTINGS}}
    await store.put(conn, curator.topic_id, settings(own, curator))


def _shared(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a curator has in common with other topics."""
    return {name: value for name, value in given.items() if name not in {each.name for each in OWN_SETTINGS}}


def _changes(given: Mapping[str, Any], curator: Curator, topic: Topic) -> dict[str, Any]:
    """The given values that differ from the current ones."""
    current = {each.name: getattr(curator if each in OWN_SETTINGS else topic, each.attribute) for each in SETTINGS}
    current["sources"] = [rule.source for rule in topic.source_rules if rule.rule_type == "include"]
    return {name: value for name, value in given.items() if _comparable(value) != _comparable(current[name])}


def _comparable(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list) else value


async def put_interests(conn: Connection, slug: str, wanted: Interests, *, origin: str, by: str = "") -> Curator:
    """Use other interests from now on, in the caller's transaction; Conflict if they are read from a file or URL."""
    await topics.lock(conn, slug)
    curator = await store.by_slug(conn, slug)
    if curator.interests_from is not None:
        raise Conflict(f"the interests of {slug} are read from {curator.interests_from}: change them there")
    await store.put_interests(conn, curator.topic_id, wanted, origin=origin, by=by)
    return await store.by_slug(conn, slug)


async def restore_interests(conn: Connection, slug: str, version: int, *, origin: str, by: str = "") -> Curator:
    """Use an earlier version of the interests again, in the caller's transaction: it becomes the newest."""
    wanted = await store.get_version(conn, await store.by_slug(conn, slug), version)
    return await put_interests(conn, slug, wanted.interests, origin=origin, by=by)


async def remove(conn: Connection, slug: str) -> None:
    """Remove a curator that has posted nothing, with its interests and memory, in the caller's transaction.

    UsageError if it has posted something.
    """
    await store.by_slug(conn, slug)
    await topics.remove(conn, slug)
    await alerts.settle(conn, {}, subjects=[slug], kinds=[curate.ALERT])


async def try_interests(
    conn: Connection, topic: Topic, wanted: Interests, *, used: Interests | None, since: datetime
) -> InterestTrial:
    """What interests would have caught since a moment, by the local scorer, compared with those in use."""
    story_ids = await topics.list_candidates(conn, topic, since=since, limit=MOST_TRIED)
    articles = await evaluations.list_texts(conn, story_ids, **MODEL)
    curator = await store.find(conn, topic.topic_id) if topic.topic_id else None
    labels = [label.relevance() for label in await store.list_labels(conn, curator.topic_id)] if curator else []
    language = curator.language if curator else ""
    now_scored = await asyncio.to_thread(score_articles, articles, wanted, labels, language)
    before = await asyncio.to_thread(score_articles, articles, used, labels) if used else None
    tried = [
        TriedArticle(
            article=article,
            evaluation=evaluation,
            reason=reject_reason(evaluation, wanted),
            was_relevant=None if before is None or used is None else reject_reason(before[at], used) is None,
            score_before=None if before is None else before[at].score,
        )
        for at, (article, evaluation) in enumerate(zip(articles, now_scored, strict=True))
    ]
    trial = _trial(tried, wanted, since=since)
    return trial if curator is None else await _with_memory(conn, trial, curator, wanted)


async def _with_memory(conn: Connection, trial: InterestTrial, curator: Curator, wanted: Interests) -> InterestTrial:
    """The trial with what keeps its gained articles out, by what the curator remembers of their stories."""
    articles = [each.article for each in trial.gained]
    stored = await evaluations.list_stored_outcomes(conn, curator.topic_id, [each.story_id for each in articles])
    posted = await evaluations.list_posted_events(conn, curator.topic_id, [each.event_id for each in articles])
    gained = [
        replace(
            each,
            kept_out=curation.kept_out(
                stored.get(each.article.story_id, ()), wanted, is_posted=each.article.event_id in posted
            ),
        )
        for each in trial.gained
    ]
    return replace(trial, gained=gained)


def _trial(tried: Sequence[TriedArticle], wanted: Interests, *, since: datetime) -> InterestTrial:
    best = sorted(tried, key=lambda each: -each.evaluation.score)
    relevant = [each for each in best if each.reason is None]
    counts = {
        interest.topic: sum(interest.topic in each.evaluation.matching_topics for each in relevant)
        for interest in wanted.topics
    }
    return InterestTrial(
        since=since,
        tried=len(tried),
        relevant=relevant,
        gained=[each for each in relevant if each.was_relevant is False],
        lost=[each for each in best if each.reason is not None and each.was_relevant],
        count_by_topic=counts,
    )


def reject_reason(evaluation: LocalEvaluation, wanted: Interests) -> RejectReason | None:
    """Why an article that was scored locally is not relevant; None if it is."""
    if not evaluation.matching_topics:
        return "no_topic_match"
    return "low_relevance" if evaluation.score < wanted.min_relevance_score else None


def score_articles(
    articles: Sequence[ArticleText], wanted: Interests, labels: Sequence[RelevanceLabel] = (), language: str = ""
) -> list[LocalEvaluation]:
    """How articles score by the local scorer, with reasons in a language; missing vectors are made."""
    if not articles:
        return []
    texts = [ScoredText(title=each.title, body_text=each.body_text, language=each.language) for each in articles]
    vectors = InterestVectors(articles=_vectors(articles), interests=interest_vectors(wanted))
    return scoring.score(texts, wanted, vectors, labels, language=language)


def _vectors(articles: Sequence[ArticleText]) -> Vectors:
    missing = [each for each in articles if each.vector is None]
    written = [embedding_text.embedding_text(each.title, each.body_text) for each in missing]
    made = iter(embedder.encode(written) if written else ())
    return np.array([next(made) if each.vector is None else each.vector for each in articles], dtype=np.float32)


async def label(conn: Connection, slug: str, document_id: int, *, is_wanted: bool, by: str = "") -> ArticleLabel:
    """Label an article as wanted or not, in the caller's transaction; it tunes the local scorer of the curator."""
    curator = await store.by_slug(conn, slug)
    if curator.interests is None:
        raise Conflict(f"{slug} has no interests yet, so that a label would mean nothing")
    article = await evaluations.get_text(conn, document_id, **MODEL)
    (scored,) = await asyncio.to_thread(score_articles, [article], curator.interests)
    kept = RelevanceLabel(
        is_wanted=is_wanted,
        untuned_topic_scores=scored.untuned_topic_scores,
        untuned_score=scored.untuned_score,
    )
    await store.put_label(conn, curator.topic_id, document_id, kept, by=by)
    return next(each for each in await store.list_labels(conn, curator.topic_id) if each.document_id == document_id)


async def unlabel(conn: Connection, slug: str, document_id: int) -> None:
    """Take back the label of an article."""
    curator = await store.by_slug(conn, slug)
    await store.remove_label(conn, curator.topic_id, document_id)


async def label_effects(conn: Connection, curator: Curator, document_ids: Sequence[int]) -> dict[int, LabelEffect]:
    """What the labels of a curator do to the local scores of articles; empty if there are none."""
    labels = await store.list_labels(conn, curator.topic_id)
    if not labels or not document_ids or curator.interests is None:
        return {}
    articles = await evaluations.list_document_texts(conn, document_ids, **MODEL)
    tuning = [each.relevance() for each in labels]
    scored = await asyncio.to_thread(score_articles, articles, curator.interests, tuning)
    return {
        article.document_id: LabelEffect(
            untuned_score=evaluation.untuned_score, score=evaluation.score, label_count=len(labels)
        )
        for article, evaluation in zip(articles, scored, strict=True)
    }
