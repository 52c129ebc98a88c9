"""Links documents that cover one event; merges the stories of those that surely do."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np

from scoop.core import dedup, event_groups, links
from scoop.core.dedup import DedupDocument, Doubt, HumanVerdict, Match, MergedGroup
from scoop.core.links import NEAR, Compared, LinkModel, Neighbourhood
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import embeddings, review, stories, work
from scoop.store import links as store
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.links import DocumentIdPair, DocumentLink
from scoop.store.work import Subject

CANDIDATES = 30
LOOKBACK = timedelta(days=30)
HARDLY = 0.01  # a pair is scored again when one of its features changes by this much
NOTEWORTHY = 0.005  # a smaller change of a probability is not written
REMEMBERED_AT = 0.05  # weaker links are not written; from 0.2 on, groups depended on the order of arrival

_COSINE = links.FEATURES.index("cosine")
_NEVER = np.full(len(links.FEATURES), np.nan, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBatch:
    """Documents with their nearest neighbours, and what decides about linking them.

    `changed` are the neighbourhoods that differ now: of these documents, and of those that got one of them as a
    neighbour. `links` are the links of the same documents; `neighbourhoods` and `story_ids` cover both ends of a link.
    """

    model: EmbeddingModel
    fit: LinkModel
    readings: Sequence[DedupDocument]
    near: Mapping[int, Neighbourhood]
    compared: Mapping[int, Compared]
    changed: Mapping[int, Neighbourhood]
    neighbourhoods: Mapping[int, Neighbourhood]
    links: Mapping[DocumentIdPair, DocumentLink]
    story_ids: Mapping[int, int]
    verdicts: Sequence[HumanVerdict]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkJudgement:
    """What to write: neighbourhoods, links, merged stories, doubts, and the stories whose coverage may change."""

    model: EmbeddingModel
    collection: str
    neighbourhoods: Mapping[int, Neighbourhood]
    links: Mapping[DocumentIdPair, DocumentLink]
    groups: Sequence[MergedGroup]
    doubts: Sequence[Doubt]
    touched: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """Documents that are not compared: no embedding model is active, or no link model is fitted to it."""

    readings: Sequence[DedupDocument]


async def load(conn: Connection, ids: Sequence[int]) -> LinkBatch | Unlinked:
    model = await embeddings.find_active(conn)
    fit = links.load_model(model.model_name, model.model_version) if model else None
    readings = await stories.load_documents(conn, ids)
    if model is None or fit is None or not readings:
        return Unlinked(readings=readings)
    near = await store.find_nearest(
        conn, model, ids, collection=readings[0].collection, lookback=LOOKBACK, most=CANDIDATES
    )
    about = {*near, *(neighbour for around in near.values() for neighbour in around.ids.tolist())}
    before = await store.get_neighbourhoods(conn, model, about)
    changed = _neighbourhoods(near, before)
    linked = await store.get_links(conn, model, changed)
    ends = {document for pair in linked for document in pair} - about
    story_ids = await stories.get_story_ids(conn, {*ids, *about, *ends})  # also of documents without a neighbour
    verdicts = await review.list_constraints(conn, ids, set(story_ids.values()))
    named = {*story_ids.values(), *dedup.named_story_ids((), (), verdicts)}
    return LinkBatch(
        model=model,
        fit=links.calibrated(fit, model.calibration),
        readings=readings,
        near=near,
        compared=await store.get_compared(conn, about),
        changed=changed,
        neighbourhoods={**before, **await store.get_neighbourhoods(conn, model, ends), **changed},
        links=linked,
        story_ids=story_ids,
        verdicts=verdicts,
        first_seen_at=await stories.get_first_seen(conn, named),
    )


async def judge(case: LinkBatch | Unlinked) -> Outcome[LinkJudgement | Unlinked]:
    if isinstance(case, Unlinked):
        return Outcome(output=case)
    scored = _score(case)
    news = {pair: link for pair, link in scored.items() if _is_news(case, pair, link)}
    matches = _matches(case, scored)
    merging = {match.document_id for match in matches}
    readings = [reading for reading in case.readings if reading.document_id in merging]
    return Outcome(
        output=LinkJudgement(
            model=case.model,
            collection=case.readings[0].collection,
            neighbourhoods=case.changed,
            links=news,
            groups=dedup.judge(readings, matches, case.first_seen_at, case.verdicts) if matches else (),
            doubts=_doubts(case, scored, merging),
            touched=_touched(case, news),
        )
    )


def _is_news(case: LinkBatch, pair: DocumentIdPair, link: DocumentLink) -> bool:
    """Whether a link must be written; documents of one story need none."""
    if pair in case.links:
        return abs(link.probability - case.links[pair].probability) >= NOTEWORTHY
    one, other = (case.story_ids.get(document) for document in pair)
    return link.probability >= REMEMBERED_AT and (one is None or one != other)


def _neighbourhoods(near: Mapping[int, Neighbourhood], before: Mapping[int, Neighbourhood]) -> dict[int, Neighbourhood]:
    """The neighbourhoods of the documents, and those of others that they become part of."""
    changed = {
        one: _nearest(dict(zip(around.ids.tolist(), around.cosines.tolist(), strict=True)))
        for one, around in near.items()
    }
    entering: dict[int, dict[int, float]] = {}
    for one, around in near.items():
        for other, cosine in zip(around.ids.tolist(), around.cosines.tolist(), strict=True):
            if other not in near and other in before:
                entering.setdefault(other, {})[one] = cosine
    for other, newcomers in entering.items():
        present = dict(zip(before[other].ids.tolist(), before[other].cosines.tolist(), strict=True))
        if len(present) < NEAR or max(newcomers.values()) > min(present.values()):
            changed[other] = _nearest(present | newcomers)
    return changed


def _nearest(cosine_by_id: Mapping[int, float]) -> Neighbourhood:
    return store.make_neighbourhood(sorted(cosine_by_id.items(), key=lambda item: (-item[1], item[0]))[:NEAR])


def _score(case: LinkBatch) -> dict[DocumentIdPair, DocumentLink]:
    """The links of all pairs with a document of the batch, and of pairs whose neighbourhoods changed."""
    rows: dict[DocumentIdPair, links.Table] = {
        pair: link.signals[: len(links.PAIR_FEATURES)] for pair, link in case.links.items()
    }
    for one, near in case.near.items():
        others = [(place, other) for place, other in enumerate(near.ids.tolist()) if other in case.compared]
        if one not in case.compared or not others:
            continue
        cosines = near.cosines[[place for place, _ in others]]
        own = links.pair_features(case.compared[one], [case.compared[other] for _, other in others], cosines)
        rows |= {_pair(one, other): row for (_, other), row in zip(others, own, strict=True)}
    if not rows:
        return {}
    own, pairs = np.stack(list(rows.values())), np.array(list(rows))
    documents, places = np.unique(pairs, return_inverse=True)
    nowhere = store.make_neighbourhood([])
    surroundings = links.stack_neighbourhoods(
        [case.neighbourhoods.get(document, nowhere) for document in documents.tolist()]
    )
    around = links.neighbourhood_features(own[:, _COSINE], surroundings, places[:, 0], places[:, 1])
    table = np.hstack([own, around])
    before = np.stack([case.links[pair].signals if pair in case.links else _NEVER for pair in rows])
    is_news = ~(np.abs(table - before).max(axis=1) < HARDLY)
    news = [pair for pair, is_new in zip(rows, is_news.tolist(), strict=True) if is_new]
    probabilities = case.fit.probabilities(table[is_news]).tolist()
    return dict(case.links) | {
        pair: DocumentLink(probability=probability, signals=row)
        for pair, row, probability in zip(news, table[is_news], probabilities, strict=True)
    }


def _pair(one: int, other: int) -> DocumentIdPair:
    return (one, other) if one < other else (other, one)


def _matches(case: LinkBatch, scored: Mapping[DocumentIdPair, DocumentLink]) -> list[Match]:
    """The sure links, as matches that join stories of the batch with others."""
    in_batch = {reading.document_id for reading in case.readings}
    return [
        Match(
            document_id=one,
            matched_document_id=other,
            story_id=case.story_ids[other],
            signal="semantic",
            score=min(1.0, float(link.signals[_COSINE])),
        )
        for pair, link in scored.items()
        if link.signals[_COSINE] >= min(case.fit.merge_at, case.fit.sure_at) and _are_one(case, pair, link)
        for one, other in (pair, pair[::-1])
        if one in in_batch and other in case.story_ids and case.story_ids[other] != case.story_ids.get(one)
    ]


def _are_one(case: LinkBatch, pair: DocumentIdPair, link: DocumentLink) -> bool:
    """Whether two documents are one story; older pairs were judged when the later document came."""
    one, other = (case.compared.get(document) for document in pair)
    return one is not None and other is not None and links.are_one(one, other, link.signals, case.fit)


def _doubts(case: LinkBatch, scored: Mapping[DocumentIdPair, DocumentLink], merging: Collection[int]) -> list[Doubt]:
    """For each document that stays in its own story, the other that most probably covers the same event."""
    staying = {reading.document_id: reading for reading in case.readings if reading.document_id not in merging}
    apart = {
        frozenset((verdict.one_story_id, verdict.other_story_id)) for verdict in case.verdicts if not verdict.is_same
    }
    best: dict[int, tuple[float, int, DocumentLink]] = {}
    for pair, link in scored.items():
        if link.probability < case.fit.coverage_at:
            continue
        for one, other in (pair, pair[::-1]):
            both = frozenset((case.story_ids.get(one), case.story_ids.get(other)))
            if one in staying and len(both) > 1 and both not in apart:
                rival = (link.probability, other, link)
                best[one] = max(best.get(one, rival), rival, key=lambda candidate: candidate[:2])
    return [
        dedup.make_doubt(
            staying[document_id],
            candidate_id=candidate_id,
            candidate_story_id=case.story_ids.get(candidate_id),
            probability=probability,
            signs=links.features_by_name(link.signals),
        )
        for document_id, (probability, candidate_id, link) in best.items()
    ]


def _touched(case: LinkBatch, news: Mapping[DocumentIdPair, DocumentLink]) -> frozenset[int]:
    """The stories whose coverage may change."""
    documents = {reading.document_id for reading in case.readings}
    connects_at = event_groups.connects_at(case.fit.coverage_at)
    for pair, link in news.items():
        before = case.links[pair].probability if pair in case.links else 0.0
        if max(before, link.probability) >= connects_at:
            documents |= set(pair)
    return frozenset(case.story_ids[document] for document in documents if document in case.story_ids)


async def save(
    conn: Connection, judgement: LinkJudgement | Unlinked, *, stories_to: Sequence[StageName]
) -> list[Subject]:
    if isinstance(judgement, Unlinked):
        return [Subject(reading.story_id, reading.collection) for reading in judgement.readings if reading.story_id]
    await store.put_neighbourhoods(conn, judgement.model, judgement.neighbourhoods)
    await store.put(conn, judgement.model, judgement.links)
    joined = await stories.fold(conn, judgement.groups) if judgement.groups else set()
    for following in stories_to:
        await work.enqueue(conn, following, [Subject(story_id) for story_id in sorted(joined)])
    await stories.record_doubts(
        conn, judgement.doubts, model_name=judgement.model.model_name, model_version=judgement.model.model_version
    )
    return [Subject(story_id, judgement.collection) for story_id in sorted(judgement.touched | joined)]


def stage(
    *, then: tuple[StageName, ...], stories_to: tuple[StageName, ...] = ()
) -> Stage[LinkBatch | Unlinked, LinkJudgement | Unlinked]:
    """The stage; `then` get the stories whose coverage may change, `stories_to` those that were merged."""
    return Stage(
        name=StageName.LINK,
        load=load,
        work=judge,
        save=partial(save, stories_to=stories_to),
        then=then,
        also=stories_to,
        batch=256,
        lock=stories.LOCK,
    )
