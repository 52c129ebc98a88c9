"""Documents that are the same article fold into one story, one collection at a time."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupBatch:
    """All that the judge needs: the documents, who is the same article, what people said, how old the stories are."""

    readings: Sequence[DedupDocument]
    matches: Sequence[Match]
    verdicts: Sequence[HumanVerdict]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupJudgement:
    groups: Sequence[MergedGroup]
    judged: Sequence[Subject]


async def load(conn: Connection, ids: Sequence[int]) -> DedupBatch:
    readings = await stories.readings(conn, ids)
    exact = await stories.matches(conn, readings)
    matches = [*exact, *await _copies(conn, readings, exact)]
    verdicts = await review.constraints(conn, ids, dedup.stories_named(readings, matches))
    ages = await stories.first_seen_at(conn, dedup.stories_named(readings, matches, verdicts))
    return DedupBatch(readings=readings, matches=matches, verdicts=verdicts, first_seen_at=ages)


async def _copies(conn: Connection, readings: Sequence[DedupDocument], exact: Sequence[Match]) -> list[Match]:
    """The documents, judged now or in stories already, that have nearly the same text or the same headline."""
    ids = _of_their_own(readings)
    by_phrases, by_headline = await stories.sharing_phrases(conn, ids), await stories.sharing_headlines(conn, ids)
    articles = await stories.articles(conn, {document for pair in (*by_phrases, *by_headline) for document in pair})
    judged = {reading.document_id for reading in readings}
    joined = _joined(readings, exact)

    def pairs(found: Iterable[tuple[int, int]]) -> Iterator[CandidatePair]:
        for one, other in ((articles[one], articles[other]) for one, other in found):
            is_placed = other.story_id is not None or other.document_id in judged
            if is_placed and not joined.holds(*_ends(one, other)):
                yield one, other

    suspects = copies.shortlist(pairs(by_phrases))
    titled = copies.same_headlines(pairs(by_headline))
    talkative = [pair for pair, *_ in titled if copies.are_talkative(*pair)]
    texts = await stories.texts(conn, {article.document_id for pair in (*suspects, *talkative) for article in pair})
    return [*_by_text(suspects, texts, joined), *_by_title(titled, texts, joined)]


def _of_their_own(readings: Sequence[DedupDocument]) -> list[int]:
    """Whom to search copies of: of equal texts of one publisher and time, one finds what all would; not of teasers."""
    found: dict[object, int] = {}
    for each in reversed(readings):
        is_teaser = each.token_count < dedup.MIN_CONTENT_TOKENS
        key = each.document_id if is_teaser else (each.content_hash, each.publisher_family, each.seen_at)
        found[key] = each.document_id
    return list(found.values())


def _joined(readings: Sequence[DedupDocument], exact: Sequence[Match]) -> Forest:
    """Who is together already: of a crowd of copies, each need not be compared with each."""
    joined = Forest()
    for reading in readings:
        if reading.story_id is not None:
            joined.join(("document", reading.document_id), ("story", reading.story_id))
    for match in (*exact, *dedup.by_identity(readings)):
        joined.join(*dedup.ends(match.document_id, match.matched_document_id, match.story_id))
    return joined


def _by_text(suspects: Sequence[CandidatePair], texts: Mapping[int, str], joined: Forest) -> Iterator[Match]:
    @cache
    def body(document_id: int) -> PhraseText:
        return copies.body(texts[document_id])

    for one, other in suspects:
        if not joined.holds(*_ends(one, other)):
            share = copies.copied(one, other, body(one.document_id), body(other.document_id))
            if share is not None:
                joined.join(*_ends(one, other))
                yield _match(one, other, "near_copy", share)


def _by_title(titled: Sequence[SameHeadline], texts: Mapping[int, str], joined: Forest) -> Iterator[Match]:
    @cache
    def signs(document_id: int, title: str) -> Signals:
        return signals.of(title, texts[document_id])

    for (one, other), signal, score in titled:
        if not joined.holds(*_ends(one, other)):
            ours, theirs = (one.document_id, one.title), (other.document_id, other.title)
            if not copies.are_talkative(one, other) or copies.bodies_agree(signs(*ours), signs(*theirs)):
                joined.join(*_ends(one, other))
                yield _match(one, other, signal, score)


def _ends(one: CopyCandidate, other: CopyCandidate) -> tuple[Node, Node]:
    return dedup.ends(one.document_id, other.document_id, other.story_id)


def _match(one: CopyCandidate, other: CopyCandidate, signal: dedup.Signal, score: float) -> Match:
    return Match(
        document_id=one.document_id,
        matched_document_id=other.document_id,
        story_id=other.story_id,
        signal=signal,
        score=score,
    )


async def judge(case: DedupBatch) -> Outcome[DedupJudgement]:
    groups = dedup.judge(case.readings, case.matches, case.first_seen_at, case.verdicts)
    judged = [Subject(reading.document_id) for reading in case.readings]
    return Outcome(output=DedupJudgement(groups=groups, judged=judged))


async def save(conn: Connection, judgement: DedupJudgement, *, stories_to: Sequence[StageName]) -> Sequence[Subject]:
    changed = sorted(await stories.fold(conn, judgement.groups))
    for following in stories_to:
        await work.enqueue(conn, following, [Subject(story_id) for story_id in changed])
    return judgement.judged


def stage(*, then: tuple[StageName, ...], stories_to: tuple[StageName, ...] = ()) -> Stage[DedupBatch, DedupJudgement]:
    """The stage; `then` are given the documents that were judged, `stories_to` the stories that are new or changed."""
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
