"""Actions on several sources that are selected in the list.

Its route must come before those of `sources`, where any name after /sources/ is the slug of a source.
"""

from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import Response

from scoop import app
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk, WriteConn
from scoop.http.errors import HttpProblem
from scoop.http.routes import needs
from scoop.model import Source
from scoop.store import sources
from scoop.store.db import Connection
from scoop.web import pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues

router = routes.for_pages()

PREFIX = "select-"  # of the name of a checkbox; the slug follows
FILTERS = ("q", "collection", "kind", "health")
REMOVE, CONFIRMED = "remove", "remove-confirmed"


@router.post("/sources/selected")
@needs("edit")
async def change_selected(conn: WriteConn, desk: CurrentDesk, context: PageContext, form: FormFields) -> Response:
    """Enable, disable, fetch or remove the selected sources; removal is confirmed on a page of its own."""
    selected = await _find_selected(conn, form)
    if form["action"] == REMOVE and selected:
        return pages.page("source_selection.html", context, selected=selected, prefix=PREFIX, filters=_filters(form))
    notice = await _apply(conn, desk, form["action"], selected) if selected else "No source was selected."
    return pages.redirect_with_notice(_list_href(form), notice=notice)


async def _find_selected(conn: Connection, form: FormValues) -> list[Source]:
    """The sources that are selected and still exist."""
    slugs = {name.removeprefix(PREFIX) for name in form if name.startswith(PREFIX)}
    selected = [source for source in await sources.list_sources(conn) if source.slug in slugs]
    return sorted(selected, key=lambda source: source.name.casefold())


async def _apply(conn: Connection, desk: Desk, action: str, selected: Sequence[Source]) -> str:
    """Carry an action out; the sentence that says so."""
    count = "1 source" if len(selected) == 1 else f"{len(selected):,} sources"
    if action == "fetch":
        return await _fetch(conn, desk, selected, count)
    if action in {"enable", "disable"}:
        for source in selected:
            await sources.set_enabled(conn, source.slug, enabled=action == "enable")
        return f"{count} {action}d." + (" Their items stay; they are not fetched." if action == "disable" else "")
    if action == CONFIRMED:
        for source in selected:
            await sources.remove(conn, source.slug)
        return f"{count} removed. Documents and stories stay."
    raise HttpProblem(HTTPStatus.BAD_REQUEST, "choose what to do with the selected sources")


async def _fetch(conn: Connection, desk: Desk, selected: Sequence[Source], count: str) -> str:
    ids = [source.source_id for source in selected]
    paused = await sources.find_not_gathered(conn, ids, gathers=app.modes(desk.config).write_raw_ledger)
    await sources.enqueue_now(conn, [source_id for source_id in ids if source_id not in paused], force=False)
    left_out = f" {len(paused):,} left out: NP_WRITE_RAW_LEDGER is false for their topics." if paused else ""
    return f"Fetch of {count} requested.{left_out}"


def _filters(form: FormValues) -> dict[str, str]:
    return {name: form[name] for name in FILTERS if form[name]}


def _list_href(form: FormValues) -> str:
    """The list with the filters under which the sources were selected."""
    filters = _filters(form)
    return f"/sources?{urlencode(filters)}" if filters else "/sources"
