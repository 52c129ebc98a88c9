"""Why a document is in its story: a sentence, and the signals as figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from scoop.core import curation
from scoop.store.reads.decisions import DocumentDecision, RejectedCandidate
from scoop.store.reads.events import RelatedEvent
from scoop.store.reads.stories import StoryMember
from scoop.web import labels

IN_SENTENCE = frozenset({"signal", "matched_document_id", "decision_id", "absorbed_story_ids", "before"})
MAX_CHARACTERS = 200  # of a signal that is a text


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSignal:
    """One signal; `share` is set for a figure from 0 to 1, which is drawn as a bar."""

    name: str
    value: str
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The sentence, the document that it was matched with, and the signals."""

    sentence: str
    like: StoryMember | None
    signals: list[EvidenceSignal]


def why(member: StoryMember, member_by_id: Mapping[int, StoryMember]) -> Why:
    details = member.match_details or {}
    score = {"match": member.match_score} if member.match_score is not None else {}
    evidence = score | {name: value for name, value in details.items() if name not in IN_SENTENCE}
    return Why(
        sentence=labels.REASONS[member.match_type],
        like=member_by_id.get(details.get("matched_document_id", 0)),
        signals=[_signal(name, value) for name, value in evidence.items()],
    )


def shown_decisions(events: Iterable[DocumentDecision]) -> list[DocumentDecision]:
    """The decisions with measurements and those of people; the sentence already gives the others."""
    return [event for event in events if event.best_cosine is not None or event.decision.startswith("manual")]


def decision_signals(event: DocumentDecision) -> list[EvidenceSignal]:
    """The measurements behind a decision."""
    return _measured((field.name, getattr(event, field.name)) for field in fields(event))


def pair_signals(pair: RejectedCandidate | RelatedEvent) -> list[EvidenceSignal]:
    """The measurements between two documents, or the best linked ones of two events."""
    return _measured([("probability", pair.probability), *pair.signs.items()])


def score_bars(parts: Mapping[str, float]) -> list[EvidenceSignal]:
    """The parts of a score as bars, each of its most points; empty without a score."""
    return [
        EvidenceSignal(
            name=name.replace("_", " ").capitalize(), value=f"{parts[name]:.0f}/{most}", share=parts[name] / most
        )
        for name, most in curation.LIMITS.items()
        if name in parts
    ]


def _measured(figures: Iterable[tuple[str, Any]]) -> list[EvidenceSignal]:
    by_name = {name: value for name, value in figures if value is not None}
    return [_signal(name, min(1.0, max(0.0, by_name[name]))) for name in labels.SIGNALS if name in by_name]


def _signal(name: str, value: Any) -> EvidenceSignal:
    label = labels.SIGNALS.get(name, name.replace("_", " "))
    if isinstance(value, float) and 0 <= value <= 1:
        return EvidenceSignal(name=label, value=f"{value:.2f}", share=value)
    shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return EvidenceSignal(name=label, value=shown[:MAX_CHARACTERS])
