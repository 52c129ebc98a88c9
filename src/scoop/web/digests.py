"""Digest pages: the list by date, and each digest with the outcome of every candidate."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from http import HTTPStatus
from typing import Annotated, Literal
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from fastapi import Path, Query, Response
from pydantic import Field

from scoop.core import digest_windows
from scoop.core.digest_windows import DigestWindow
from scoop.core.rendering import common as said
from scoop.errors import NotFound
from scoop.http import pagination, routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.model import Digest, Post, Topic
from scoop.store import curators, db, digests, posts, topics
from scoop.store.curators import Curator
from scoop.store.db import Connection
from scoop.store.digests import DigestRun, RunEntry
from scoop.store.reads import digests as digest_reads
from scoop.store.reads.digests import DatedDigest, Neighbours
from scoop.web import explain, labels, pages, sidebar
from scoop.web.calendar import parse_day
from scoop.web.context import PageContext
from scoop.web.explain import EvidenceSignal
from scoop.web.sidebar import StateLabel

router = routes.for_pages()

PAGE = 60
MAX_RUNS = 50  # runs listed per date
SCORE_PARTS = {
    "publishers": "number of publishers",
    "recency": "recency",
    "weight": "weight of the rules",
    "points": "points on other sites",
    "relevance": "relevance",
}
GROUPS = {
    "published": "Published",
    "possible_duplicate": "Probably the same event, listed beside the lead",
    "left": "Left out: no room",
    "seen": "Published before, nothing new since",
    "suppressed_duplicate": "Duplicate article",
    "suppressed_manual": "Suppressed by hand",
}
"""Outcomes of candidates, in display order."""
CURATOR_GROUPS = {
    **GROUPS,
    "published": "Selected",
    "left": "Relevant, but not among the best",
    "suppressed_duplicate": "Another article about the same event is selected",
}

DigestTopicSlug = Annotated[str, Path(pattern=r"^[a-z0-9_]{1,64}$")]
DigestId = Annotated[int, Field(ge=1, le=db.LAST_ID)]
View = Literal["", "live", "shadow", "compare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """The next digest of a topic, and its state if somebody has previewed it."""

    topic: Topic
    day: date
    due_at: datetime
    state: StateLabel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """A candidate in the ledger; `is_out_since` if a person suppressed it after the digest was made."""

    entry: RunEntry
    signals: list[EvidenceSignal]
    is_out_since: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """A story that one run publishes, its `leading` story, and the other run's outcome if it differs."""

    entry: RunEntry
    leading: str | None
    word: StateLabel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRunView:
    """One run: the digest as readers see it, and every candidate."""

    run: DigestRun
    digest: Digest
    entries: list[RunEntry]

    @property
    def title_by_story(self) -> dict[int, str]:
        return {entry.story_id: entry.title for entry in self.entries}


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPage:
    """The digest page of a topic and a date: the shown run, the compared run, and the available actions."""

    topic: Topic
    day: date
    window: DigestWindow | None
    around: Neighbours
    runs: list[DigestRun]
    shown: DigestRunView | None
    other: DigestRunView | None
    state: StateLabel
    ledger: dict[str, list[CandidateRow]]
    posts: list[Post]
    live_id: int | None
    shadow_id: int | None
    is_committed: bool
    is_early: bool
    has_come: bool
    is_correctable: bool
    curator: Curator | None

    @property
    def href(self) -> str:
        return href(self.topic.topic_slug, self.day)


def href(topic_slug: str, day: date) -> str:
    return f"/digests/{topic_slug}/{day}"


@router.get("/digests")
@needs("read")
async def digests_page(conn: ReadConn, context: PageContext, topic: str = "", after: str | None = None) -> Response:
    """The digests by date, upcoming ones first."""
    known = await topics.list_topics(conn)
    if topic and topic not in {each.topic_slug for each in known}:
        raise NotFound(f"there is no topic {topic[: said.NAME_CHARACTERS]!r}")
    place = pagination.decode_cursor(after, date, str) or digest_reads.START
    found = await digest_reads.list_digests(conn, topic_slug=topic or None, after=place, limit=PAGE + 1)
    shown = [(each, state(each, now=context.now, timezone=str(context.timezone))) for each in found[:PAGE]]
    wanted = [each for each in known if each.enabled and topic in {"", each.topic_slug}]
    return pages.page(
        "digests.html",
        context,
        topics=known,
        topic=topic,
        coming=[] if after else [_coming(each, shown, now=context.now) for each in wanted],
        rows=[(each, word) for each, word in shown if each.window_end_utc <= context.now or each.post_states],
        more=_list_href(topic, after=pagination.encode_cursor(*found[PAGE - 1].position))
        if len(found) > PAGE
        else None,
        is_beginning=after is None,
        href=href,
        local=local,
    )


def _list_href(topic: str, *, after: str) -> str:
    return f"/digests?{urlencode({'topic': topic, 'after': after} if topic else {'after': after}, quote_via=quote)}"


def _coming(topic: Topic, shown: Sequence[tuple[DatedDigest, StateLabel]], *, now: datetime) -> Coming:
    day = digest_windows.coming(topic.digest_cron, topic.timezone, now)
    due_at = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    assert due_at is not None  # noqa: S101 - the cron itself named the date
    made = next((word for each, word in shown if (each.topic_slug, each.run_date) == (topic.topic_slug, day)), None)
    return Coming(topic=topic, day=day, due_at=due_at, state=made)


def state(digest: DatedDigest, *, now: datetime, timezone: str) -> StateLabel:
    """The state of a digest; one made before its time and not posted is a preview. Another `timezone` is named."""
    is_outgoing = digest.post_states or digest.left_to_legacy_at
    if digest.mode == "live" and not is_outgoing and digest.window_end_utc > min(now, digest.started_at):
        return StateLabel(
            word="preview", kind="maybe", more=labels.counted(digest.entry_count or 0, "story", "stories")
        )
    return sidebar.made_state(digest, timezone=timezone)


def local(moment: datetime, timezone: str) -> str:
    """A moment in the timezone of a topic."""
    there = moment.astimezone(ZoneInfo(timezone))
    return f"{there:%a} {there.day} {there:%b %Y, %H:%M}"


@router.get("/digests/{slug}/{day}")
@needs("read")
async def digest_page(
    conn: ReadConn,
    context: PageContext,
    slug: DigestTopicSlug,
    day: str,
    view: View = "",
    run: Annotated[DigestId | None, Query()] = None,
) -> Response:
    return await page(conn, context, slug, parse_day(day), view=view, run_id=run)


async def page(
    conn: Connection,
    context: PageContext,
    slug: str,
    day: date,
    *,
    view: View = "",
    run_id: int | None = None,
    error: str = "",
    reason: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    found = await read(conn, slug, day, view=view, run_id=run_id, now=context.now)
    both = (found.shown, found.other) if view == "compare" else (None, None)
    return pages.page(
        "digest.html",
        context,
        status=status,
        page=found,
        view=view,
        sides=[("Live", compared(*both)), ("Shadow", compared(*reversed(both)))] if all(both) else [],
        error=error,
        reason=reason,
        local=local,
        href=href,
        said=said,
        GROUPS=CURATOR_GROUPS if found.curator else GROUPS,
    )


async def read(
    conn: Connection, slug: str, day: date, *, view: View = "", run_id: int | None = None, now: datetime
) -> DigestPage:
    topic = await topics.by_slug(conn, slug)
    runs = await digests.list_runs(conn, topic_slug=slug, day=day, limit=MAX_RUNS)
    window = digest_windows.window(topic.digest_cron, topic.timezone, day)
    if window is None and not runs:
        raise NotFound(f"{topic.topic_name} has no digest on {day}")
    committed = await digests.published_run_id(conn, topic.topic_id, day)
    live_id = committed or await digests.find_latest_run(conn, topic.topic_id, day, "live")
    shadow_id = await digests.find_latest_run(conn, topic.topic_id, day, "shadow")
    if run_id is not None and run_id not in {run.digest_run_id for run in runs}:
        raise NotFound(f"there is no run {run_id} of this digest")
    chosen = run_id or (shadow_id if view == "shadow" else None) or live_id or shadow_id
    shown = await _run_view(conn, topic, chosen) if chosen else None
    suppressed = await digests.list_suppressed(conn, topic.topic_id)
    sent = await posts.list_run_posts(conn, live_id) if live_id else []
    return DigestPage(
        topic=topic,
        day=day,
        window=window,
        around=await digest_reads.get_neighbours(conn, topic.topic_id, day),
        runs=runs,
        shown=shown,
        other=await _run_view(conn, topic, shadow_id) if view == "compare" and shadow_id and live_id else None,
        state=_state(topic, shown, sent, now=now),
        ledger=ledger(shown.entries, suppressed) if shown else {},
        posts=sent,
        live_id=live_id,
        shadow_id=shadow_id,
        is_committed=committed is not None,
        is_early=day > digest_windows.coming(topic.digest_cron, topic.timezone, now),
        has_come=day <= now.astimezone(ZoneInfo(topic.timezone)).date(),
        is_correctable=bool(sent) and shown is not None and _is_outdated(shown, suppressed),
        curator=await curators.find(conn, topic.topic_id),
    )


async def _run_view(conn: Connection, topic: Topic, run_id: int) -> DigestRunView:
    run, entries = await digests.get_run(conn, run_id), await digests.list_entries(conn, run_id)
    return DigestRunView(
        run=run,
        entries=entries,
        digest=digests.make_digest(topic, run.run_date, entries, introduction=run.introduction, language=run.language),
    )


def _state(topic: Topic, shown: DigestRunView | None, sent: Sequence[Post], *, now: datetime) -> StateLabel:
    if shown is None:
        return StateLabel(word="not made", kind="rest")
    run = shown.run
    return state(
        DatedDigest(
            topic_slug=topic.topic_slug,
            topic_name=topic.topic_name,
            timezone=topic.timezone,
            digest_cron=topic.digest_cron,
            mode=run.mode,
            published_at=run.published_at,
            left_to_legacy_at=run.left_to_legacy_at,
            entry_count=run.entry_count,
            post_states=sorted({post.state for post in sent if post.digest_run_id == run.digest_run_id}),
            run_date=run.run_date,
            started_at=run.started_at,
            window_end_utc=run.window_end_utc,
            candidate_count=run.candidate_count,
            has_shadow=False,
        ),
        now=now,
        timezone=topic.timezone,
    )


def _is_outdated(shown: DigestRunView, suppressed: Collection[int]) -> bool:
    return any(entry.rank and entry.story_id in suppressed for entry in shown.entries)


def ledger(entries: Sequence[RunEntry], suppressed: Collection[int]) -> dict[str, list[CandidateRow]]:
    """Every candidate, grouped by outcome."""
    groups: dict[str, list[CandidateRow]] = {name: [] for name in GROUPS}
    for entry in entries:
        is_out_since = entry.story_id in suppressed and entry.status != "suppressed_manual"
        groups[_group(entry)].append(CandidateRow(entry=entry, signals=_signals(entry), is_out_since=is_out_since))
    return {name: lines for name, lines in groups.items() if lines}


def _group(entry: RunEntry) -> str:
    if entry.status != "new":
        return entry.status
    return "left" if entry.rank is None else "published"


def _signals(entry: RunEntry) -> list[EvidenceSignal]:
    if entry.relevance is not None:
        return explain.score_bars(entry.score_parts)
    parts: Mapping[str, float] = entry.score_parts
    return [
        EvidenceSignal(name=name, value=f"{parts[part]:.2f}", share=parts[part])
        for part, name in SCORE_PARTS.items()
        if part in parts
    ]


def compared(ours: DigestRunView | None, theirs: DigestRunView | None) -> list[RunDifference]:
    """The stories of one run, and where the other run differs."""
    if ours is None or theirs is None:
        return []
    there = {entry.story_id: entry for entry in theirs.entries}
    return [
        RunDifference(
            entry=entry,
            leading=ours.title_by_story.get(entry.twin_of) if entry.twin_of else None,
            word=_difference(entry, there.get(entry.story_id)),
        )
        for entry in ours.entries
        if entry.rank is not None
    ]


def _difference(entry: RunEntry, other: RunEntry | None) -> StateLabel | None:
    if other is None:
        return StateLabel(word="only here", kind="maybe", more="no candidate there")
    if other.rank is None:
        return StateLabel(word="only here", kind="maybe", more=f"there: {other.reason}")
    if other.rank != entry.rank:
        return StateLabel(word="moved", kind="watch", more=f"number {other.rank} there")
    return None
