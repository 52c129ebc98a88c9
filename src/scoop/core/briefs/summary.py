"""The brief of a summary: its prompt, the form of the reply, and the checks before it is published."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from scoop.core import language, prompt_injection, text
from scoop.core.briefs import BadReply, Order, Prompt, SourceText, prompts, replies
from scoop.core.briefs.replies import QuotingSentence
from scoop.core.rendering import common
from scoop.core.support import CitedClaim, Embed, Support, confidence, verdicts
from scoop.model import Citation, FindingKind, LeftOutSentence, SummarySentence

PROMPT_ID = "summary"
MIN_BODY = 100  # characters: a shorter text is not summarised
MAX_SENTENCES = 10
MAX_SENTENCE = 700  # characters
MAX_PARAGRAPHS = 2
LEFT_OUT_CHARACTERS = 80  # of a sentence that is left out: enough to recognise it
KEPT_SHARE = 0.5  # a summary that loses more of its sentences is a failure
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["paragraphs"],
    "properties": {
        "paragraphs": {
            "type": "array",
            "items": {
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
            },
        }
    },
}
NOT_CONFIRMED: Mapping[str, Citation] = {}

# A link, markup or a mention in a summary is none of the model's business: it came from an article. A domain with a
# path is a link to many programs; its last part is in one case, unlike that of "St.Gallen/Zürich".
FOREIGN = re.compile(
    r"https?:|www\.|://|<[/!a-z@#]|\]\(|```|\*\*|__|~~|\|\||\A\s*(?:#{1,6}|[>*+-])\s|@everyone|@here|&lt;|"
    r"\b[\w-]+\.(?-i:[a-z]{2,12}|[A-Z]{2,12})/\w",
    re.IGNORECASE,
)


class _SummaryReply(msgspec.Struct):
    paragraphs: list[list[QuotingSentence]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSentence:
    """A sentence as the writer gave it, with the passage that it names."""

    text: str
    paragraph: int
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSummary:
    """A summary whose sentences are all supported; `left_out` has the others."""

    language: str
    sentences: tuple[SummarySentence, ...]
    confidence: float
    left_out: tuple[LeftOutSentence, ...] = ()

    @property
    def summary_text(self) -> str:
        """The summary as text, with an empty line between paragraphs."""
        return as_text(self.sentences, self.language)


def as_text(sentences: Sequence[SummarySentence], in_language: str) -> str:
    paragraphs = sorted({sentence.paragraph for sentence in sentences})
    return "\n\n".join(
        joined([sentence.text for sentence in sentences if sentence.paragraph == paragraph], in_language)
        for paragraph in paragraphs
    )


def joined(sentences: Sequence[str], in_language: str) -> str:
    """The sentences as one text, with spaces where the language has them."""
    return ("" if in_language.partition("-")[0].lower() in {"ja", "zh"} else " ").join(sentences)


def target_language(order: Order) -> str:
    """The language to write in: the one that was asked for, else that of the first document."""
    return order.language or (order.documents[0].language if order.documents else language.UNDETERMINED)


def has_text(documents: Sequence[SourceText]) -> bool:
    """Whether there is enough text to summarise."""
    return any(len(document.body_text) >= MIN_BODY for document in documents)


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a summary; `finding` is what was wrong with the reply before."""
    values = {
        "language_name": prompts.language_name(target_language(order)),
        "count": str(len(order.documents)),
    }
    return prompts.prompt_about(
        order.documents,
        template=prompts.template(PROMPT_ID),
        schema=SCHEMA,
        finding=finding,
        values=values,
        max_tokens=order.max_prompt_tokens,
    )


def parse(reply: str, order: Order) -> list[DraftSentence]:
    """The sentences of a reply, each once; BadReply where it has another form, none, or too many."""
    decoded = replies.decode(reply, _SummaryReply)
    bodies = {document.document_id: document.body_text for document in order.documents}
    sentences = [
        DraftSentence(
            text=line, paragraph=min(number, MAX_PARAGRAPHS - 1), citations=replies.citations(sentence, bodies)
        )
        for number, paragraph in enumerate(decoded.paragraphs)
        for sentence in paragraph
        if (line := common.shown(sentence.text))
    ]
    if not sentences:
        raise BadReply("empty", "The reply has no sentence.")
    if len(sentences) > MAX_SENTENCES:
        raise BadReply("too_long", f"The summary has {len(sentences)} sentences; at most {MAX_SENTENCES} are allowed.")
    first_by_text: dict[str, DraftSentence] = {}
    for sentence in sentences:
        first_by_text.setdefault(sentence.text, sentence)
    return list(first_by_text.values())


def check(
    sentences: Sequence[DraftSentence],
    order: Order,
    *,
    embed: Embed | None = None,
    confirmed: Mapping[str, Citation] = NOT_CONFIRMED,
) -> CheckedSummary:
    """The sentences that the documents support; BadReply if the first one or most of them are lost.

    `confirmed` has sentences that a model found in the documents, and where: they are published if the signs leave them
    open beside that passage too.
    """
    written_in, judged = _judge(sentences, order, embed, confirmed)
    problems = [_problem(sentence, verdict, written_in) for sentence, verdict in zip(sentences, judged, strict=True)]
    kept = [
        (SummarySentence(text=sentence.text, paragraph=sentence.paragraph, citations=verdict.passages), verdict)
        for sentence, verdict, problem in zip(sentences, judged, problems, strict=True)
        if problem is None
    ]
    left_out = tuple(problem for problem in problems if problem is not None)
    if problems[0] is not None or len(kept) < KEPT_SHARE * len(sentences):
        listed = " ".join(f"“{each.text}”: {'; '.join(each.reasons)}." for each in left_out)
        raise BadReply("unsupported", f"These sentences are not supported by the documents: {listed}")
    return CheckedSummary(
        language=written_in,
        sentences=tuple(sentence for sentence, _ in kept),
        confidence=confidence.confidence(judged, documents=len(order.documents)),
        left_out=left_out,
    )


def find_open(sentences: Sequence[DraftSentence], order: Order, *, embed: Embed | None = None) -> list[str]:
    """The sentences that the signs leave open and that nothing else speaks against; BadReply as `check` raises it."""
    written_in, judged = _judge(sentences, order, embed, NOT_CONFIRMED)
    return [
        sentence.text
        for sentence, verdict in zip(sentences, judged, strict=True)
        if verdict.is_open and _form_problem(sentence, written_in) is None
    ]


def _judge(
    sentences: Sequence[DraftSentence], order: Order, embed: Embed | None, confirmed: Mapping[str, Citation]
) -> tuple[str, list[Support]]:
    """The language of the sentences, and whether the documents support each."""
    written_in = _check_language(sentences, order)
    claims = [
        CitedClaim(
            text=each.text,
            language=written_in,
            cited=(confirmed[each.text],) if each.text in confirmed else each.citations,
        )
        for each in sentences
    ]
    judged = verdicts.judge(claims, order.documents, embed=embed)
    return written_in, [
        verdicts.confirm(verdict) if sentence.text in confirmed else verdict
        for sentence, verdict in zip(sentences, judged, strict=True)
    ]


def _check_language(sentences: Sequence[DraftSentence], order: Order) -> str:
    """The language of the summary; BadReply if it is not the one that was asked for."""
    expected = target_language(order).partition("-")[0]
    written = language.language(None, " ".join(sentence.text for sentence in sentences))
    if expected != language.UNDETERMINED and written not in {expected, language.UNDETERMINED}:
        raise BadReply(
            "wrong_language",
            f"The summary is in {prompts.language_name(written)}; write it in {prompts.language_name(expected)}.",
        )
    return written if expected == language.UNDETERMINED else expected


def _problem(sentence: DraftSentence, verdict: Support, written_in: str) -> LeftOutSentence | None:
    """Why a sentence is not published."""
    if (problem := _form_problem(sentence, written_in)) is not None or verdict.is_supported:
        return problem
    return _left_out(sentence, verdict.kind, *verdict.findings)


def _form_problem(sentence: DraftSentence, written_in: str) -> LeftOutSentence | None:
    """Why a sentence is not published whatever the documents say."""
    if language.is_in_another_language(sentence.text, written_in):
        return _left_out(sentence, "language", f"it is not in {prompts.language_name(written_in)}")
    if len(sentence.text) > MAX_SENTENCE:
        return _left_out(sentence, "length", f"it is longer than {MAX_SENTENCE} characters")
    if FOREIGN.search(sentence.text):
        return _left_out(sentence, "markup", "it has a link, markup or a mention")
    if prompt_injection.orders_a_model(sentence.text):
        return _left_out(sentence, "order", "it gives orders to a language model")
    return None


def _left_out(sentence: DraftSentence, kind: FindingKind, *reasons: str) -> LeftOutSentence:
    return LeftOutSentence(text=text.truncated(sentence.text, LEFT_OUT_CHARACTERS), kind=kind, reasons=reasons)
