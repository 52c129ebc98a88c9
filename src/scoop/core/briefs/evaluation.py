"""The brief of a curator: how relevant an article is to interests, by the rubric of docs/design/curators.md."""

from collections.abc import Mapping
from typing import Any

import msgspec

from scoop.core import curation
from scoop.core.briefs import BadReply, Order, Prompt, ReplyProblem, prompts, replies
from scoop.core.briefs.summary import FOREIGN
from scoop.core.curation import LIMITS, ArticleEvaluation
from scoop.core.interests import Interest
from scoop.core.relevance import ScoreParts
from scoop.core.rendering import common
from scoop.core.support import CitedClaim, Embed, verdicts

PROMPT_ID = "evaluation"
MIN_SUMMARY, MAX_SUMMARY = 50, 200  # characters
MAX_REASONING = 600  # characters
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "parts", "matching_topics", "summary", "reasoning", "is_ai_generated"],
    "properties": {
        "score": {"type": "integer"},
        "parts": {
            "type": "object",
            "additionalProperties": False,
            "required": list(LIMITS),
            "properties": {name: {"type": "integer"} for name in LIMITS},
        },
        "matching_topics": {"type": "array", "items": {"type": "string"}},
        "summary": {"type": "string"},
        "reasoning": {"type": "string"},
        "is_ai_generated": {"type": "boolean"},
    },
}


class _ReplyParts(msgspec.Struct):
    topic_match: int
    concreteness: int
    practicality: int
    depth: int


class _EvaluationReply(msgspec.Struct):
    score: int
    parts: _ReplyParts
    matching_topics: list[str]
    summary: str
    reasoning: str
    is_ai_generated: bool
    is_estimate: bool = False  # of the local writer: its flag is a guess that changes no score


def has_text(order: Order) -> bool:
    """Whether there is an article, and interests to judge it by."""
    return bool(order.documents) and order.interests is not None


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of an evaluation; `finding` is what was wrong with the reply before."""
    assert order.interests is not None  # noqa: S101 - `has_text` was asked
    by_weight = sorted(order.interests.topics, key=lambda interest: -interest.weight)
    values = {
        "language": prompts.language_name(order.language) if order.language else "the language of the article",
        "topics": "\n".join(map(_topic_line, by_weight)),
    }
    return prompts.prompt_about(
        order.documents, template=prompts.template(PROMPT_ID), schema=SCHEMA, finding=finding, values=values
    )


def _topic_line(interest: Interest) -> str:
    details = [interest.description, f"also: {', '.join(interest.aliases)}" if interest.aliases else ""]
    about = "; ".join(filter(None, details))
    return f"- {interest.topic} ({interest.priority}){f': {about}' if about else ''}"


def parse(reply: str) -> ArticleEvaluation:
    """The evaluation of a reply; BadReply where it has another form."""
    decoded = replies.decode(reply, _EvaluationReply)
    return ArticleEvaluation(
        score=decoded.score,
        parts=ScoreParts(**msgspec.structs.asdict(decoded.parts)),
        matching_topics=tuple(dict.fromkeys(decoded.matching_topics)),
        summary=common.shown(decoded.summary),
        reasoning=common.shown(decoded.reasoning),
        is_ai_generated=decoded.is_ai_generated,
        is_estimate=decoded.is_estimate,
    )


def check(evaluation: ArticleEvaluation, order: Order, *, embed: Embed | None) -> ArticleEvaluation:
    """The evaluation if it keeps the rules of the rubric; BadReply says which one it breaks."""
    _check_points(evaluation)
    _check_topics(evaluation, order)
    _check_texts(evaluation)
    _check_facts(evaluation, order, embed)
    return evaluation


def _check_points(evaluation: ArticleEvaluation) -> None:
    for name, points in curation.parts_by_name(evaluation.parts).items():
        if not 0 <= points <= LIMITS[name]:
            raise BadReply("unsupported", f"{name} is {points}; it must be 0 to {LIMITS[name]}.")
    is_void = evaluation.is_ai_generated and not evaluation.is_estimate
    wanted = 0 if is_void else evaluation.parts.total
    if evaluation.score != wanted:
        why = "because is_ai_generated is true" if is_void else "the sum of its parts"
        raise BadReply("unsupported", f"score is {evaluation.score}; it must be {wanted}, {why}.")


def _check_topics(evaluation: ArticleEvaluation, order: Order) -> None:
    known = {interest.topic for interest in order.interests.topics} if order.interests else set()
    if foreign := [topic for topic in evaluation.matching_topics if topic not in known]:
        raise BadReply("unsupported", f"{foreign[0][:60]!r} is not one of the topics; use them as they are spelled.")


def _check_texts(evaluation: ArticleEvaluation) -> None:
    characters = len(evaluation.summary)
    if not MIN_SUMMARY <= characters <= MAX_SUMMARY:
        problem: ReplyProblem = "too_long" if characters > MAX_SUMMARY else "empty"
        raise BadReply(
            problem, f"The summary has {characters} characters; write {MIN_SUMMARY} to {MAX_SUMMARY} characters."
        )
    if not 0 < len(evaluation.reasoning) <= MAX_REASONING:
        raise BadReply("empty" if not evaluation.reasoning else "too_long", "Give a reasoning of one or two sentences.")
    if FOREIGN.search(evaluation.summary) or FOREIGN.search(evaluation.reasoning):
        raise BadReply("unsupported", "The summary or the reasoning has a link, markup or a mention.")


def _check_facts(evaluation: ArticleEvaluation, order: Order, embed: Embed | None) -> None:
    """Refuse a summary whose numbers, names or quotations the article does not have."""
    claim = CitedClaim(text=evaluation.summary, language=order.language or order.documents[0].language)
    (support,) = verdicts.judge([claim], order.documents, embed=embed)
    # A summary of 200 characters is in other words than the article: that no passage has them proves nothing.
    if wrong := [finding for finding in support.findings if finding != verdicts.NO_PASSAGE]:
        raise BadReply("unsupported", f"The article does not say this in the summary: {wrong[0]}.")
