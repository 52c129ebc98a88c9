"""Documents that tell of one event are linked; those that surely do become one story."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from scoop.core import dedup, links
from scoop.core.dedup import Doubt, Group, Match, Reading
from scoop.core.links import NEAR, LinkModel, Neighbourhood
from scoop.stages.stage import Outcome, Stage
from scoop.store import embeddings, stories
from scoop.store import links as store
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.links import Known, Link, Pair
from scoop.store.work import Subject

CANDIDATES = 30
LOOKBACK = timedelta(days=30)
REMEMBERED_AT = 0.2  # a link below this hardly ever comes to decide about a group

_COSINE = links.NAMES.index("cosine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Documents with those that are near to them, and what is known of all of them."""

    model: EmbeddingModel
    fit: LinkModel
    readings: Sequence[Reading]
    near: Mapping[int, Neighbourhood]
    known: Mapping[int, Known]
    neighbourhoods: Mapping[int, Neighbourhood]
    links: Mapping[Pair, Link]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to be remembered: who is near, the links, and the stories that become one."""

    model: EmbeddingModel
    collection: str
    neighbourhoods: Mapping[int, Neighbourhood]
    links: Mapping[Pair, Link]
    groups: Sequence[Group]
    doubts: Sequence[Doubt]
    touched: frozenset[int]


async def load(conn: Connection, ids: Sequence[int]) -> Case | None:
    """Nothing where no embedding model is active, or none has been fitted for it."""
    model = await embeddings.active(conn)
    fit = links.fitted(model.model_name, model.model_version) if model else None
    readings = await stories.readings(conn, ids)
    if model is None or fit is None or not readings:
        return None
    near = await store.nearest(conn, model, ids, collection=readings[0].collection, lookback=LOOKBACK, most=CANDIDATES)
    about = {*near, *(neighbour for found in near.values() for neighbour in found.ids.tolist())}
    linked = await store.links_of(conn, model, about)
    known = await store.compared(conn, about | {document for pair in linked for document in pair})
    story_ids = {document.story_id for document in known.values() if document.story_id is not None}
    return Case(
        model=model,
        fit=fit,
        readings=readings,
        near=near,
        known=known,
        neighbourhoods=await store.neighbourhoods(conn, model, known),
        links=linked,
        first_seen_at=await stories.first_seen_at(conn, story_ids),
    )


async def judge(case: Case | None) -> Outcome[Judgement | None]:
    if case is None:
        return Outcome(output=None)
    changed = _neighbourhoods(case)
    found = _scored(case, changed)
    kept = {pair: link for pair, link in found.items() if link.probability >= REMEMBERED_AT or pair in case.links}
    matches = _matches(case, kept)
    merging = {match.document_id for match in matches}
    readings = [reading for reading in case.readings if reading.document_id in merging]
    return Outcome(
        output=Judgement(
            model=case.model,
            collection=case.readings[0].collection,
            neighbourhoods=changed,
            links=kept,
            groups=dedup.judge(readings, matches, case.first_seen_at) if matches else (),
            doubts=_doubts(case, kept, merging),
            touched=_touched(case, kept),
        )
    )


def _neighbourhoods(case: Case) -> dict[int, Neighbourhood]:
    """The neighbourhoods that the documents have, or enter."""
    changed = {
        one: _nearest(list(zip(near.ids.tolist(), near.cosines.tolist(), strict=True)))
        for one, near in case.near.items()
    }
    entering: dict[int, list[tuple[int, float]]] = {}
    for one, near in case.near.items():
        for other, cosine in zip(near.ids.tolist(), near.cosines.tolist(), strict=True):
            if other not in case.near and other in case.neighbourhoods:
                entering.setdefault(other, []).append((one, cosine))
    for other, newcomers in entering.items():
        before = case.neighbourhoods[other]
        if any(cosine > before.cosines[-1] for _, cosine in newcomers) or len(before.ids) < NEAR:
            known = dict(zip(before.ids.tolist(), before.cosines.tolist(), strict=True)) | dict(newcomers)
            changed[other] = _nearest(list(known.items()))
    return changed


def _nearest(near: Sequence[tuple[int, float]]) -> Neighbourhood:
    return store.neighbourhood(sorted(near, key=lambda found: (-found[1], found[0]))[:NEAR])


def _scored(case: Case, changed: Mapping[int, Neighbourhood]) -> dict[Pair, Link]:
    """All pairs with a document at hand, and those whose neighbourhoods have changed, weighed."""
    neighbourhoods = {**case.neighbourhoods, **changed}
    rows: dict[Pair, links.Table] = {
        pair: link.signals[: len(links.OWN)]
        for pair, link in case.links.items()
        if pair[0] in changed or pair[1] in changed
    }
    for one, near in case.near.items():
        others = [(place, other) for place, other in enumerate(near.ids.tolist()) if other in case.known]
        if one not in case.known or not others:
            continue
        cosines = near.cosines[[place for place, _ in others]]
        own = links.own(case.known[one].compared, [case.known[other].compared for _, other in others], cosines)
        rows |= {_pair(one, other): row for (_, other), row in zip(others, own, strict=True)}
    if not rows:
        return {}
    own, pairs = np.stack(list(rows.values())), list(rows)
    nowhere = store.neighbourhood([])
    around = links.around(
        own[:, _COSINE],
        [neighbourhoods.get(one, nowhere) for one, _ in pairs],
        [neighbourhoods.get(other, nowhere) for _, other in pairs],
    )
    table = np.hstack([own, around])
    return {
        pair: Link(probability=float(probability), signals=row)
        for pair, row, probability in zip(pairs, table, case.fit.probabilities(table), strict=True)
    }


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def _matches(case: Case, found: Mapping[Pair, Link]) -> list[Match]:
    """The links that are beyond doubt, as reasons to join the stories of documents at hand with others."""
    at_hand = {reading.document_id for reading in case.readings}
    sure = [pair for pair, link in found.items() if _are_one(case, pair, link)]
    return [
        Match(
            document_id=one,
            matched_document_id=other,
            story_id=case.known[other].story_id,
            signal="semantic",
            score=min(1.0, links.named(found[pair].signals)["cosine"]),
        )
        for pair in sure
        for one, other in (pair, pair[::-1])
        if one in at_hand and case.known[other].story_id not in {None, case.known[one].story_id}
    ]


def _are_one(case: Case, pair: Pair, link: Link) -> bool:
    one, other = (case.known[document].compared for document in pair)
    return links.are_one(one, other, link.signals, case.fit)


def _doubts(case: Case, found: Mapping[Pair, Link], merging: Collection[int]) -> list[Doubt]:
    """For each document that stays in its own story the best of the others that probably tell of the same."""
    best: dict[int, tuple[float, int, Link]] = {}
    for pair, link in found.items():
        for one, other in (pair, pair[::-1]):
            if case.known[one].story_id != case.known[other].story_id and link.probability >= case.fit.coverage_at:
                best[one] = max(
                    best.get(one, (0.0, 0, link)), (link.probability, other, link), key=lambda seen: seen[:2]
                )
    return [
        dedup.doubt(
            reading,
            candidate_id=best[reading.document_id][1],
            candidate_story_id=case.known[best[reading.document_id][1]].story_id,
            probability=best[reading.document_id][0],
            signs=links.named(best[reading.document_id][2].signals),
        )
        for reading in case.readings
        if reading.document_id in best and reading.document_id not in merging
    ]


def _touched(case: Case, found: Mapping[Pair, Link]) -> frozenset[int]:
    """The stories whose groups may be others now."""
    documents = {reading.document_id for reading in case.readings}
    for pair, link in found.items():
        before = case.links[pair].probability if pair in case.links else 0.0
        if max(before, link.probability) >= case.fit.coverage_at and before != link.probability:
            documents |= set(pair)
    touched = (case.known[document].story_id for document in documents if document in case.known)
    return frozenset(story_id for story_id in touched if story_id is not None)


async def save(conn: Connection, judgement: Judgement | None) -> list[Subject]:
    if judgement is None:
        return []
    await store.put_neighbourhoods(conn, judgement.model, judgement.neighbourhoods)
    await store.put(conn, judgement.model, judgement.links)
    joined = await stories.fold(conn, judgement.groups) if judgement.groups else set()
    await stories.record_doubts(
        conn, judgement.doubts, model_name=judgement.model.model_name, model_version=judgement.model.model_version
    )
    return [Subject(story_id, judgement.collection) for story_id in sorted(judgement.touched | joined)]


def stage(*, then: tuple[str, ...]) -> Stage[Case | None, Judgement | None]:
    return Stage(name="link", load=load, work=judge, save=save, then=then, batch=200, lock=stories.LOCK)
