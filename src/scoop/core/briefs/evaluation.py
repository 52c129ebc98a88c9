"""The brief of a curator: how relevant an article is to interests, by the rubric of docs/design/curators.md."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from scoop.core import curation, extracts, prompt_injection, sentences
from scoop.core.briefs import BadReply, Order, Prompt, ReplyProblem, SourceText, prompts, replies
from scoop.core.briefs.summary import FOREIGN, joined
from scoop.core.curation import LIMITS, ArticleEvaluation
from scoop.core.interests import Interest
from scoop.core.relevance import ScoreParts
from scoop.core.rendering import common
from scoop.core.support import CitedClaim, Embed, Support, verdicts

PROMPT_ID = "evaluation"
MIN_SUMMARY, MAX_SUMMARY = 50, 200  # characters
MAX_REASONING = 600  # characters
MAX_QUOTED = 4  # sentences of the article in place of a summary
READ_CHARACTERS = 900  # of an article that has no sentence to quote
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
        "reasoning_language": prompts.language_name(order.language or "en"),
        "topics": "\n".join(map(_topic_line, by_weight)),
    }
    return prompts.prompt_about(
        order.documents,
        template=prompts.template(PROMPT_ID),
        schema=SCHEMA,
        finding=finding,
        values=values,
        max_tokens=order.max_prompt_tokens,
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
    """The evaluation if it keeps the rules of the rubric; BadReply says which one it breaks.

    A summary that the article does not clearly support is replaced by sentences of the article.
    """
    _check_points(evaluation)
    _check_topics(evaluation, order)
    _check_texts(evaluation)
    return replace(evaluation, summary=_supported_summary(evaluation.summary, order, embed))


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
    for written in (evaluation.summary, evaluation.reasoning):
        if FOREIGN.search(written):
            raise BadReply("unsupported", "The summary or the reasoning has a link, markup or a mention.")
        if prompt_injection.orders_a_model(written):
            raise BadReply("unsupported", "The summary or the reasoning gives orders to a language model.")


def _supported_summary(summary: str, order: Order, embed: Embed | None) -> str:
    """The sentences that the article supports; those of the article itself if they are too few.

    BadReply names a fact that the article does not have. Other words alone are no fault: of 14 true summaries in words
    of their own, the signs proved three and contradicted two: repairs would cost more than they give.
    """
    language = order.language or order.documents[0].language
    written = [summary[start:end] for start, end in sentences.split(summary, language)]
    judged = verdicts.judge(
        [CitedClaim(text=each, language=language) for each in written], order.documents, embed=embed
    )
    wrong = [support.findings[0] for support in judged if _is_contradicted(support)]
    if wrong and not order.is_local:
        raise BadReply("unsupported", f"The article does not say this in the summary: {wrong[0]}.")
    kept = joined([each for each, support in zip(written, judged, strict=True) if support.is_supported], language)
    return kept if len(kept) >= MIN_SUMMARY else quoted_summary(order.documents[0])


def _is_contradicted(support: Support) -> bool:
    return not (support.is_supported or support.is_open or support.findings == (verdicts.NO_PASSAGE.reason,))


def quoted_summary(document: SourceText) -> str:
    """What the article says most of all, in its own sentences and 50 to 200 characters."""
    chosen = extracts.extract([document], max_sentences=MAX_QUOTED, max_characters=MAX_SUMMARY)
    quoted = [common.shown(one.text) for one in chosen]
    shown = [each for each in quoted if not (FOREIGN.search(each) or prompt_injection.orders_a_model(each))]
    written = common.cut(joined(shown, document.language), MAX_SUMMARY)
    if len(written) >= MIN_SUMMARY:
        return written
    return common.cut(common.shown(FOREIGN.sub(" ", document.body_text[:READ_CHARACTERS])), MAX_SUMMARY)
