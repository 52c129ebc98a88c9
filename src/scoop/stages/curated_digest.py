"""The digest of a curator: the best relevant articles, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import curation, display_names, novelty
from scoop.core.digest import DigestChoice
from scoop.core.interests import Interests
from scoop.errors import Retry, UsageError
from scoop.model import Relevance
from scoop.store import evaluations
from scoop.store.curators import Curator
from scoop.store.db import Connection
from scoop.store.digests import RunEntry, Snapshot
from scoop.store.evaluations import RelevantRow

WAIT_AT_MOST = timedelta(minutes=30)  # for evaluations, after the digest was due
LOOK_AGAIN = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curation:
    """The relevant articles of a curator, and what decides about them."""

    interests: Interests
    language: str
    rows: Sequence[RelevantRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenStories:
    """The decided digest of a topic: every choice in `entries`, and a curator's `introduction` in its `language`."""

    choices: Sequence[DigestChoice]
    snapshots: Mapping[int, Snapshot]
    entries: Sequence[RunEntry]
    introduction: str = ""
    language: str = ""


async def read(conn: Connection, curator: Curator, *, until: datetime) -> Curation:
    """The articles that a curator may post at a moment; UsageError if it has no interests."""
    if curator.interests is None:
        reason = curator.problem or "it has none yet"
        slug = curator.topic_slug
        raise UsageError(f"{slug} has no valid interests ({reason}): scoop curators change {slug} --interests FILE")
    rows = await evaluations.list_relevant(conn, curator.topic_id, since=until - curator.freshness, until=until)
    return Curation(interests=curator.interests, language=curator.language, rows=rows)


async def wait_until_evaluated(conn: Connection, curator: Curator, *, due: datetime, now: datetime) -> None:
    """Retry while articles that came before the digest was due wait for their evaluation, for half an hour."""
    if now - due > WAIT_AT_MOST:
        return
    has_read = curator.interests_from is None or (curator.read_at is not None and curator.read_at >= due)
    if not has_read or await evaluations.is_looking(conn, curator.topic_id):
        raise Retry(f"{curator.topic_slug} is about to read its interests and to look for articles", after=LOOK_AGAIN)
    if waiting := await evaluations.count_waiting(conn, curator.topic_id, by=due + WAIT_AT_MOST):
        raise Retry(f"{waiting} articles of {curator.topic_slug} wait for their evaluation", after=LOOK_AGAIN)


def choose(source: Curation) -> ChosenStories:
    """Select the articles of a curator's digest and describe them."""
    articles = [row.article for row in source.rows]
    choices = curation.select(articles, source.interests)
    row_by_story = {row.article.story_id: row for row in source.rows}
    selected = [row_by_story[choice.story_id].article for choice in choices if choice.rank is not None]
    snapshots = {story_id: _snapshot(row) for story_id, row in row_by_story.items()}
    return ChosenStories(
        choices=choices,
        snapshots=snapshots,
        entries=[_entry(choice, row_by_story[choice.story_id], snapshots[choice.story_id]) for choice in choices],
        introduction=curation.overview(selected, source.interests, source.language),
        language=source.language,
    )


async def choose_now(conn: Connection, curator: Curator, *, now: datetime) -> dict[int, DigestChoice]:
    """What would become of the relevant articles if the digest were made now, by evaluation."""
    if curator.interests is None:
        return {}
    source = await read(conn, curator, until=now)
    choice_by_story = {choice.story_id: choice for choice in choose(source).choices}
    return {row.article.evaluation_id: choice_by_story[row.article.story_id] for row in source.rows}


def outlook(choice: DigestChoice | None, seen_at: datetime | None, curator: Curator, *, now: datetime) -> str:
    """What the next post would do with a relevant article."""
    if choice is None and seen_at is not None and seen_at < now - curator.freshness:
        return f"older than {display_names.counted(curator.freshness_days, 'day')}"
    if choice is None:
        return "its event was posted, or its post is on its way"
    return f"number {choice.rank} of the next post" if choice.rank is not None else choice.reason


def _snapshot(row: RelevantRow) -> Snapshot:
    article = row.article
    return Snapshot(
        title=article.title,
        url=row.url,
        summary=row.summary,
        publishers=(row.publisher,),
        language=row.language,
        memory=novelty.remember(()),
        relevance=Relevance(score=article.score, topics=article.matching_topics, reasoning=article.reasoning),
    )


def _entry(choice: DigestChoice, row: RelevantRow, snapshot: Snapshot) -> RunEntry:
    return RunEntry(
        story_id=choice.story_id,
        story_uuid=row.story_uuid,
        status=choice.status,
        rank=choice.rank,
        score=choice.score,
        reason=choice.reason,
        change="",
        twin_of=None,
        score_parts=choice.score_parts,
        title=snapshot.title,
        url=snapshot.url,
        publishers=snapshot.publishers,
        publisher_names=[row.publisher_name],
        summary=snapshot.summary,
        language=snapshot.language,
        published_at=None,
        relevance=snapshot.relevance,
    )
