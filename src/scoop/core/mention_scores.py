"""Mentions of a document with their scores: what is found, what keeps its score, what is scored."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from scoop.core.sentiment import SentimentLabel, SentimentScore

LABEL_NUMBERS: dict[SentimentLabel, int] = {"positive": 1, "neutral": 0, "negative": -1}
UNSURE_BELOW = 0.6  # confidence; such a mention is judged by a model if the operator chose one
LABELS: dict[int, SentimentLabel] = {number: label for label, number in LABEL_NUMBERS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionSpan:
    """Where a tool is mentioned in a text."""

    tool_number: int
    start: int
    end: int
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMention:
    """A stored mention and the hash of the text that it was scored in."""

    mention_id: int
    tool_number: int
    start: int
    end: int
    text_hash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionPlan:
    """The mentions to score, and the ids of those that keep their score."""

    unscored: Sequence[MentionSpan]
    kept: Sequence[int]


def plan(
    found: Sequence[MentionSpan],
    known: Collection[KnownMention],
    *,
    text_hash: int,
    rescores: bool,
    uncounted: Collection[int] = (),
) -> MentionPlan:
    """Keep the scores of mentions in an unchanged text, unless they are scored again.

    The mentions of `uncounted` tools stay as they are: nobody looks for these tools any more.
    """
    current = [each for each in known if each.text_hash == text_hash]
    id_by_place = {(each.tool_number, each.start, each.end): each.mention_id for each in current if not rescores}
    places = [(each.tool_number, each.start, each.end) for each in found]
    return MentionPlan(
        unscored=[each for each, place in zip(found, places, strict=True) if place not in id_by_place],
        kept=[
            *(id_by_place[place] for place in places if place in id_by_place),
            *(each.mention_id for each in current if each.tool_number in uncounted),
        ],
    )


def clamped(score: SentimentScore) -> tuple[float, float]:
    """Compound and confidence within their ranges."""
    return max(-1.0, min(1.0, score.compound)), max(0.0, min(1.0, score.confidence))
