"""Curation: what becomes of an evaluated article, and which of the relevant ones are posted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from scoop.core.digest import DigestChoice
from scoop.core.interests import Interests
from scoop.core.relevance import ScoreParts
from scoop.core.rendering import common, phrases
from scoop.core.rendering.phrases import Phrases
from scoop.model import EntryStatus

RejectReason = Literal["low_relevance", "no_topic_match", "content_extraction_failed"]
EvaluationState = Literal["waiting", "relevant", "rejected", "notified"]

LIMITS: Mapping[str, int] = {"topic_match": 30, "concreteness": 30, "practicality": 25, "depth": 15}
"""The most points of each part of a score."""
MIN_TEXT = 100  # characters: less is no article
SAME_TOPIC = 0.8  # of its score, for each selected article with the same main topic: a channel should not be one topic
FULL_SCORE = 100
OVERVIEW_HEADLINE = 120  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleEvaluation:
    """How an article scored: its parts add up to the score, unless it counts as written by a machine.

    `is_estimate`: that it was written by a machine is a guess, which changes no score.
    """

    score: int
    parts: ScoreParts
    matching_topics: tuple[str, ...]
    summary: str
    reasoning: str
    is_ai_generated: bool = False
    is_estimate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantArticle:
    """A relevant article that may be posted, and the event that it reports."""

    evaluation_id: int
    story_id: int
    event_id: int
    title: str
    score: int
    parts: Mapping[str, int]
    matching_topics: tuple[str, ...]
    reasoning: str
    seen_at: datetime
    suppression_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutcome:
    """What a curator remembers of a story: the outcome of one of its articles; no `model` if nothing evaluated it."""

    state: EvaluationState
    provider: str | None
    model: str | None
    relevance_score: int | None
    matching_topics: Sequence[str]


def outcome(evaluation: ArticleEvaluation, interests: Interests) -> RejectReason | None:
    """Why an evaluated article is not relevant; None if it is."""
    if not evaluation.matching_topics:
        return "no_topic_match"
    return "low_relevance" if evaluation.score < interests.min_relevance_score else None


def kept_out(stored: Sequence[StoredOutcome], interests: Interests, *, is_posted: bool) -> str:
    """Why a story that other interests would gain is not posted all the same; empty if nothing is in the way.

    What a model evaluated is judged by its topics and points, since it is not asked again.
    """
    if is_posted or any(each.state == "notified" for each in stored):
        return "already posted, or its post is on its way"
    problems = [_stays_rejected(each, interests) for each in stored]
    return problems[0] if problems and all(problems) else ""


def _stays_rejected(stored: StoredOutcome, interests: Interests) -> str:
    if stored.provider == "local" or stored.state == "waiting":
        return ""
    if stored.provider is None:
        return "rejected without an evaluation: stays rejected"
    topics = {interest.topic for interest in interests.topics}
    if topics.isdisjoint(stored.matching_topics):
        return f"evaluated by {stored.model} without this topic: stays rejected"
    if (stored.relevance_score or 0) < interests.min_relevance_score:
        return f"evaluated by {stored.model} with {stored.relevance_score} points: stays rejected"
    return ""


def select(candidates: Sequence[RelevantArticle], interests: Interests) -> list[DigestChoice]:
    """Decide on every relevant article: the selected ones come first, in their order, at most one of an event.

    The best weighted score is taken first; each further article with the same main topic counts less.
    """
    weight_by_topic = {interest.topic: interest.weight for interest in interests.topics}
    left = [each for each in candidates if each.suppression_reason is None]
    selected: list[RelevantArticle] = []
    while left and len(selected) < interests.max_articles:
        taken = Counter(_main_topic(each, weight_by_topic) for each in selected)
        best = max(left, key=lambda each: _selection_key(each, weight_by_topic, taken))
        selected.append(best)
        left = [each for each in left if each.event_id != best.event_id]
    return [
        *(_chosen(article, rank) for rank, article in enumerate(selected, start=1)),
        *(_left_out(article, selected, interests) for article in candidates if article not in selected),
    ]


def weighted_score(score: int, matching_topics: Sequence[str], weight_by_topic: Mapping[str, float]) -> float:
    """The score times the weight of the most important topic that it matches; 1 for topics that are gone."""
    return score * max((weight_by_topic.get(topic, 1.0) for topic in matching_topics), default=1.0)


def _selection_key(
    article: RelevantArticle, weight_by_topic: Mapping[str, float], taken: Mapping[str, int]
) -> tuple[float, int, float, int]:
    weighted = weighted_score(article.score, article.matching_topics, weight_by_topic)
    varied = weighted * SAME_TOPIC ** taken[_main_topic(article, weight_by_topic)]
    return varied, article.score, article.seen_at.timestamp(), -article.story_id


def _main_topic(article: RelevantArticle, weight_by_topic: Mapping[str, float]) -> str:
    """The most important topic that an article matches; the first one among equals."""
    return max(article.matching_topics, key=lambda topic: weight_by_topic.get(topic, 1.0), default="")


def _chosen(article: RelevantArticle, rank: int) -> DigestChoice:
    return _choice(article, "new", article.reasoning, rank=rank)


def _left_out(article: RelevantArticle, selected: Sequence[RelevantArticle], interests: Interests) -> DigestChoice:
    if article.suppression_reason is not None:
        return _choice(article, "suppressed_manual", f"suppressed: {article.suppression_reason}".rstrip(": "))
    if same := next((each for each in selected if each.event_id == article.event_id), None):
        return _choice(article, "suppressed_duplicate", f"another article about the same event is chosen: {same.title}")
    return _choice(article, "new", f"relevant, but not among the best {interests.max_articles}")


def _choice(article: RelevantArticle, status: EntryStatus, reason: str, *, rank: int | None = None) -> DigestChoice:
    return DigestChoice(
        story_id=article.story_id,
        status=status,
        reason=reason,
        score=article.score / FULL_SCORE,
        score_parts=dict(article.parts),
        rank=rank,
    )


def overview(selected: Sequence[RelevantArticle], interests: Interests, language: str = "") -> str:
    """One or two sentences in a language about what was selected: the best article, and the main topics of the others.

    A note follows if there are fewer than there should be.
    """
    if not selected:
        return ""
    words, weight_by_topic = phrases.of(language), {interest.topic: interest.weight for interest in interests.topics}
    first, *others = selected
    headline = common.cut(common.shown(first.title), OVERVIEW_HEADLINE)
    template = words.leading if others else words.only
    leading = template.format(headline=headline, topics=_main_topic(first, weight_by_topic))
    topics = list(dict.fromkeys(_main_topic(article, weight_by_topic) for article in others))
    sentences = [leading, _about_others(len(others), topics, words), too_few(len(selected), interests, words)]
    return words.between_sentences.join(filter(None, sentences))


def _about_others(count: int, topics: Sequence[str], words: Phrases) -> str:
    if not count:
        return ""
    template = words.other if count == 1 else words.others
    return template.format(count=count, topics=words.listed(topics))


def too_few(count: int, interests: Interests, words: Phrases) -> str:
    """The note of a post with fewer articles than the curator should have; empty if it has enough."""
    if not 0 < count < interests.min_articles:
        return ""
    return words.too_few.format(least=interests.min_articles, points=interests.min_relevance_score)


def parts_by_name(parts: ScoreParts) -> dict[str, int]:
    return asdict(parts)
