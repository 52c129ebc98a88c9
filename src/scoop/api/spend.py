"""Spending on model servers, and the budgets of tasks."""

from datetime import timedelta
from typing import Annotated

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.actions import spending
from scoop.actions.spending import SpendReport
from scoop.api import moments
from scoop.api.moments import Moment
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.params import RequestModel
from scoop.http.routes import needs
from scoop.store.model_calls import SpendingBy

router = routes.for_programs("Spending")

DEFAULT_SPAN = timedelta(days=7)


class SpendParams(RequestModel):
    since: Annotated[Moment | None, Field(description="From this day or moment; default: seven days ago.")] = None
    by: Annotated[SpendingBy, Field(description="What to add up by.")] = "day"


@router.get("/spend", response_model=SpendReport)
@needs("edit")
async def get_spending(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[SpendParams, fastapi.Query()]
) -> Response:
    """What texts by writers cost since a moment, and what is left of today's budgets."""
    now = desk.clock()
    since = moments.start(query.since, desk.timezone) if query.since else now - DEFAULT_SPAN
    report = await spending.report(
        conn, desk.config.tasks, since=since, now=now, by=query.by, timezone=desk.config.timezone
    )
    return responses.json(request, report)
