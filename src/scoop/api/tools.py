"""Tools in the API: settings, aliases, merges, audit log, and candidates."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import AfterValidator, Field

from scoop.actions import tool_reports, tools
from scoop.actions.tool_reports import ToolReport
from scoop.api import document
from scoop.core import tools as core
from scoop.core.tools import Tool, ToolSettings, ToolStatus
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RequestModel, ShortText, storable
from scoop.http.routes import needs
from scoop.http.sentiment import CurrentSentiment
from scoop.store import tools as store
from scoop.store.db import Connection
from scoop.store.tools import ToolCandidate, ToolChange, ToolMerge

router = routes.for_programs("Tools")

ToolRef = Annotated[str, Field(min_length=1, max_length=100, description="Its id or slug."), AfterValidator(storable)]
ToolName = Annotated[str, Field(min_length=1, max_length=core.MAX_NAME), AfterValidator(storable)]
Names = Annotated[list[ToolName], Field(max_length=core.MAX_ALIASES)]
Categories = Annotated[list[ToolName], Field(min_length=1, max_length=core.MAX_CATEGORIES)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]
CONFLICTS = document.problems(HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED)


class NewTool(RequestModel):
    """A new tool; the slug is made of the name if it is missing."""

    name: ToolName
    slug: Slug | None = None
    vendor: Annotated[str, Field(max_length=core.MAX_NAME), AfterValidator(storable)] = ""
    categories: Categories = Field(default_factory=lambda: ["other"])
    aliases: Names = Field(default_factory=list)
    context_words: Names = Field(default_factory=list)
    status: ToolStatus = "active"


class ToolChanges(RequestModel):
    """Fields to change; omitted fields keep their value, a list replaces the current one."""

    name: ToolName | None = None
    slug: Slug | None = None
    vendor: Annotated[str, Field(max_length=core.MAX_NAME), AfterValidator(storable)] | None = None
    categories: Categories | None = None
    aliases: Names | None = None
    context_words: Names | None = None
    status: ToolStatus | None = None


class NewAlias(RequestModel):
    alias: ToolName


class MergeTarget(RequestModel):
    """The tool to merge into, by id or slug."""

    into: ToolRef


class CandidateName(RequestModel):
    name: ShortText


@router.get("/tools", response_model=list[ToolReport])
@needs("read")
async def list_tools(
    request: Request, conn: ReadConn, status: ToolStatus | None = None, category: ShortText | None = None
) -> Response:
    """All tools by name, or those of a status or category."""
    listed = await store.list_tools(conn)
    shown = [
        tool for tool in listed if status in {None, tool.status} and (category is None or category in tool.categories)
    ]
    return responses.json(request, [tool_reports.tool_report(tool, listed) for tool in shown])


@router.post("/tools", response_model=ToolReport, status_code=201, responses=document.problems(HTTPStatus.CONFLICT))
@needs("edit")
async def add_tool(request: Request, by: CurrentVisitor, conn: WriteConn, body: NewTool) -> Response:
    """Add a tool; its mentions are looked for in the documents that the desk has."""
    values = body.model_dump(exclude={"slug"})
    settings = ToolSettings(slug=body.slug or core.slug_of(body.name), **_tuples(values))
    tool = await tools.add(conn, settings, by=by.name)
    headers = {"Location": f"/api/v1/tools/{tool.tool_id}"}
    return responses.json(request, await _report(conn, tool), status=HTTPStatus.CREATED, headers=headers)


@router.get("/tools/audit", response_model=Listed[ToolChange])
@needs("read")
async def list_changes(request: Request, conn: ReadConn, page: Annotated[PageParams, Query()]) -> Response:
    """The changes of all tools, the newest first."""
    return responses.json(request, await _audit(conn, None, page))


@router.get("/tools/candidates", response_model=list[ToolCandidate])
@needs("read")
async def list_candidates(request: Request, desk: CurrentDesk, conn: ReadConn) -> Response:
    """Names with at least 50 mentions in seven days that look like tools and wait for a decision."""
    return responses.json(request, await store.list_candidates(conn, now=desk.clock()))


@router.post(
    "/tools/candidates/approve",
    response_model=ToolReport,
    status_code=201,
    responses=CONFLICTS | document.problems(HTTPStatus.NOT_FOUND),
)
@needs("edit")
async def approve_candidate(request: Request, by: CurrentVisitor, conn: WriteConn, body: CandidateName) -> Response:
    """Make a tool of a candidate."""
    tool = await tools.approve(conn, body.name, by=by.name)
    headers = {"Location": f"/api/v1/tools/{tool.tool_id}"}
    return responses.json(request, await _report(conn, tool), status=HTTPStatus.CREATED, headers=headers)


@router.post("/tools/candidates/reject", status_code=204, responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("edit")
async def reject_candidate(by: CurrentVisitor, conn: WriteConn, body: CandidateName) -> Response:
    """Never propose a name again."""
    await tools.reject(conn, body.name, by=by.name)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/tools/{tool}", response_model=ToolReport)
@needs("read")
async def get_tool(request: Request, conn: ReadConn, tool: ToolRef) -> Response:
    """One tool."""
    return responses.json(request, await _report(conn, await store.get(conn, tool)))


@router.patch("/tools/{tool}", response_model=ToolReport, openapi_extra=document.IF_MATCH, responses=CONFLICTS)
@needs("edit")
async def change_tool(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef, body: ToolChanges
) -> Response:
    """Change a tool; a change of its names is followed by a re-analysis."""
    found = await _unchanged(request, conn, tool)
    values = {name: value for name, value in body.model_dump().items() if value is not None}
    changed = await tools.change(conn, found, values, by=by.name)
    sentiment.forget()
    return responses.json(request, await _report(conn, changed))


@router.delete("/tools/{tool}", status_code=204, openapi_extra=document.IF_MATCH, responses=CONFLICTS)
@needs("edit")
async def remove_tool(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef
) -> Response:
    """Delete a tool with its mentions; archive it to keep them."""
    await tools.remove(conn, await _unchanged(request, conn, tool), by=by.name)
    sentiment.forget()
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/tools/{tool}/aliases", response_model=ToolReport, openapi_extra=document.IF_MATCH, responses=CONFLICTS)
@needs("edit")
async def add_alias(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef, body: NewAlias
) -> Response:
    """Add an alias; it is taken literally, and belongs to one tool."""
    changed = await tools.add_aliases(conn, await _unchanged(request, conn, tool), [body.alias], by=by.name)
    sentiment.forget()
    return responses.json(request, await _report(conn, changed))


@router.delete("/tools/{tool}/aliases", response_model=ToolReport, openapi_extra=document.IF_MATCH, responses=CONFLICTS)
@needs("edit")
async def remove_alias(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef, alias: ToolName
) -> Response:
    """Remove an alias; mentions by it are removed by a re-analysis."""
    changed = await tools.remove_alias(conn, await _unchanged(request, conn, tool), alias, by=by.name)
    sentiment.forget()
    return responses.json(request, await _report(conn, changed))


@router.post("/tools/{tool}/merge", response_model=ToolReport, openapi_extra=document.IF_MATCH, responses=CONFLICTS)
@needs("edit")
async def merge_tool(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef, body: MergeTarget
) -> Response:
    """Let the mentions of a tool count for another; 409 with the chain if that would make a cycle."""
    source = await _unchanged(request, conn, tool)
    merged = await tools.merge(conn, source, await store.get(conn, body.into), by=by.name)
    sentiment.forget()
    return responses.json(request, await _report(conn, merged))


@router.post(
    "/tools/{tool}/merge/undo", response_model=ToolReport, openapi_extra=document.IF_MATCH, responses=CONFLICTS
)
@needs("edit")
async def undo_merge(
    request: Request, by: CurrentVisitor, sentiment: CurrentSentiment, conn: WriteConn, tool: ToolRef
) -> Response:
    """Let the mentions of a merged tool count for itself again."""
    undone = await tools.undo_merge(conn, await _unchanged(request, conn, tool), by=by.name)
    sentiment.forget()
    return responses.json(request, await _report(conn, undone))


@router.get("/tools/{tool}/merges", response_model=list[ToolMerge])
@needs("read")
async def list_merges(request: Request, conn: ReadConn, tool: ToolRef) -> Response:
    """The merges of a tool and into it, the newest first."""
    found = await store.get(conn, tool)
    return responses.json(request, await store.list_merges(conn, found.tool_number))


@router.get("/tools/{tool}/audit", response_model=Listed[ToolChange])
@needs("read")
async def list_tool_changes(
    request: Request, conn: ReadConn, tool: ToolRef, page: Annotated[PageParams, Query()]
) -> Response:
    """The changes of a tool, the newest first, with its state before and after."""
    return responses.json(request, await _audit(conn, await store.get(conn, tool), page))


async def _unchanged(request: Request, conn: Connection, reference: str) -> Tool:
    """The tool, locked; 412 if it is not as the caller read it."""
    await store.lock(conn)
    tool = await store.get(conn, reference)
    responses.check_unchanged(request, await _report(conn, tool))
    return tool


async def _report(conn: Connection, tool: Tool) -> ToolReport:
    return tool_reports.tool_report(tool, await store.list_tools(conn))


async def _audit(conn: Connection, tool: Tool | None, page: PageParams) -> Listed[ToolChange]:
    position = pagination.decode_cursor(page.cursor, int)
    before = {"before": position[0]} if position else {}
    changes: Sequence[ToolChange] = await store.list_audit(
        conn, None if tool is None else tool.tool_id, **before, limit=page.limit + 1
    )
    return pagination.paginate(changes, page.limit, lambda change: (change.audit_id,))


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
