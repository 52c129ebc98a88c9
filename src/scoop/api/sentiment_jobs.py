"""Re-analyses in the API: ask for one, list, cancel."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response

from scoop.actions import tool_reports, tools
from scoop.actions.tool_reports import JobReport
from scoop.api import document, moments
from scoop.api.moments import WrittenMoment
from scoop.api.tools import ToolRef
from scoop.http import errors, pagination, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RecordId, RequestModel
from scoop.http.routes import needs
from scoop.store import sentiment_jobs as store
from scoop.store import tools as tool_store
from scoop.store.sentiment_jobs import JobStatus

router = routes.for_programs("Sentiment")


class JobRequest(RequestModel):
    """What to analyse again: a tool, or all documents without one; `rescore`: also mentions that have a score."""

    tool: ToolRef | None = None
    rescore: bool = False
    since: WrittenMoment | None = None
    until: WrittenMoment | None = None


class JobFilter(PageParams):
    tool: ToolRef | None = None
    status: JobStatus | None = None


@router.post(
    "/sentiment/jobs", response_model=JobReport, status_code=202, responses=document.problems(HTTPStatus.NOT_FOUND)
)
@needs("edit")
async def start_job(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, body: JobRequest
) -> Response:
    """Queue a re-analysis; one runs at a time, in the order of the requests."""
    since, until = _checked_times(body)
    tool = None if body.tool is None else await tool_store.get(conn, body.tool)
    job_id = await tools.reanalyse(conn, tool, rescores=body.rescore, by=by.name, since=since, until=until)
    report = tool_reports.job_report(await store.get(conn, job_id), now=desk.clock())
    headers = {"Location": f"/api/v1/sentiment/jobs/{job_id}"}
    return responses.json(request, report, status=HTTPStatus.ACCEPTED, headers=headers)


@router.get("/sentiment/jobs", response_model=Listed[JobReport], responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def list_jobs(
    request: Request, desk: CurrentDesk, conn: ReadConn, wanted: Annotated[JobFilter, Query()]
) -> Response:
    """Re-analyses, the newest first, with their progress."""
    number = None if wanted.tool is None else (await tool_store.get(conn, wanted.tool)).tool_number
    position = pagination.decode_cursor(wanted.cursor, int)
    before = {"before": position[0]} if position else {}
    found = await store.list_jobs(conn, tool_number=number, status=wanted.status, **before, limit=wanted.limit + 1)
    reports = [tool_reports.job_report(job, now=desk.clock()) for job in found]
    return responses.json(request, pagination.paginate(reports, wanted.limit, lambda job: (job.job_id,)))


@router.get("/sentiment/jobs/{job_id}", response_model=JobReport)
@needs("read")
async def get_job(request: Request, desk: CurrentDesk, conn: ReadConn, job_id: RecordId) -> Response:
    """One re-analysis."""
    return responses.json(request, tool_reports.job_report(await store.get(conn, job_id), now=desk.clock()))


@router.post(
    "/sentiment/jobs/{job_id}/cancel", response_model=JobReport, responses=document.problems(HTTPStatus.CONFLICT)
)
@needs("edit")
async def cancel_job(request: Request, desk: CurrentDesk, conn: WriteConn, job_id: RecordId) -> Response:
    """Cancel a re-analysis that has not ended; what it has done stays."""
    await store.cancel(conn, job_id)
    return responses.json(request, tool_reports.job_report(await store.get(conn, job_id), now=desk.clock()))


def _checked_times(body: JobRequest) -> tuple[datetime | None, datetime | None]:
    since, until = [None if each is None else moments.within(each) for each in (body.since, body.until)]
    if since is not None and until is not None and since >= until:
        raise errors.invalid("body.until", "must be after since")
    return since, until
