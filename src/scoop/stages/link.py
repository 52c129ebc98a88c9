"""Documents that tell of one event are linked; those that surely do become one story."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np

from scoop.core import dedup, links
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
HARDLY = 0.01  # what a sign may change by before the pair is weighed anew
NOTEWORTHY = 0.005  # a change of a probability that is worth writing
REMEMBERED_AT = 0.2  # a link below this hardly ever comes to decide about a group

_COSINE = links.NAMES.index("cosine")
_NEVER = np.full(len(links.NAMES), np.nan, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBatch:
    """Documents with those that are near to them, and what is known of all of them.

    `changed` are the neighbourhoods that are others now, of these documents and of those they came near to; `links` are
    those of the same documents, and `neighbourhoods` and `story_ids` tell of whoever is in a link.
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
    """What is to be remembered: who is near, the links, and the stories that become one."""

    model: EmbeddingModel
    collection: str
    neighbourhoods: Mapping[int, Neighbourhood]
    links: Mapping[DocumentIdPair, DocumentLink]
    groups: Sequence[MergedGroup]
    doubts: Sequence[Doubt]
    touched: frozenset[int]


async def load(conn: Connection, ids: Sequence[int]) -> LinkBatch | None:
    """Nothing where no embedding model is active, or none has been fitted for it."""
    model = await embeddings.active(conn)
    fit = links.fitted(model.model_name, model.model_version) if model else None
    readings = await stories.readings(conn, ids)
    if model is None or fit is None or not readings:
        return None
    near = await store.nearest(conn, model, ids, collection=readings[0].collection, lookback=LOOKBACK, most=CANDIDATES)
    about = {*near, *(neighbour for found in near.values() for neighbour in found.ids.tolist())}
    before = await store.neighbourhoods(conn, model, about)
    changed = _neighbourhoods(near, before)
    linked = await store.links_of(conn, model, changed)
    ends = {document for pair in linked for document in pair} - about
    story_ids = await stories.of_documents(conn, about | ends)
    verdicts = await review.constraints(conn, ids, set(story_ids.values()))
    named = {*story_ids.values(), *dedup.stories_named((), (), verdicts)}
    return LinkBatch(
        model=model,
        fit=links.calibrated(fit, model.calibration),
        readings=readings,
        near=near,
        compared=await store.compared(conn, about),
        changed=changed,
        neighbourhoods={**before, **await store.neighbourhoods(conn, model, ends), **changed},
        links=linked,
        story_ids=story_ids,
        verdicts=verdicts,
        first_seen_at=await stories.first_seen_at(conn, named),
    )


async def judge(case: LinkBatch | None) -> Outcome[LinkJudgement | None]:
    if case is None:
        return Outcome(output=None)
    found = _scored(case)
    news = {pair: link for pair, link in found.items() if _is_news(case, pair, link)}
    matches = _matches(case, found)
    merging = {match.document_id for match in matches}
    readings = [reading for reading in case.readings if reading.document_id in merging]
    return Outcome(
        output=LinkJudgement(
            model=case.model,
            collection=case.readings[0].collection,
            neighbourhoods=case.changed,
            links=news,
            groups=dedup.judge(readings, matches, case.first_seen_at, case.verdicts) if matches else (),
            doubts=_doubts(case, found, merging),
            touched=_touched(case, news),
        )
    )


def _is_news(case: LinkBatch, pair: DocumentIdPair, link: DocumentLink) -> bool:
    """Whether a link is to be written; documents of one story need none."""
    if pair in case.links:
        return abs(link.probability - case.links[pair].probability) >= NOTEWORTHY
    one, other = (case.story_ids.get(document) for document in pair)
    return link.probability >= REMEMBERED_AT and (one is None or one != other)


def _neighbourhoods(near: Mapping[int, Neighbourhood], before: Mapping[int, Neighbourhood]) -> dict[int, Neighbourhood]:
    """The neighbourhoods that the documents have, and those that they enter."""
    changed = {
        one: _nearest(dict(zip(found.ids.tolist(), found.cosines.tolist(), strict=True))) for one, found in near.items()
    }
    entering: dict[int, dict[int, float]] = {}
    for one, found in near.items():
        for other, cosine in zip(found.ids.tolist(), found.cosines.tolist(), strict=True):
            if other not in near and other in before:
                entering.setdefault(other, {})[one] = cosine
    for other, newcomers in entering.items():
        known = dict(zip(before[other].ids.tolist(), before[other].cosines.tolist(), strict=True))
        if len(known) < NEAR or max(newcomers.values()) > min(known.values()):
            changed[other] = _nearest(known | newcomers)
    return changed


def _nearest(cosine_by_id: Mapping[int, float]) -> Neighbourhood:
    return store.neighbourhood(sorted(cosine_by_id.items(), key=lambda found: (-found[1], found[0]))[:NEAR])


def _scored(case: LinkBatch) -> dict[DocumentIdPair, DocumentLink]:
    """All pairs with a document at hand, and those whose neighbourhoods tell otherwise now, weighed."""
    rows: dict[DocumentIdPair, links.Table] = {
        pair: link.signals[: len(links.OWN)] for pair, link in case.links.items()
    }
    for one, near in case.near.items():
        others = [(place, other) for place, other in enumerate(near.ids.tolist()) if other in case.compared]
        if one not in case.compared or not others:
            continue
        cosines = near.cosines[[place for place, _ in others]]
        own = links.own(case.compared[one], [case.compared[other] for _, other in others], cosines)
        rows |= {_pair(one, other): row for (_, other), row in zip(others, own, strict=True)}
    if not rows:
        return {}
    own, pairs = np.stack(list(rows.values())), np.array(list(rows))
    documents, places = np.unique(pairs, return_inverse=True)
    nowhere = store.neighbourhood([])
    known = links.surroundings([case.neighbourhoods.get(document, nowhere) for document in documents.tolist()])
    around = links.around(own[:, _COSINE], known, places[:, 0], places[:, 1])
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


def _matches(case: LinkBatch, found: Mapping[DocumentIdPair, DocumentLink]) -> list[Match]:
    """The links that are beyond doubt, as reasons to join the stories of documents at hand with others."""
    at_hand = {reading.document_id for reading in case.readings}
    return [
        Match(
            document_id=one,
            matched_document_id=other,
            story_id=case.story_ids[other],
            signal="semantic",
            score=min(1.0, float(link.signals[_COSINE])),
        )
        for pair, link in found.items()
        if link.signals[_COSINE] >= min(case.fit.merge_at, case.fit.sure_at) and _are_one(case, pair, link)
        for one, other in (pair, pair[::-1])
        if one in at_hand and other in case.story_ids and case.story_ids[other] != case.story_ids.get(one)
    ]


def _are_one(case: LinkBatch, pair: DocumentIdPair, link: DocumentLink) -> bool:
    """Whether they are one story; two documents that came before have been asked when the later one came."""
    one, other = (case.compared.get(document) for document in pair)
    return one is not None and other is not None and links.are_one(one, other, link.signals, case.fit)


def _doubts(case: LinkBatch, found: Mapping[DocumentIdPair, DocumentLink], merging: Collection[int]) -> list[Doubt]:
    """For each document that stays in its own story the best of the others that probably tell of the same."""
    staying = {reading.document_id: reading for reading in case.readings if reading.document_id not in merging}
    apart = {frozenset((each.one_story_id, each.other_story_id)) for each in case.verdicts if not each.is_same}
    best: dict[int, tuple[float, int, DocumentLink]] = {}
    for pair, link in found.items():
        if link.probability < case.fit.coverage_at:
            continue
        for one, other in (pair, pair[::-1]):
            both = frozenset((case.story_ids.get(one), case.story_ids.get(other)))
            if one in staying and len(both) > 1 and both not in apart:
                rival = (link.probability, other, link)
                best[one] = max(best.get(one, rival), rival, key=lambda seen: seen[:2])
    return [
        dedup.doubt(
            staying[document_id],
            candidate_id=candidate_id,
            candidate_story_id=case.story_ids.get(candidate_id),
            probability=probability,
            signs=links.named(link.signals),
        )
        for document_id, (probability, candidate_id, link) in best.items()
    ]


def _touched(case: LinkBatch, found: Mapping[DocumentIdPair, DocumentLink]) -> frozenset[int]:
    """The stories whose groups may be others now."""
    documents = {reading.document_id for reading in case.readings}
    for pair, link in found.items():
        before = case.links[pair].probability if pair in case.links else 0.0
        if max(before, link.probability) >= case.fit.coverage_at:
            documents |= set(pair)
    return frozenset(case.story_ids[document] for document in documents if document in case.story_ids)


async def save(conn: Connection, judgement: LinkJudgement | None, *, stories_to: Sequence[StageName]) -> list[Subject]:
    if judgement is None:
        return []
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
) -> Stage[LinkBatch | None, LinkJudgement | None]:
    """The stage; `then` are given the stories whose groups may be others now, `stories_to` those that grew."""
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
