"""Review: pairs that await a decision, decisions, and the accuracy of the model against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.core import calibration, links
from scoop.core.briefs.same_event import EventVerdict
from scoop.core.calibration import Accuracy, LabelledPair, Proposal
from scoop.core.links import LinkModel
from scoop.errors import NotFound
from scoop.model import Decision
from scoop.store import embeddings, review_queue
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.review_queue import GrayPair

VERDICTS: Mapping[EventVerdict, str] = {"same": "Same event", "different": "Two events", "unsure": "Unsure"}
"""Labels of what a model answered about a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Accuracy of the active model against people's decisions, at current and shipped thresholds."""

    labels: int
    same: int
    merge: Accuracy
    coverage: Accuracy
    merge_before: Accuracy
    coverage_before: Accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Accuracy of the active model, and the thresholds that would do better."""

    model_name: str
    model_version: str
    labels: int
    same: int
    unusable: int
    merge: Accuracy
    coverage: Accuracy
    proposals: list[Proposal]
    calibration: Mapping[str, float]


async def gray_pairs(
    conn: Connection, *, collection: str | None = None, limit: int = 10, now: datetime
) -> list[GrayPair]:
    """The pairs of stories that await a decision, most important first."""
    pairs, _ = await queue(conn, collection=collection, limit=limit, now=now)
    return pairs


async def queue(
    conn: Connection, *, collection: str | None, skip: int = 0, limit: int, now: datetime
) -> tuple[list[GrayPair], int]:
    """One page of pairs after the skipped ones, and the total; empty if no model is active or it has no fit."""
    model = await embeddings.find_active(conn)
    fit = links.load_model(model.model_name, model.model_version) if model else None
    if model is None or fit is None:
        return [], 0
    at_least = links.calibrated(fit, model.calibration).coverage_at
    return await review_queue.list_pairs(
        conn, model, at_least=at_least, collection=collection, skip=skip, limit=limit, now=now
    )


async def active_model(conn: Connection) -> tuple[EmbeddingModel, LinkModel]:
    """The active model, and its shipped fit."""
    model = await embeddings.find_active(conn)
    if model is None:
        raise NotFound("no model decides about stories yet; `scoop run-once` embeds what there is")
    fit = links.load_model(model.model_name, model.model_version)
    if fit is None:
        raise NotFound(
            f"the model {model.model_name} {model.model_version} has no fit, so it links nothing; "
            "`scoop embed --models` lists the others"
        )
    return model, fit


async def answered(conn: Connection) -> Answered | None:
    """The model's accuracy on people's decisions; None if no model is active or it has no fit."""
    model = await embeddings.find_active(conn)
    shipped = links.load_model(model.model_name, model.model_version) if model else None
    if model is None or shipped is None:
        return None
    labels, _ = await review_queue.list_labels(conn, model)
    merge, coverage = _accuracies(labels, links.calibrated(shipped, model.calibration))
    before = _accuracies(labels, shipped) if model.calibration else (merge, coverage)
    return Answered(
        labels=len(labels),
        same=sum(label.is_same for label in labels),
        merge=merge,
        coverage=coverage,
        merge_before=before[0],
        coverage_before=before[1],
    )


def _accuracies(labels: Sequence[LabelledPair], fit: LinkModel) -> tuple[Accuracy, Accuracy]:
    return calibration.accuracy("merge", labels, fit), calibration.accuracy("coverage", labels, fit)


async def measured(conn: Connection, model: EmbeddingModel, shipped: LinkModel) -> Calibration:
    """Accuracy of the active model at its current calibration."""
    fit = links.calibrated(shipped, model.calibration)
    labels, unusable = await review_queue.list_labels(conn, model)
    proposals = calibration.propose(labels, fit)
    merge, coverage = _accuracies(labels, fit)
    return Calibration(
        model_name=model.model_name,
        model_version=model.model_version,
        labels=len(labels),
        same=sum(label.is_same for label in labels),
        unusable=unusable,
        merge=merge,
        coverage=coverage,
        proposals=proposals,
        calibration={p.threshold: p.proposed for p in proposals if p.proposed != getattr(shipped, p.threshold)},
    )


def sentence(decision: Decision) -> str:
    """The state after a decision or its undoing, as a sentence."""
    one, other = f"story {decision.story_id}", f"story {decision.other_story_id}"
    moved = f"{len(decision.document_ids):,} document{'s' if len(decision.document_ids) > 1 else ''}"
    if decision.undone_at is None:
        return {
            "merge": f"{other} is part of {one} now",
            "together": f"{one} and {other} are one event",
            "apart": f"{one} and {other} stay apart",
            "split": f"{moved} of {one} made {other}",
            "move": f"{one} is in the event of {other} now"
            if decision.other_story_id
            else f"{one} is an event of its own now",
            "lead": f"{one} leads event {decision.event_id} now",
            "suppress": f"event {decision.event_id} is hidden from readers now",
        }[decision.action]
    return {
        "merge": f"{other} is a story of its own again",
        "together": f"{one} and {other} need not be one event any longer",
        "apart": f"{one} and {other} need not stay apart any longer",
        "split": f"{moved} went back to {one}",
        "move": f"{one} went back to event {decision.event_id}",
        "lead": f"the lead of event {decision.event_id} is what it was before",
        "suppress": f"event {decision.event_id} is shown to readers again",
    }[decision.action]
