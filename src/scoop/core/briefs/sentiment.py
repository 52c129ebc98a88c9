"""The brief of an unsure mention: what a passage says about a tool, which is the title of its document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from scoop.core import text
from scoop.core.briefs import BadReply, Order, Prompt, prompts, replies
from scoop.core.sentiment import SentimentLabel, label_of

PROMPT_ID = "sentiment"
MAX_EVIDENCE = 200  # characters
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["label", "compound", "confidence", "evidence"],
    "properties": {
        "label": {"type": "string", "enum": list(get_args(SentimentLabel))},
        "compound": {"type": "number"},
        "confidence": {"type": "number"},
        "evidence": {"type": "string"},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentJudgement:
    """The judgement of a passage; `evidence` are its words that decide, empty if it is neutral."""

    label: SentimentLabel
    compound: float
    confidence: float
    evidence: str = ""


class _SentimentReply(msgspec.Struct):
    label: SentimentLabel
    compound: float
    confidence: float
    evidence: str = ""


def has_text(order: Order) -> bool:
    """Whether there is one passage with its target."""
    return len(order.documents) == 1 and bool(order.documents[0].title and order.documents[0].body_text.strip())


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a passage; `finding` is what was wrong with the reply before."""
    template = prompts.template(PROMPT_ID)
    return prompts.prompt_about(
        order.documents, template=template, schema=SCHEMA, finding=finding, max_tokens=order.max_prompt_tokens
    )


def parse(reply: str) -> SentimentJudgement:
    """The judgement of a reply; BadReply where it has another form."""
    decoded = replies.decode(reply, _SentimentReply)
    return SentimentJudgement(
        label=decoded.label,
        compound=decoded.compound,
        confidence=decoded.confidence,
        evidence=text.one_line(decoded.evidence),
    )


def check(judgement: SentimentJudgement, order: Order) -> SentimentJudgement:
    """The judgement if its numbers fit its label and the passage has its evidence; BadReply says what is wrong."""
    if not (-1 <= judgement.compound <= 1 and 0 <= judgement.confidence <= 1):
        raise BadReply("unsupported", "compound must be from -1 to 1, and confidence from 0 to 1.")
    if label_of(judgement.compound) != judgement.label:
        raise BadReply("unsupported", f"compound {judgement.compound} does not fit the label {judgement.label}.")
    if judgement.label == "neutral":
        return judgement
    if not judgement.evidence:
        raise BadReply("empty", "Copy the words that decide into evidence.")
    if len(judgement.evidence) > MAX_EVIDENCE:
        raise BadReply("too_long", f"Copy at most {MAX_EVIDENCE} characters into evidence.")
    if judgement.evidence not in text.one_line(order.documents[0].body_text):
        raise BadReply("unsupported", "The evidence is not in the text; copy it character by character.")
    return judgement
