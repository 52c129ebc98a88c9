"""The page of questions about tools, with the answers of a model and the facts that they rest on."""

from fastapi import Response

from scoop.actions import tool_questions as actions
from scoop.errors import Conflict, UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk
from scoop.http.routes import needs
from scoop.store import tool_questions as store
from scoop.task_settings import NO_WRITER
from scoop.web import pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues

router = routes.for_pages()

PAGE = "/sentiment/ask"
SHOWN = 20


@router.get(PAGE)
@needs("read")
async def ask_page(desk: CurrentDesk, context: PageContext) -> Response:
    return await _page(desk, context, FormValues({}))


@router.post(PAGE)
@needs("edit")
async def ask(desk: CurrentDesk, context: PageContext, by: CurrentVisitor, fields: FormFields) -> Response:
    try:
        async with desk.writing() as conn:
            await actions.ask(conn, fields["question"], writer=_writer(desk), now=desk.clock(), by=by.name)
    except (UsageError, Conflict) as error:
        return await _page(desk, context, fields, problem=str(error))
    return pages.redirect_with_notice(PAGE, notice="Asked. The answer is here in a moment.")


async def _page(desk: Desk, context: PageContext, fields: FormValues, *, problem: str = "") -> Response:
    async with desk.reading() as conn:
        questions = await store.list_latest(conn, limit=SHOWN)
    return pages.page(
        "sentiment_ask.html",
        context,
        questions=questions,
        is_pending=any(each.is_pending for each in questions),
        fields=fields,
        problem=problem,
        is_possible=_writer(desk) != NO_WRITER,
    )


def _writer(desk: Desk) -> str:
    return desk.config.tasks["question"].writer
