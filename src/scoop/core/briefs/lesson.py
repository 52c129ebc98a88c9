"""The brief of a lesson: its prompt, the form of the reply, and the checks before it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from scoop.core import prompt_injection
from scoop.core.briefs import BadReply, Order, Prompt, SourceText, prompts, replies
from scoop.core.briefs.replies import QuotingSentence
from scoop.core.briefs.summary import FOREIGN, MIN_BODY
from scoop.core.levels import check as level_check
from scoop.core.levels import measure
from scoop.core.levels.check import BrokenRule
from scoop.core.levels.rules import LEVELS, RULES, Level, LevelRules
from scoop.core.rendering import common
from scoop.core.support import CitedClaim, verdicts
from scoop.model import LessonFinding, LessonSentence

PROMPT_ID = "lesson"
LANGUAGE = "en"
MAX_SENTENCES = 40
MAX_SENTENCE = 700  # characters
MIN_LENGTH = 0.5  # of the fewest words of its level: a lesson that is shorter is none
KEPT_SHARE = 0.6  # of the sentences: a lesson that loses more of them is a failure
NAMED_FINDINGS = 8
SOFT = frozenset({"length", "sentence_length", "vocabulary", "grammar", "lost_facts"})
"""Findings about the level: with them a lesson is stored if no better one comes, and shows what it was measured as."""
TENSES: Mapping[Level, str] = {
    "A1": "present tense only; sentences joined by and or but; concrete words",
    "A2": "present and past; because and when; explain a technical word in a few words",
    "B1": "all simple tenses and modal verbs; some background, if the documents have it",
    "B2": "clauses with that, which and while; cause and effect",
    "C1": "abstract and well structured",
    "C2": "the style of a newspaper for native speakers",
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["lesson"],
    "properties": {
        "lesson": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "document", "quote"],
                "properties": {
                    "text": {"type": "string"},
                    "document": {"type": "integer"},
                    "quote": {"type": "string"},
                },
            },
        }
    },
}


class _LessonReply(msgspec.Struct):
    lesson: list[QuotingSentence]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLesson:
    """A lesson whose sentences are all supported, with its measured level and the rules that it breaks."""

    sentences: tuple[LessonSentence, ...]
    measured_level: Level
    score: float
    word_count: int
    broken_rules: tuple[LessonFinding, ...]

    @property
    def lesson_text(self) -> str:
        return as_text(self.sentences)


def as_text(sentences: Sequence[LessonSentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def level_of(order: Order) -> Level:
    """The level of an order for a lesson."""
    assert order.level in LEVELS, order.level  # noqa: S101 - the database holds no other
    return order.level


def has_text(documents: Sequence[SourceText]) -> bool:
    """Whether there is enough text to make a lesson of."""
    return any(len(document.body_text) >= MIN_BODY for document in documents)


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a lesson; `finding` is what was wrong with the reply before."""
    level = level_of(order)
    values = {"level": level, "rules": _rules(level, RULES[level]), "count": str(len(order.documents))}
    return prompts.prompt_about(
        order.documents,
        template=prompts.template(PROMPT_ID),
        schema=SCHEMA,
        finding=finding,
        values=values,
        max_tokens=order.max_prompt_tokens,
    )


def _rules(level: Level, rules: LevelRules) -> str:
    low, high = rules.words
    lines = [f"- {low} to {high} words in all.", f"- Language: {TENSES[level]}."]
    if rules.sentence_words is not None:
        least, most = rules.sentence_words
        lines.insert(0, f"- {least} to {most} words a sentence, none with more than {rules.longest_sentence}.")
    return "\n".join(lines)


def parse(reply: str, order: Order) -> list[LessonSentence]:
    """The sentences of a reply; BadReply where it has another form, or none."""
    decoded = replies.decode(reply, _LessonReply)
    bodies = {document.document_id: document.body_text for document in order.documents}
    sentences = [
        LessonSentence(text=line, citations=replies.citations(sentence, bodies))
        for sentence in decoded.lesson
        if (line := common.shown(sentence.text))
    ]
    if not sentences:
        raise BadReply("empty", "The reply has no sentence.")
    return sentences


def check(sentences: Sequence[LessonSentence], order: Order) -> CheckedLesson:
    """The lesson, if it may be stored; BadReply says what is wrong.

    A first reply must meet every rule that is required. A final one loses the sentences that the documents do not
    support, and may miss rules of its level. The local grader only rewrites sentences of the documents: one of its
    sentences is lost for a new name or number, but not for an easier word. It also loses sentences that quote markup or
    a link, since it would give the same ones again.
    """
    if order.is_local:
        sentences = [sentence for sentence in sentences if _danger(sentence) is None]
    _check_safety(sentences)
    findings = _findings(sentences, order)
    invented = [
        finding for finding in findings if finding.kind == "facts" and (finding.is_required or not order.is_local)
    ]
    if order.is_final and invented:
        kept = _without(sentences, invented)
        if len(kept) < KEPT_SHARE * len(sentences):
            raise _refusal(invented)
        sentences, findings = kept, _findings(kept, order)
    faults = [finding for finding in findings if finding.is_required and not (order.is_final and finding.kind in SOFT)]
    if faults or _is_stub(sentences, order):
        raise _refusal(faults or findings)
    return _measured(sentences, order, findings)


def _check_safety(sentences: Sequence[LessonSentence]) -> None:
    if len(sentences) > MAX_SENTENCES:
        raise BadReply("too_long", f"The lesson has {len(sentences)} sentences; at most {MAX_SENTENCES} are allowed.")
    for sentence in sentences:
        if danger := _danger(sentence):
            raise danger


def _danger(sentence: LessonSentence) -> BadReply | None:
    """Why a sentence must not be shown to anybody."""
    quoted = f"“{level_check.shown(sentence.text)}”"
    if len(sentence.text) > MAX_SENTENCE:
        return BadReply("too_long", f"{quoted} is longer than {MAX_SENTENCE} characters.")
    if FOREIGN.search(sentence.text):
        return BadReply("unsupported", f"{quoted} has a link, markup or a mention.")
    if prompt_injection.orders_a_model(sentence.text):
        return BadReply("unsupported", f"{quoted} gives orders to a language model.")
    return None


def _findings(sentences: Sequence[LessonSentence], order: Order) -> tuple[BrokenRule, ...]:
    return level_check.check(as_text(sentences), level_of(order), order.documents)


def _without(sentences: Sequence[LessonSentence], findings: Sequence[BrokenRule]) -> list[LessonSentence]:
    """The sentences in which no finding lies."""
    places = [finding.start for finding in findings if finding.start is not None]
    kept, start = [], 0
    for sentence in sentences:
        end = start + len(sentence.text)
        if not any(start <= place < end for place in places):
            kept.append(sentence)
        start = end + 1
    return kept


def _is_stub(sentences: Sequence[LessonSentence], order: Order) -> bool:
    return measure.measure(as_text(sentences)).words < MIN_LENGTH * RULES[level_of(order)].least_words


def _refusal(findings: Sequence[BrokenRule]) -> BadReply:
    """Why a lesson cannot be stored, the gravest first."""
    kinds = {finding.kind for finding in findings}
    said = " ".join(finding.message for finding in findings[:NAMED_FINDINGS])
    if "language" in kinds:
        return BadReply("wrong_language", said)
    return BadReply("unsupported" if "facts" in kinds else "outside_level", said)


def _measured(sentences: Sequence[LessonSentence], order: Order, findings: Sequence[BrokenRule]) -> CheckedLesson:
    measured = measure.measure(as_text(sentences))
    assert measured.level is not None  # noqa: S101 - a lesson without words was refused
    return CheckedLesson(
        sentences=tuple(_with_citations(sentences, order)),
        measured_level=measured.level,
        score=measured.score,
        word_count=measured.words,
        broken_rules=tuple(LessonFinding(kind=finding.kind, message=finding.message) for finding in findings),
    )


def _with_citations(sentences: Sequence[LessonSentence], order: Order) -> list[LessonSentence]:
    """The sentences, each with a passage: those whose quote is in no document get the one that supports them best."""
    missing = [sentence for sentence in sentences if not sentence.citations]
    claims = [CitedClaim(text=sentence.text, language=LANGUAGE) for sentence in missing]
    passages = iter(verdicts.judge(claims, order.documents) if claims else ())
    return [
        sentence if sentence.citations else LessonSentence(text=sentence.text, citations=next(passages).passages)
        for sentence in sentences
    ]
