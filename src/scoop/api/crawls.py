"""Crawl runs and crawl jobs: runs and fetches of sources in the shape of an older contract."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Literal

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.api import document
from scoop.app import modes
from scoop.core.shapes import summanow
from scoop.errors import Conflict
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, ReadConn, WriteConn
from scoop.http.errors import TooManyRequests
from scoop.http.params import PageParams, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.stage_names import StageName
from scoop.store import db, runs, sources
from scoop.store.db import Connection
from scoop.store.reads import sources as source_reads
from scoop.store.reads.sources import NextVisit
from scoop.store.runs import RequestedRun

router = routes.for_programs("Articles", prefix="/api")

SkipReason = Literal["ran_recently", "resting"]
PAUSE = timedelta(minutes=5)  # after a fetch, in which a site is fetched again only by force


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRun:
    runId: str  # noqa: N815 - the shape of this contract
    siteId: str  # noqa: N815
    triggerType: str  # noqa: N815
    startedAt: datetime  # noqa: N815
    completedAt: datetime | None  # noqa: N815
    status: str
    processedCount: int  # noqa: N815
    newArticles: int  # noqa: N815
    failedArticles: int  # noqa: N815
    errorSummary: str | None  # noqa: N815
    s3LogKey: str | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRuns:
    crawlRuns: list[CrawlRun]  # noqa: N815
    nextCursor: str | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """A fetch in the queue, and about when it starts; a site that is in the queue already keeps its job."""

    jobId: str  # noqa: N815
    runId: str  # noqa: N815
    siteId: str  # noqa: N815
    dueAt: datetime | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    siteId: str  # noqa: N815
    reason: SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlStarted:
    """The runs of the jobs, and the jobs that do them; the runs have a number larger than `lastRunId`."""

    runIds: list[str]  # noqa: N815
    jobs: list[CrawlJob]
    skipped: list[Skipped]
    lastRunId: str  # noqa: N815


class CrawlRunQuery(PageParams):
    site_id: Annotated[ShortText | None, Field(alias="siteId", description="Only runs of this site: a source.")] = None
    after: Annotated[
        int, Field(alias="afterRunId", ge=0, le=db.LAST_ID, description="Only runs with a larger number.")
    ] = 0
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 20


class CrawlRequest(RequestModel):
    """The sites, by default all that are enabled; `force` includes those that were fetched in the last five minutes."""

    site_ids: Annotated[list[ShortText] | None, Field(alias="siteIds", min_length=1, max_length=1000)] = None
    force: bool = False


@router.get("/crawl-runs", response_model=CrawlRuns)
@needs("read")
async def list_crawl_runs(
    request: Request, conn: ReadConn, query: Annotated[CrawlRunQuery, fastapi.Query()]
) -> Response:
    """The latest runs, by number."""
    place = pagination.decode_cursor(query.cursor, int)
    found = await runs.latest(
        conn,
        source=query.site_id,
        after=query.after,
        before=place[0] if place else db.LAST_ID,
        limit=query.limit + 1,
    )
    part = pagination.paginate(found, query.limit, lambda run: (run.run_id,))
    crawl_runs = [CrawlRun(**summanow.crawl_run(run)) for run in part.items]
    return responses.json(request, CrawlRuns(crawlRuns=crawl_runs, nextCursor=part.next_cursor))


@router.post(
    "/admin/jobs/crawl",
    response_model=CrawlStarted,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("edit")
async def start_crawl(request: Request, conn: WriteConn, desk: CurrentDesk, body: CrawlRequest) -> Response:
    """Fetch sites now, by the workers.

    The runs are listed as `running` until their fetch has ended; `/api/crawl-runs?siteId=...&afterRunId=...` lists
    those after `lastRunId`. A site that was fetched in the last five minutes is skipped unless by force; where that is
    true of all, the response is 429. By force, a site is fetched even if its server asked to wait.
    """
    named = await sources.list_ids(conn, body.site_ids)
    resting = await sources.find_not_gathered(conn, named, gathers=modes(desk.config).write_raw_ledger)
    visits = await source_reads.list_next_visits(conn, StageName.INGEST, named, rest=PAUSE)
    skipped = {visit.source_id: reason for visit in visits if (reason := _reason(visit, resting, force=body.force))}
    chosen = [visit for visit in visits if visit.source_id not in skipped]
    if not chosen:
        raise _nothing_to_do(visits, skipped)
    newest_id = await runs.newest_id(conn)
    requested = await runs.request(conn, [visit.source_id for visit in chosen], now=desk.clock())
    idle = [visit.source_id for visit in chosen if not visit.is_on_its_way]
    await sources.enqueue_now(conn, idle, force=body.force)
    started = CrawlStarted(
        runIds=[str(requested[visit.source].run_uuid) for visit in chosen],
        jobs=await _jobs(conn, [visit.source_id for visit in chosen], requested),
        skipped=[
            Skipped(siteId=visit.source, reason=skipped[visit.source_id])
            for visit in visits
            if visit.source_id in skipped
        ],
        lastRunId=str(min(newest_id, *(run.run_id - 1 for run in requested.values()))),
    )
    return responses.json(request, started, status=HTTPStatus.ACCEPTED)


def _reason(visit: NextVisit, resting: Set[int], *, force: bool) -> SkipReason | None:
    """Why a site is not fetched now; a site whose fetch is in the queue is not skipped."""
    if visit.source_id in resting:
        return "resting"
    return "ran_recently" if visit.rests_for and not visit.is_on_its_way and not force else None


def _nothing_to_do(visits: Sequence[NextVisit], skipped: Mapping[int, SkipReason]) -> Exception:
    rests = [visit.rests_for for visit in visits if skipped[visit.source_id] == "ran_recently" and visit.rests_for]
    if rests:
        return TooManyRequests("fetched less than five minutes ago; retry later, or use force", after=min(rests))
    if visits:
        return Conflict("these sites are not fetched: NP_WRITE_RAW_LEDGER is false for their topics")
    return Conflict("no site is enabled; enable a source first")


async def _jobs(conn: Connection, source_ids: Sequence[int], requested: Mapping[str, RequestedRun]) -> list[CrawlJob]:
    return [
        CrawlJob(
            jobId=f"{StageName.INGEST}:{visit.source_id}",
            runId=str(requested[visit.source].run_uuid),
            siteId=visit.source,
            dueAt=visit.due_at,
        )
        for visit in await source_reads.list_next_visits(conn, StageName.INGEST, source_ids, rest=PAUSE)
    ]
