"""Documents that are the same article fold into one story, one collection at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.core import copies, dedup, signals, text
from scoop.core.copies import Article
from scoop.core.dedup import Group, Match, Reading
from scoop.stages.stage import Outcome, Stage
from scoop.store import stories
from scoop.store.db import Connection
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that the judge needs: the documents, who is the same article as they are, how old those stories are."""

    readings: Sequence[Reading]
    matches: Sequence[Match]
    first_seen_at: Mapping[int, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    groups: Sequence[Group]
    judged: Sequence[Subject]


async def load(conn: Connection, ids: Sequence[int]) -> Case:
    readings = await stories.readings(conn, ids)
    exact = await stories.matches(conn, readings)
    matches = [*exact, *await _copies(conn, ids)]
    known = {match.story_id for match in matches if match.story_id is not None} | {
        reading.story_id for reading in readings if reading.story_id is not None
    }
    return Case(readings=readings, matches=matches, first_seen_at=await stories.first_seen_at(conn, known))


async def _copies(conn: Connection, ids: Sequence[int]) -> list[Match]:
    """The documents, judged now or in stories already, that have the same text or title, nearly."""
    alike = await stories.alike(conn, ids)
    articles = await stories.articles(conn, {document for pair in alike for document in pair})
    judged = set(ids)
    pairs = [
        (articles[one], articles[other])
        for one, other in alike
        if one in articles and other in articles and (articles[other].story_id is not None or other in judged)
    ]
    suspects = [(one, other) for one, other in pairs if copies.may_be_copies(one, other)]
    texts = await stories.texts(conn, {article.document_id for pair in suspects for article in pair})
    phrases = {document_id: signals.phrases(text.words(written)) for document_id, written in texts.items()}
    return [*_by_body(suspects, phrases), *_by_title(pairs)]


def _by_body(suspects: Sequence[tuple[Article, Article]], phrases: Mapping[int, signals.Words]) -> Iterator[Match]:
    for one, other in suspects:
        share = copies.copied(phrases[one.document_id], phrases[other.document_id])
        if share is not None:
            yield _match(one, other, "near_copy", share)


def _by_title(pairs: Sequence[tuple[Article, Article]]) -> Iterator[Match]:
    for one, other in pairs:
        if found := copies.same_headline(one, other):
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
    groups = dedup.judge(case.readings, case.matches, case.first_seen_at)
    judged = [Subject(reading.document_id) for reading in case.readings]
    return Outcome(output=Judgement(groups=groups, judged=judged))


async def save(conn: Connection, judgement: Judgement) -> Sequence[Subject]:
    await stories.fold(conn, judgement.groups)
    return judgement.judged


def stage(*, then: tuple[str, ...]) -> Stage[Case, Judgement]:
    return Stage(name="dedup", load=load, work=judge, save=save, then=then, batch=1000, lock=stories.LOCK)
