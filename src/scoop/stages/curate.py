"""Curators look for articles: interests are read again, and what they have not met is sent to be evaluated."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from scoop import metrics
from scoop.core import curation, digest_windows, interests
from scoop.core.alerts import AlertKind
from scoop.core.curation import RejectReason
from scoop.core.interests import CuratorFile
from scoop.core.shapes.curator_memory import EVALUATED_FOR, NOTIFIED_FOR
from scoop.errors import FetchFailed, InputError
from scoop.fetch.client import Client, response_failure
from scoop.model import Topic
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, briefs, curator_memory, curators, evaluations, topics, work
from scoop.store.curator_memory import RecognisedArticle
from scoop.store.curators import Curator
from scoop.store.db import Connection
from scoop.store.evaluations import CandidateArticle, FoundArticle
from scoop.store.work import Subject

ALERT: AlertKind = "interests_invalid"
LOOK_EVERY = timedelta(minutes=1)
READ_URL_EVERY = timedelta(minutes=15)  # and when a digest is due
MAX_LOOKED_UP = 500  # articles of one look-up; the rest is found by the next
MAX_FILE_BYTES = 1 << 20
FORGET_CRON, FORGET_TIMEZONE = "0 3 * * 0", "Asia/Tokyo"
FORGOTTEN_AT_ONCE = 500
OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorInput:
    """A curator, the articles that it has not met, and imported ones that the desk has gathered by now."""

    curator: Curator
    topic: Topic
    looked_up: int
    unknown: Sequence[CandidateArticle]
    recognised: Sequence[RecognisedArticle]


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorOutput:
    """What a look gave: the file that was read or the problem with it, and the articles found or recognised."""

    curator: Curator
    file: CuratorFile | None = None
    problem: str | None = None
    found: Sequence[FoundArticle] = ()
    recognised: Sequence[RecognisedArticle] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """How the file of a curator is parsed, and how the settings in it are stored; both know all settings."""

    parse: Callable[[str], CuratorFile]
    apply: Callable[[Connection, Curator, CuratorFile], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curating:
    """The work of the stage: files and URLs of interests are read through the client."""

    client: Client
    files: FileRules
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[CuratorInput]:
        looking = [curator for topic_id in ids if (curator := await curators.find(conn, topic_id)) is not None]
        sources = [await read_input(conn, curator, now=self.clock()) for curator in looking]
        for source in sources:
            _count_looked_up(source)
        return sources

    async def work(self, inputs: list[CuratorInput]) -> Outcome[list[CuratorOutput]]:
        return Outcome(output=[await self._look(each) for each in inputs])

    async def _look(self, source: CuratorInput) -> CuratorOutput:
        curator = source.curator
        found = [FoundArticle(article=article, reason=without_text(article)) for article in source.unknown]
        output = CuratorOutput(curator=curator, found=found, recognised=source.recognised)
        if not needs_reading(curator, source.topic, now=self.clock()):
            return output
        try:
            written = await read_file(curator.interests_from or "", self.client, now=self.clock())
            return replace(output, file=self.files.parse(written))
        except (InputError, FetchFailed) as error:
            return replace(output, problem=str(error))

    async def save(self, conn: Connection, outputs: list[CuratorOutput]) -> list[Subject]:
        for each in outputs:
            if each.file is not None:
                await self.files.apply(conn, each.curator, each.file)
            await save_output(conn, each, now=self.clock())
        return []


async def read_input(conn: Connection, curator: Curator, *, now: datetime) -> CuratorInput:
    """The articles of a curator's freshness that it has not met; it changes nothing, since dry runs read them too."""
    topic_id = curator.topic_id
    candidates = await evaluations.list_candidates(conn, topic_id, since=now - curator.freshness, limit=MAX_LOOKED_UP)
    known = await evaluations.list_known(conn, topic_id, candidates) if candidates else set()
    recognised = await curator_memory.recognise(conn, topic_id, [article.story_id for article in candidates])
    return CuratorInput(
        curator=curator,
        topic=await topics.by_slug(conn, curator.topic_slug),
        looked_up=len(candidates),
        unknown=without_recognised([each for each in candidates if each.url_hash not in known], recognised),
        recognised=recognised,
    )


def without_recognised(
    articles: Sequence[CandidateArticle], recognised: Sequence[RecognisedArticle]
) -> list[CandidateArticle]:
    """The articles whose story has no recognised one; one that had no text says nothing about others of its story."""
    documents = {each.document_id for each in recognised}
    stories = {each.story_id for each in recognised if each.reason != "content_extraction_failed"}
    return [each for each in articles if each.document_id not in documents and each.story_id not in stories]


def _count_looked_up(source: CuratorInput) -> None:
    if source.looked_up:
        metrics.LOOKUPS.add()
        metrics.LOOKED_UP.add(len(source.unknown), result="unknown")
        metrics.LOOKED_UP.add(source.looked_up - len(source.unknown), result="known")


def without_text(article: CandidateArticle) -> RejectReason | None:
    """Why an article is rejected before it costs anything: it has no text, a short one, or one behind a wall."""
    is_empty = article.content_problem is not None or article.characters < curation.MIN_TEXT
    return "content_extraction_failed" if is_empty else None


def needs_reading(curator: Curator, topic: Topic, *, now: datetime) -> bool:
    """Whether the file of the interests is read: always if it is local, else now and then, and for every digest."""
    if curator.interests_from is None:
        return False
    if curator.read_at is None or not is_url(curator.interests_from):
        return True
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    return now - curator.read_at > READ_URL_EVERY or (due is not None and curator.read_at < due)


def is_url(interests_from: str) -> bool:
    return interests_from.startswith(("http://", "https://"))


async def read_file(place: str, client: Client, *, now: datetime) -> str:
    """The text of a file or URL; InputError and FetchFailed say why it cannot be read."""
    if not is_url(place):
        return await asyncio.to_thread(_read_local, Path(place))
    response = await client.get(interests.raw_url(place), max_bytes=MAX_FILE_BYTES)
    if response.status != OK:
        raise response_failure(response, now=now)
    return response.body.decode("utf-8-sig", "replace")


def _read_local(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB; give a file of interests")
    return content.decode("utf-8-sig", "replace")


async def save_output(conn: Connection, output: CuratorOutput, *, now: datetime) -> None:
    """Store new interests or the problem with them, add articles, and ask for their evaluation."""
    curator = output.curator
    interests_id = curator.interests_id
    if output.file is not None:
        origin = curator.interests_from or ""
        interests_id = await curators.put_interests(conn, curator.topic_id, output.file.interests, origin=origin)
    elif output.problem is not None:
        await curators.set_problem(conn, curator.topic_id, output.problem)
    await _alert(conn, curator, output)
    await curator_memory.adopt(conn, curator.topic_id, output.recognised)
    await evaluations.drop_stale(conn, curator.topic_id, before=now - curator.freshness)
    if interests_id is not None and output.found:
        added = await evaluations.add(conn, curator.topic_id, interests_id, output.found)
        await briefs.ask(conn, "evaluation", "evaluation", dict.fromkeys(added, curator.language))
        for rejected in filter(None, (each.reason for each in output.found)):
            metrics.EVALUATIONS.add(outcome=rejected)
    await curators.touch(conn, curator.topic_id)


async def _alert(conn: Connection, curator: Curator, output: CuratorOutput) -> None:
    """Raise an alert about interests that cannot be used, and resolve it once they can or are not read any more."""
    was_read = output.file is not None or output.problem is not None
    if curator.interests_from is not None and not was_read:
        return
    slug = curator.topic_slug
    kept = "the last valid version stays in use" if curator.interests_id else "there is no valid version yet"
    message = f"the interests of {slug} in {curator.interests_from} cannot be used: {output.problem}; {kept}"
    await alerts.settle(conn, {(ALERT, slug): message} if output.problem else {}, subjects=[slug], kinds=[ALERT])


async def schedule(conn: Connection) -> None:
    """Enqueue all curators; those that wait already stay as they are."""
    if enabled := await curators.list_enabled(conn):
        await work.enqueue_missing(conn, StageName.CURATE, enabled)


async def forget(conn: Connection, *, now: datetime) -> None:
    """Forget articles whose time is over, in batches. A story that was posted is still never posted again."""
    oldest = {
        evaluations.forget_notified: now - NOTIFIED_FOR,
        evaluations.forget_evaluated: now - EVALUATED_FOR,
        evaluations.forget_waiting: now - EVALUATED_FOR,
    }
    for forget_batch, before in oldest.items():
        while await forget_batch(conn, before=before, limit=FORGOTTEN_AT_ONCE):
            pass


def stage(
    client: Client, files: FileRules, *, clock: Callable[[], datetime]
) -> Stage[list[CuratorInput], list[CuratorOutput]]:
    curating = Curating(client=client, files=files, clock=clock)
    return Stage(name=StageName.CURATE, load=curating.load, work=curating.work, save=curating.save, batch=1, waits=True)
