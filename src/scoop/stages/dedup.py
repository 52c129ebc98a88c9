"""Documents that are the same article fold into one story, one collection at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from scoop.core import copies, dedup, signals, text
from scoop.core.copies import Article, Pair
from scoop.core.dedup import Group, Match, Reading, Verdict
from scoop.core.signals import Signals
from scoop.stages.stage import Outcome, Stage
from scoop.store import review, stories
from scoop.store.db import Connection
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that the judge needs: the documents, who is the same article, what people said, how old the stories are."""

    readings: Sequence[Reading]
    matches: Sequence[Match]
    verdicts: Sequence[Verdict]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    groups: Sequence[Group]
    judged: Sequence[Subject]


async def load(conn: Connection, ids: Sequence[int]) -> Case:
    readings = await stories.readings(conn, ids)
    exact = await stories.matches(conn, readings)
    matches = [*exact, *await _copies(conn, ids, exact)]
    verdicts = await review.constraints(conn, ids, dedup.stories_named(readings, matches))
    ages = await stories.first_seen_at(conn, dedup.stories_named(readings, matches, verdicts))
    return Case(readings=readings, matches=matches, verdicts=verdicts, first_seen_at=ages)


async def _copies(conn: Connection, ids: Sequence[int], exact: Sequence[Match]) -> list[Match]:
    """The documents, judged now or in stories already, that have nearly the same text or the same headline."""
    by_phrases, by_headline = await stories.sharing_phrases(conn, ids), await stories.sharing_headlines(conn, ids)
    alike = [*by_phrases, *by_headline]
    articles = await stories.articles(conn, {document for pair in alike for document in pair})
    joined = {(match.document_id, match.story_id) for match in exact}
    judged = set(ids)

    def open_pairs(found: Iterable[tuple[int, int]]) -> Iterator[Pair]:
        for one, other in ((articles[one], articles[other]) for one, other in found):
            is_placed = other.story_id is not None or other.document_id in judged
            if is_placed and (one.document_id, other.story_id) not in joined and not copies.is_equal(one, other):
                yield one, other

    suspects = copies.shortlist(open_pairs(by_phrases))
    titled = [(pair, found) for pair in open_pairs(by_headline) if (found := copies.same_headline(*pair))]
    talkative = [pair for pair, _ in titled if copies.are_talkative(*pair)]
    texts = await stories.texts(conn, {article.document_id for pair in (*suspects, *talkative) for article in pair})
    return [*_by_text(suspects, texts), *_by_title(titled, texts)]


def _by_text(suspects: Sequence[Pair], texts: Mapping[int, str]) -> Iterator[Match]:
    phrases = {
        document_id: signals.phrases(text.words(texts[document_id]))
        for document_id in {article.document_id for pair in suspects for article in pair}
    }
    for one, other in suspects:
        share = copies.copied(phrases[one.document_id], phrases[other.document_id])
        if share is not None:
            yield _match(one, other, "near_copy", share)


def _by_title(titled: Sequence[tuple[Pair, tuple[dedup.Signal, float]]], texts: Mapping[int, str]) -> Iterator[Match]:
    @cache
    def signs(document_id: int, title: str) -> Signals:
        return signals.of(title, texts[document_id])

    for (one, other), found in titled:
        ours, theirs = (one.document_id, one.title), (other.document_id, other.title)
        if not copies.are_talkative(one, other) or copies.bodies_agree(signs(*ours), signs(*theirs)):
            yield _match(one, other, *found)


def _match(one: Article, other: Article, signal: dedup.Signal, score: float) -> Match:
    return Match(
        document_id=one.document_id,
        matched_document_id=other.document_id,
        story_id=other.story_id,
        signal=signal,
        score=score,
    )


async def judge(case: Case) -> Outcome[Judgement]:
    groups = dedup.judge(case.readings, case.matches, case.first_seen_at, case.verdicts)
    judged = [Subject(reading.document_id) for reading in case.readings]
    return Outcome(output=Judgement(groups=groups, judged=judged))


async def save(conn: Connection, judgement: Judgement) -> Sequence[Subject]:
    await stories.fold(conn, judgement.groups)
    return judgement.judged


def stage(*, then: tuple[str, ...]) -> Stage[Case, Judgement]:
    return Stage(name="dedup", load=load, work=judge, save=save, then=then, batch=1000, lock=stories.LOCK)
