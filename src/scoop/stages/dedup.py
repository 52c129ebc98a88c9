"""Folds documents that are the same article into one story, one collection at a time."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

from scoop.core import copies, dedup, signals
from scoop.core.copies import CandidatePair, CopyCandidate, PhraseText, SameHeadline
from scoop.core.dedup import DedupDocument, Forest, HumanVerdict, Match, MergedGroup, Node
from scoop.core.signals import Signals
from scoop.stage_names import StageName
from scoop.stages import summaries
from scoop.stages.stage import Outcome, Stage
from scoop.stages.summaries import NOTHING_AHEAD, SummaryPolicy
from scoop.store import hidden, review, stories, work
from scoop.store.db import Connection
from scoop.store.stories import CommonKeys, DocumentIdPair
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPairs:
    """Pairs that may be copies by a sample of their text, pairs with one headline, and the texts to compare.

    `boilerplate` are texts, and `common_phrases` phrases, that turned out to identify no article.
    """

    suspects: Sequence[CandidatePair]
    same_headlines: Sequence[SameHeadline]
    texts: Mapping[int, str]
    boilerplate: Collection[int]
    common_phrases: Collection[int]

    def matches(self) -> Iterator[Match]:
        """All pairs as matches, before their texts are compared."""
        pairs = (*self.suspects, *(pair for pair, *_ in self.same_headlines))
        return (_match(one, other, "near_copy", 0.0) for one, other in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupBatch:
    """All that decides: documents, exact matches, possible copies, human verdicts, the age of the stories.

    `common` is what turned out to identify no article.
    """

    documents: Sequence[DedupDocument]
    exact: Sequence[Match]
    copies: CopyPairs
    verdicts: Sequence[HumanVerdict]
    first_seen_at: Mapping[int, datetime]
    common: CommonKeys | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupJudgement:
    groups: Sequence[MergedGroup]
    judged: Sequence[Subject]
    common: CommonKeys | None


async def load(conn: Connection, ids: Sequence[int]) -> DedupBatch:
    """Read a batch; verdicts and ages of every story that a pair names, as it may turn out to be a copy."""
    documents = await stories.load_documents(conn, ids)
    by_url = await stories.find_url_matches(conn, documents)
    documents, shared_urls = await stories.mark_shared_urls(conn, documents, by_url)
    exact = [
        *dedup.telling_matches(documents, by_url),
        *await stories.find_title_matches(conn, documents),
        *await stories.find_matches(conn, documents),
    ]
    copy_pairs = await _copy_pairs(conn, documents, exact)
    matches = [*exact, *copy_pairs.matches()]
    verdicts = await review.list_constraints(conn, ids, dedup.named_story_ids(documents, matches))
    ages = await stories.get_first_seen(conn, dedup.named_story_ids(documents, matches, verdicts))
    return DedupBatch(
        documents=documents,
        exact=exact,
        copies=copy_pairs,
        verdicts=verdicts,
        first_seen_at=ages,
        common=_common_keys(documents, shared_urls, copy_pairs),
    )


def _common_keys(
    documents: Sequence[DedupDocument], shared_urls: Collection[bytes], pairs: CopyPairs
) -> CommonKeys | None:
    """What the batch, which is of one collection, found to identify no article."""
    if not shared_urls and not pairs.boilerplate and not pairs.common_phrases:
        return None
    return CommonKeys(
        collection=documents[0].collection,
        url_hashes=shared_urls,
        body_hashes=pairs.boilerplate,
        phrases=pairs.common_phrases,
    )


async def _copy_pairs(conn: Connection, documents: Sequence[DedupDocument], exact: Sequence[Match]) -> CopyPairs:
    """Read pairs that share phrases, a text or a headline, and the texts of those that a cheap test leaves over.

    The cheap test is here and not in `work` because it decides what to read: see docs/design/throughput.md.
    """
    ids = _ids_to_search(documents)
    by_phrases, common_phrases = await stories.find_phrase_candidates(conn, ids)
    body_by_id, stored_boilerplate = await stories.find_retitled(conn, ids)
    new_boilerplate = await _find_boilerplate(
        conn, documents[0].collection, {*body_by_id.values()} - stored_boilerplate
    )
    boilerplate = stored_boilerplate | new_boilerplate
    by_body = await stories.find_body_candidates(
        conn, [document_id for document_id, body in body_by_id.items() if body not in boilerplate]
    )
    by_headline = await stories.find_headline_candidates(conn, ids)
    articles = await stories.get_copy_candidates(
        conn, {document for pair in (*by_phrases, *by_body, *by_headline) for document in pair}
    )
    judged = {document.document_id for document in documents}
    joined = _joined(documents, exact)

    def pairs(id_pairs: Iterable[DocumentIdPair]) -> Iterator[CandidatePair]:
        for one, other in ((articles[one], articles[other]) for one, other in id_pairs):
            is_placed = other.story_id is not None or other.document_id in judged
            if is_placed and not joined.holds(*_ends(one, other)):
                yield one, other

    suspects = copies.shortlist(
        (one, other)
        for one, other in pairs({*by_phrases, *by_body})
        if one.body_hash != other.body_hash or one.body_hash not in boilerplate
    )
    same_headlines = copies.same_headlines(pairs(by_headline))
    with_long_bodies = [pair for pair, *_ in same_headlines if copies.have_long_bodies(*pair)]
    compared = {article.document_id for pair in (*suspects, *with_long_bodies) for article in pair}
    return CopyPairs(
        suspects=suspects,
        same_headlines=same_headlines,
        texts=await stories.get_texts(conn, compared),
        boilerplate=new_boilerplate,
        common_phrases=common_phrases,
    )


async def _find_boilerplate(conn: Connection, collection: str, body_hashes: Collection[int]) -> set[int]:
    """Those of these texts, which are under several titles, that are no article."""
    titled = await stories.get_titles_over(conn, collection, body_hashes)
    crowded = {body: rows for body, rows in titled.items() if len(rows) >= copies.UNRELATED_TITLES}
    texts = await stories.get_texts(conn, [rows[0][0] for rows in crowded.values()])
    return {
        body
        for body, rows in crowded.items()
        if copies.is_boilerplate(copies.phrase_text(texts[rows[0][0]]), [title for _, title in rows])
    }


def _ids_to_search(documents: Sequence[DedupDocument]) -> list[int]:
    """One document of each publisher, time and equal text finds the copies of all of them; teasers all search.

    A document that awaits its page searches when it has come.
    """
    id_by_key: dict[object, int] = {}
    for document in reversed([document for document in documents if not document.awaits_page]):
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
    phrase_text = cache(copies.phrase_text)  # by text: many documents may have the same one

    def body(document_id: int) -> PhraseText:
        return phrase_text(pairs.texts[document_id])

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
    return Outcome(output=DedupJudgement(groups=groups, judged=judged, common=batch.common))


async def save(
    conn: Connection, judgement: DedupJudgement, *, stories_to: Sequence[StageName], policy: SummaryPolicy
) -> Sequence[Subject]:
    changed = sorted(await stories.fold(conn, judgement.groups))
    if judgement.common is not None:
        await _judge_again(conn, judgement.common)
    await hidden.suppress_stories(conn, changed)  # articles that were on their way when their source was hidden
    for following in stories_to:
        await work.enqueue(conn, following, [Subject(story_id) for story_id in changed])
    await summaries.ask_about_documents(conn, policy, [subject.id for subject in judgement.judged])
    return judgement.judged


async def _judge_again(conn: Connection, common: CommonKeys) -> None:
    """Store what identifies no article, and enqueue the documents that it may have joined before that was known."""
    await stories.put_common(conn, common)
    released = await stories.release(conn, common)
    await work.enqueue(conn, StageName.DEDUP, [Subject(document_id, common.collection) for document_id in released])


def stage(
    *, then: tuple[StageName, ...], stories_to: tuple[StageName, ...] = (), policy: SummaryPolicy = NOTHING_AHEAD
) -> Stage[DedupBatch, DedupJudgement]:
    """The stage; `then` get the documents that were judged, `stories_to` the stories that are new or changed.

    `policy` says which documents are summarised ahead.
    """
    return Stage(
        name=StageName.DEDUP,
        load=load,
        work=judge,
        save=partial(save, stories_to=stories_to, policy=policy),
        then=then,
        also=stories_to,
        batch=1000,
        lock=stories.LOCK,
    )
