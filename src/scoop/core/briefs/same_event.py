"""The brief of a pair in the review queue: whether two documents report the same event, and how they differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgspec

from scoop.core import text
from scoop.core.briefs import BadReply, Order, Prompt, prompts, replies
from scoop.core.briefs.summary import FOREIGN
from scoop.core.rendering import common

EventVerdict = Literal["same", "different", "unsure"]

PROMPT_ID = "same_event"
MAX_DIFFERENCES = 8
MAX_WORDS = 200  # characters of a fact, and of the words of a document
MAX_REASON = 400  # characters
SIDES = 2
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdict", "reason", "differences"],
    "properties": {
        "verdict": {"type": "string", "enum": list(get_args(EventVerdict))},
        "reason": {"type": "string"},
        "differences": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["fact", "one", "other"],
                "properties": {"fact": {"type": "string"}, "one": {"type": "string"}, "other": {"type": "string"}},
            },
        },
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """A fact in which two documents differ, with the words of each."""

    fact: str
    one: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJudgement:
    """Whether two documents report the same event, why, and the facts in which they differ."""

    verdict: EventVerdict
    reason: str
    differences: tuple[PairDifference, ...] = ()


class _ReplyDifference(msgspec.Struct):
    fact: str
    one: str
    other: str


class _PairReply(msgspec.Struct):
    verdict: EventVerdict
    reason: str
    differences: list[_ReplyDifference] = []


def has_text(order: Order) -> bool:
    """Whether both documents are there, with at least a headline."""
    return len(order.documents) == SIDES and all(document.title for document in order.documents)


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a pair; `finding` is what was wrong with the reply before."""
    template = prompts.template(PROMPT_ID)
    return prompts.prompt_about(
        order.documents, template=template, schema=SCHEMA, finding=finding, max_tokens=order.max_prompt_tokens
    )


def parse(reply: str) -> PairJudgement:
    """The judgement of a reply; BadReply where it has another form."""
    decoded = replies.decode(reply, _PairReply)
    differences = tuple(
        PairDifference(fact=common.shown(each.fact), one=text.one_line(each.one), other=text.one_line(each.other))
        for each in decoded.differences
    )
    return PairJudgement(verdict=decoded.verdict, reason=common.shown(decoded.reason), differences=differences)


def check(judgement: PairJudgement, order: Order) -> PairJudgement:
    """The judgement with those facts that both documents have; BadReply if nothing supports it."""
    if not judgement.reason or len(judgement.reason) > MAX_REASON:
        raise BadReply(
            "too_long" if judgement.reason else "empty", f"Give a reason of at most {MAX_REASON} characters."
        )
    if FOREIGN.search(judgement.reason):
        raise BadReply("unsupported", "The reason has a link, markup or a mention.")
    one, other = (text.one_line(f"{document.title}\n{document.body_text}") for document in order.documents)
    kept = tuple(each for each in judgement.differences if _is_found(each, one, other))[:MAX_DIFFERENCES]
    if judgement.verdict == "different" and not kept:
        raise BadReply("unsupported", "Name a fact in which they differ, with words copied from both documents.")
    return PairJudgement(verdict=judgement.verdict, reason=judgement.reason, differences=kept)


def _is_found(difference: PairDifference, one: str, other: str) -> bool:
    """Whether both documents have the words of a difference, and these are not the same."""
    texts = (difference.fact, difference.one, difference.other)
    if not all(texts) or max(map(len, texts)) > MAX_WORDS or FOREIGN.search(difference.fact):
        return False
    return difference.one in one and difference.other in other and difference.one != difference.other
