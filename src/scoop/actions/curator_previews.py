"""Dry runs of curators: what they would post now, with every score, at no cost and without a trace."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from scoop.actions import curators as actions
from scoop.core import curation
from scoop.core.curation import RejectReason, RelevantArticle
from scoop.core.digest import DigestChoice
from scoop.core.interests import Interests
from scoop.core.relevance import LocalEvaluation
from scoop.stages import curate
from scoop.stages.curate import CuratorInput
from scoop.store import curators as store
from scoop.store import evaluations
from scoop.store.curators import Curator
from scoop.store.db import Connection
from scoop.store.evaluations import ArticleText, CandidateArticle, RelevantRow
from scoop.writers.local import MODEL

PreviewOutcome = Literal["selected", "left", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedArticle:
    """What a curator would do with an article: select it, leave it for another day, or reject it.

    `is_estimate`: it is not evaluated yet, and the score is that of the local scorer.
    """

    outcome: PreviewOutcome
    rank: int | None
    title: str
    url: str | None
    publisher_name: str
    relevance_score: int | None
    score_parts: Mapping[str, int]
    matching_topics: Sequence[str]
    reason: RejectReason | None
    reasoning: str
    is_estimate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorPreview:
    """What a curator would post: its articles with the selected ones first, and the sentences before them."""

    topic_slug: str
    until: datetime
    introduction: str
    articles: Sequence[PreviewedArticle]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An article that may be selected, and what is shown of it."""

    article: RelevantArticle
    url: str | None
    publisher_name: str
    is_estimate: bool


async def preview(conn: Connection, curator: Curator, wanted: Interests, *, until: datetime) -> CuratorPreview:
    """What a curator would post of the articles before a moment, if these were its interests."""
    since = until - curator.freshness
    source = await curate.read_input(conn, curator, now=until)
    rows = await evaluations.list_relevant(conn, curator.topic_id, since=since, until=until)
    articles = await _list_unmet(conn, source, until=until)
    posted = _recognised_events(source)
    labels = [label.relevance() for label in await store.list_labels(conn, curator.topic_id)]
    scored = await asyncio.to_thread(actions.score_articles, articles, wanted, labels, curator.language)
    pairs = list(zip(articles, scored, strict=True))
    known = [
        *(
            _evaluated(row)
            for row in rows
            if row.article.event_id not in posted and _still_relevant(row.article, wanted)
        ),
        *(_estimated(*pair) for pair in pairs if actions.reject_reason(pair[1], wanted) is None),
    ]
    choices = curation.select([each.article for each in known], wanted)
    by_story = {each.article.story_id: each for each in known}
    selected = [by_story[choice.story_id].article for choice in choices if choice.rank is not None]
    return CuratorPreview(
        topic_slug=curator.topic_slug,
        until=until,
        introduction=curation.overview(selected, wanted, curator.language),
        articles=[
            *(_chosen(choice, by_story[choice.story_id]) for choice in choices),
            *(_rejected(*pair, reason) for pair in pairs if (reason := actions.reject_reason(pair[1], wanted))),
            *(_without_text(each) for each in source.unknown if curate.without_text(each) is not None),
        ],
    )


async def _list_unmet(conn: Connection, source: CuratorInput, *, until: datetime) -> list[ArticleText]:
    """The articles to be scored: they have a text, are not evaluated, and nothing of their event was posted."""
    topic_id = source.curator.topic_id
    waiting = await evaluations.list_waiting_documents(conn, topic_id, limit=curate.MAX_LOOKED_UP)
    with_text = [each.document_id for each in source.unknown if curate.without_text(each) is None]
    articles = await evaluations.list_document_texts(conn, [*with_text, *waiting], **MODEL)
    posted = await evaluations.list_posted_events(conn, topic_id, [each.event_id for each in articles])
    posted |= _recognised_events(source)
    by_story = {each.story_id: each for each in articles if each.seen_at < until and each.event_id not in posted}
    return list(by_story.values())


def _recognised_events(source: CuratorInput) -> set[int]:
    """The events that another program posted, as the next look will find."""
    return {each.event_id for each in source.recognised if each.state == "notified"}


def _still_relevant(article: RelevantArticle, wanted: Interests) -> bool:
    """Whether an evaluated article is relevant to interests that may not be in use yet."""
    topics = {interest.topic for interest in wanted.topics}
    return article.score >= wanted.min_relevance_score and not topics.isdisjoint(article.matching_topics)


def _evaluated(row: RelevantRow) -> _Known:
    return _Known(article=row.article, url=row.url, publisher_name=row.publisher_name, is_estimate=False)


def _estimated(article: ArticleText, evaluation: LocalEvaluation) -> _Known:
    candidate = RelevantArticle(
        evaluation_id=0,
        story_id=article.story_id,
        event_id=article.event_id,
        title=article.title,
        score=evaluation.score,
        parts=curation.parts_by_name(evaluation.parts),
        matching_topics=evaluation.matching_topics,
        reasoning=evaluation.reasoning,
        seen_at=article.seen_at,
    )
    return _Known(article=candidate, url=article.url, publisher_name=article.publisher_name, is_estimate=True)


def _chosen(choice: DigestChoice, known: _Known) -> PreviewedArticle:
    article = known.article
    return PreviewedArticle(
        outcome="selected" if choice.rank is not None else "left",
        rank=choice.rank,
        title=article.title,
        url=known.url,
        publisher_name=known.publisher_name,
        relevance_score=article.score,
        score_parts=article.parts,
        matching_topics=article.matching_topics,
        reason=None,
        reasoning=choice.reason,
        is_estimate=known.is_estimate,
    )


def _rejected(article: ArticleText, evaluation: LocalEvaluation, reason: RejectReason) -> PreviewedArticle:
    return PreviewedArticle(
        outcome="rejected",
        rank=None,
        title=article.title,
        url=article.url,
        publisher_name=article.publisher_name,
        relevance_score=evaluation.score,
        score_parts=curation.parts_by_name(evaluation.parts),
        matching_topics=evaluation.matching_topics,
        reason=reason,
        reasoning=evaluation.reasoning,
        is_estimate=True,
    )


def _without_text(article: CandidateArticle) -> PreviewedArticle:
    return PreviewedArticle(
        outcome="rejected",
        rank=None,
        title=article.article_title,
        url=article.url,
        publisher_name="",
        relevance_score=None,
        score_parts={},
        matching_topics=(),
        reason="content_extraction_failed",
        reasoning=article.content_problem or "its text is empty or too short",
        is_estimate=False,
    )
