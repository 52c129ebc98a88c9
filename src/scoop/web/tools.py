"""The tool editor: all tools, the form of one, the starter list, and names that wait for a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Form, Response
from pydantic import Field

from scoop.actions import tools as actions
from scoop.core import tool_lists
from scoop.core import tools as core
from scoop.core.tool_lists import ListFormat
from scoop.core.tools import Tool, ToolSettings
from scoop.errors import Conflict, UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.http.sentiment import CurrentSentiment
from scoop.store import tools as store
from scoop.store.db import Connection
from scoop.store.tools import ToolChange
from scoop.web import downloads, forms, pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues

router = routes.for_pages()

ToolSlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]
SHOWN_CHANGES = 20
LIST = "/sentiment/tools"
MEDIA_TYPES: dict[ListFormat, str] = {"toml": "application/toml", "csv": "text/csv; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTool:
    """A tool in its form: the one that its mentions count for, those it can be merged into, and its last changes."""

    tool: Tool
    target: Tool | None
    others: Sequence[Tool]
    changes: Sequence[ToolChange]


@router.get(LIST)
@needs("read")
async def tools_page(context: PageContext, conn: ReadConn) -> Response:
    listed = await store.list_tools(conn)
    present = {tool.slug for tool in listed}
    return pages.page(
        "tools.html",
        context,
        listed=listed,
        by_number={tool.tool_number: tool for tool in listed},
        candidates=await store.list_candidates(conn, now=context.now),
        starter=[each.settings for each in tool_lists.starter() if each.settings.slug not in present],
    )


@router.get("/sentiment/tools.{form}")
@needs("read")
async def save_list(conn: ReadConn, form: ListFormat) -> Response:
    """All tools as a file that `scoop tools import` reads."""
    listed = tool_lists.listed(await store.list_tools(conn))
    return downloads.attachment(f"tools.{form}", MEDIA_TYPES[form], tool_lists.write(listed, form))


@router.get(f"{LIST}/new")
@needs("edit")
async def new_page(context: PageContext) -> Response:
    return _form(context, FormValues({"categories": "other"}))


@router.post(f"{LIST}/new")
@needs("edit")
async def add_tool(context: PageContext, by: CurrentVisitor, desk: CurrentDesk, fields: FormFields) -> Response:
    values = _values(fields)
    try:
        async with desk.writing() as conn:
            tool = await actions.add(conn, ToolSettings(slug=core.slug_of(fields["name"]), **values), by=by.name)
    except (UsageError, Conflict) as error:
        return _form(context, fields, problem=str(error))
    notice = f"{tool.name} added. Its mentions are looked for now."
    return pages.redirect_with_notice(f"{LIST}/{tool.slug}", notice=notice)


@router.post(f"{LIST}/choose")
@needs("edit")
async def choose_tools(conn: WriteConn, by: CurrentVisitor, slug: Annotated[list[ToolSlug], Form()]) -> Response:
    chosen = await actions.choose(conn, slug, by=by.name)
    return pages.redirect_with_notice(LIST, notice=f"{len(chosen)} added: {', '.join(each.name for each in chosen)}.")


@router.post(f"{LIST}/candidates")
@needs("edit")
async def decide(
    conn: WriteConn, by: CurrentVisitor, name: Annotated[str, Form(max_length=200)], decision: Annotated[str, Form()]
) -> Response:
    """Approve or reject a proposed name."""
    if decision == "approve":
        tool = await actions.approve(conn, name, by=by.name)
        return pages.redirect_with_notice(LIST, notice=f"{tool.name} added. Its mentions are looked for now.")
    return pages.redirect_with_notice(LIST, notice=f"{await actions.reject(conn, name, by=by.name)} rejected.")


@router.get(f"{LIST}/{{slug}}/edit")
@needs("edit")
async def edit_page(context: PageContext, conn: ReadConn, slug: ToolSlug) -> Response:
    shown = await _shown(conn, slug)
    return _form(context, _fields(shown.tool), shown)


@router.post(f"{LIST}/{{slug}}/edit")
@needs("edit")
async def change_tool(
    context: PageContext,
    desk: CurrentDesk,
    by: CurrentVisitor,
    sentiment: CurrentSentiment,
    slug: ToolSlug,
    fields: FormFields,
) -> Response:
    async with desk.reading() as conn:
        shown = await _shown(conn, slug)
    values = {**_values(fields), "status": fields["status"] or shown.tool.status}
    try:
        async with desk.writing() as conn:
            tool = await actions.change(conn, shown.tool, values, by=by.name)
    except (UsageError, Conflict) as error:
        return _form(context, fields, shown, problem=str(error))
    sentiment.forget()
    return pages.redirect_with_notice(f"{LIST}/{tool.slug}/edit", notice=f"{tool.name} saved.")


@router.post(f"{LIST}/{{slug}}/merge")
@needs("edit")
async def merge_tool(
    conn: WriteConn, by: CurrentVisitor, sentiment: CurrentSentiment, slug: ToolSlug, into: Annotated[ToolSlug, Form()]
) -> Response:
    tool = await actions.merge(conn, await store.get(conn, slug), await store.get(conn, into), by=by.name)
    sentiment.forget()
    return pages.redirect_with_notice(f"{LIST}/{tool.slug}/edit", notice=f"{tool.name} counts for {into} now.")


@router.post(f"{LIST}/{{slug}}/unmerge")
@needs("edit")
async def unmerge_tool(conn: WriteConn, by: CurrentVisitor, sentiment: CurrentSentiment, slug: ToolSlug) -> Response:
    tool = await actions.undo_merge(conn, await store.get(conn, slug), by=by.name)
    sentiment.forget()
    return pages.redirect_with_notice(f"{LIST}/{tool.slug}/edit", notice=f"{tool.name} counts for itself again.")


@router.post(f"{LIST}/{{slug}}/reanalyze")
@needs("edit")
async def reanalyze(conn: WriteConn, by: CurrentVisitor, slug: ToolSlug) -> Response:
    await actions.reanalyse(conn, await store.get(conn, slug), rescores=True, by=by.name)
    return pages.redirect_with_notice("/sentiment/jobs", notice="Re-analysis queued.")


async def _shown(conn: Connection, slug: str) -> ShownTool:
    tool = await store.get(conn, slug)
    others = [each for each in await store.list_tools(conn) if each.tool_number != tool.tool_number]
    return ShownTool(
        tool=tool,
        target=next((each for each in others if each.tool_number == tool.merged_into), None),
        others=others,
        changes=await store.list_audit(conn, tool.tool_id, limit=SHOWN_CHANGES),
    )


def _form(context: PageContext, fields: FormValues, shown: ShownTool | None = None, *, problem: str = "") -> Response:
    """The form of a tool, or of a new one."""
    return pages.page(
        "tool_form.html",
        context,
        tool=shown and shown.tool,
        target=shown and shown.target,
        others=shown.others if shown else (),
        changes=shown.changes if shown else (),
        fields=fields,
        problem=problem,
        differences=core.differences,
    )


def _fields(tool: Tool) -> FormValues:
    lines = {name: "\n".join(getattr(tool, name)) for name in ("categories", "aliases", "context_words")}
    return FormValues({"name": tool.name, "vendor": tool.vendor, "status": tool.status, **lines})


def _values(fields: FormValues) -> dict[str, Any]:
    lines = {name: tuple(forms.split_lines(fields[name])) for name in ("categories", "aliases", "context_words")}
    return {"name": fields["name"], "vendor": fields["vendor"], **lines}
