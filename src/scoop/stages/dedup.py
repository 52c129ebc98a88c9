"""Folds documents that are the same article into one story, one collection at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

from scoop.core import copies, dedup, signals
from scoop.core.copies import CandidatePair, CopyCandidate, PhraseText, SameHeadline
from scoop.core.dedup import DedupDocument, Forest, HumanVerdict, Match, MergedGroup, Node
from scoop.core.signals import Signals
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import review, stories, work
from scoop.store.db import Connection
from scoop.store.work import Subject

DocumentIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPairs:
    """Pairs that may be copies by a sample of their text, pairs with one headline, and the texts to compare."""

    suspects: Sequence[CandidatePair]
    same_headlines: Sequence[SameHeadline]
    texts: Mapping[int, str]

    def matches(self) -> Iterator[Match]:
        """All pairs as matches, before their texts are compared."""
        pairs = (*self.suspects, *(pair for pair, *_ in self.same_headlines))
        return (_match(one, other, "near_copy", 0.0) for one, other in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupBatch:
    """All that decides: documents, exact matches, possible copies, human verdicts, the age of the stories."""

    documents: Sequence[DedupDocument]
    exact: Sequence[Match]
    copies: CopyPairs
    verdicts: Sequence[HumanVerdict]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupJudgement:
    groups: Sequence[MergedGroup]
    judged: Sequence[Subject]


async def load(conn: Connection, ids: Sequence[int]) -> DedupBatch:
    """Read a batch; verdicts and ages of every story that a pair names, as it may turn out to be a copy."""
    documents = await stories.load_documents(conn, ids)
    exact = await stories.find_matches(conn, documents)
    copy_pairs = await _copy_pairs(conn, documents, exact)
    matches = [*exact, *copy_pairs.matches()]
    verdicts = await review.list_constraints(conn, ids, dedup.named_story_ids(documents, matches))
    ages = await stories.get_first_seen(conn, dedup.named_story_ids(documents, matches, verdicts))
    return DedupBatch(documents=documents, exact=exact, copies=copy_pairs, verdicts=verdicts, first_seen_at=ages)


async def _copy_pairs(conn: Connection, documents: Sequence[DedupDocument], exact: Sequence[Match]) -> CopyPairs:
    """Read pairs that share phrases or a headline, and the texts of those that a cheap test leaves over.

    The cheap test is here and not in `work` because it decides what to read: see docs/design/throughput.md.
    """
    ids = _ids_to_search(documents)
    by_phrases, by_headline = (
        await stories.find_phrase_candidates(conn, ids),
        await stories.find_headline_candidates(conn, ids),
    )
    articles = await stories.get_copy_candidates(
        conn, {document for pair in (*by_phrases, *by_headline) for document in pair}
    )
    judged = {document.document_id for document in documents}
    joined = _joined(documents, exact)

    def pairs(id_pairs: Iterable[DocumentIdPair]) -> Iterator[CandidatePair]:
        for one, other in ((articles[one], articles[other]) for one, other in id_pairs):
            is_placed = other.story_id is not None or other.document_id in judged
            if is_placed and not joined.holds(*_ends(one, other)):
                yield one, other

    suspects = copies.shortlist(pairs(by_phrases))
    same_headlines = copies.same_headlines(pairs(by_headline))
    with_long_bodies = [pair for pair, *_ in same_headlines if copies.have_long_bodies(*pair)]
    compared = {article.document_id for pair in (*suspects, *with_long_bodies) for article in pair}
    return CopyPairs(suspects=suspects, same_headlines=same_headlines, texts=await stories.get_texts(conn, compared))


def _ids_to_search(documents: Sequence[DedupDocument]) -> list[int]:
    """One document of each publisher, time and equal text finds the copies of all of them; teasers all search."""
    id_by_key: dict[object, int] = {}
    for document in reversed(documents):
        is_teaser = document.token_count < dedup.MIN_CONTENT_TOKENS
        key = (
            document.document_id if is_teaser else (document.content_hash, document.publisher_family, document.seen_at)
        )
        id_by_key[key] = document.document_id
    return list(id_by_key.values())


def _joined(documents: Sequence[DedupDocument], exact: Sequence[Match]) -> Forest:
    """What exact matches join already, so that not every two of a crowd of copies are compared."""
    joined = Forest()
    for document in documents:
        if document.story_id is not None:
            joined.join(("document", document.document_id), ("story", document.story_id))
    for match in (*exact, *dedup.match_identities(documents)):
        joined.join(*dedup.match_nodes(match.document_id, match.matched_document_id, match.story_id))
    return joined


def _compare(batch: DedupBatch) -> list[Match]:
    """The pairs whose texts confirm that they are copies."""
    joined = _joined(batch.documents, batch.exact)
    return [*_by_text(batch.copies, joined), *_by_title(batch.copies, joined)]


def _by_text(pairs: CopyPairs, joined: Forest) -> Iterator[Match]:
    @cache
    def body(document_id: int) -> PhraseText:
        return copies.phrase_text(pairs.texts[document_id])

    for one, other in pairs.suspects:
        if not joined.holds(*_ends(one, other)):
            share = copies.copied_share(one, other, body(one.document_id), body(other.document_id))
            if share is not None:
                joined.join(*_ends(one, other))
                yield _match(one, other, "near_copy", share)


def _by_title(pairs: CopyPairs, joined: Forest) -> Iterator[Match]:
    @cache
    def signs(document_id: int, title: str) -> Signals:
        return signals.extract(title, pairs.texts[document_id])

    for (one, other), signal, score in pairs.same_headlines:
        if not joined.holds(*_ends(one, other)):
            ours, theirs = (one.document_id, one.title), (other.document_id, other.title)
            if not copies.have_long_bodies(one, other) or copies.bodies_agree(signs(*ours), signs(*theirs)):
                joined.join(*_ends(one, other))
                yield _match(one, other, signal, score)


def _ends(one: CopyCandidate, other: CopyCandidate) -> tuple[Node, Node]:
    return dedup.match_nodes(one.document_id, other.document_id, other.story_id)


def _match(one: CopyCandidate, other: CopyCandidate, signal: dedup.Signal, score: float) -> Match:
    return Match(
        document_id=one.document_id,
        matched_document_id=other.document_id,
        story_id=other.story_id,
        signal=signal,
        score=score,
    )


async def judge(batch: DedupBatch) -> Outcome[DedupJudgement]:
    matches = [*batch.exact, *_compare(batch)]
    groups = dedup.judge(batch.documents, matches, batch.first_seen_at, batch.verdicts)
    judged = [Subject(document.document_id) for document in batch.documents]
    return Outcome(output=DedupJudgement(groups=groups, judged=judged))


async def save(conn: Connection, judgement: DedupJudgement, *, stories_to: Sequence[StageName]) -> Sequence[Subject]:
    changed = sorted(await stories.fold(conn, judgement.groups))
    for following in stories_to:
        await work.enqueue(conn, following, [Subject(story_id) for story_id in changed])
    return judgement.judged


def stage(*, then: tuple[StageName, ...], stories_to: tuple[StageName, ...] = ()) -> Stage[DedupBatch, DedupJudgement]:
    """The stage; `then` get the documents that were judged, `stories_to` the stories that are new or changed."""
    return Stage(
        name=StageName.DEDUP,
        load=load,
        work=judge,
        save=partial(save, stories_to=stories_to),
        then=then,
        also=stories_to,
        batch=1000,
        lock=stories.LOCK,
    )
