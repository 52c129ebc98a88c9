"""Why a document is in its story: the reason in words, the signals as figures, what was decided and what came near."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from scoop.store.reads.decisions import DocumentDecision, RejectedCandidate
from scoop.store.reads.stories import RelatedStory, StoryMember
from scoop.web import labels

TOLD_IN_WORDS = frozenset({"signal", "matched_document_id", "decision_id", "absorbed_story_ids", "before"})
MOST_CHARACTERS = 200  # of a signal that is no figure


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSignal:
    """A piece of evidence; `share` when it is a figure between 0 and 1 that can be drawn."""

    name: str
    value: str
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The reason a document is in its story: a sentence, the document it is like, the signals."""

    sentence: str
    like: StoryMember | None
    signals: list[EvidenceSignal]


def why(member: StoryMember, member_by_id: Mapping[int, StoryMember]) -> Why:
    details = member.match_details or {}
    score = {"match": member.match_score} if member.match_score is not None else {}
    evidence = score | {name: value for name, value in details.items() if name not in TOLD_IN_WORDS}
    return Why(
        sentence=labels.REASONS[member.match_type],
        like=member_by_id.get(details.get("matched_document_id", 0)),
        signals=[_signal(name, value) for name, value in evidence.items()],
    )


def worth_telling(events: Iterable[DocumentDecision]) -> list[DocumentDecision]:
    """The decisions that were measured, or made by a person; the first one stands in the reason already."""
    return [each for each in events if each.best_cosine is not None or each.decision.startswith("manual")]


def of_decision(event: DocumentDecision) -> list[EvidenceSignal]:
    """What was measured when it was decided about a document."""
    return _measured((each.name, getattr(event, each.name)) for each in fields(event))


def of_pair(near: RejectedCandidate | RelatedStory) -> list[EvidenceSignal]:
    """What was measured between a document or story and one that came near it."""
    return _measured([("probability", near.probability), *near.signs.items()])


def _measured(figures: Iterable[tuple[str, Any]]) -> list[EvidenceSignal]:
    by_name = {name: value for name, value in figures if value is not None}
    return [_signal(name, min(1.0, max(0.0, by_name[name]))) for name in labels.SIGNALS if name in by_name]


def _signal(name: str, value: Any) -> EvidenceSignal:
    spoken = labels.SIGNALS.get(name, name.replace("_", " "))
    if isinstance(value, float) and 0 <= value <= 1:
        return EvidenceSignal(name=spoken, value=f"{value:.2f}", share=value)
    told = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return EvidenceSignal(name=spoken, value=told[:MOST_CHARACTERS])
