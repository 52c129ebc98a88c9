"""Alerts for programs: what an operator should look at."""

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request, Response

from scoop.core import redaction
from scoop.http import pagination, responses, routes
from scoop.http.deps import ReadConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams
from scoop.http.routes import needs
from scoop.store import alerts, db
from scoop.store.alerts import Alert

router = routes.for_programs("Alerts")


class AlertQuery(PageParams):
    with_resolved: bool = False


@router.get("/alerts", response_model=Listed[Alert])
@needs("read")
async def list_alerts(request: Request, conn: ReadConn, wanted: Annotated[AlertQuery, Query()]) -> Response:
    """What is wrong, the latest first: sources that died or went quiet, digests that are late; or also what was."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await alerts.latest(conn, with_resolved=wanted.with_resolved, before=before, limit=wanted.limit + 1)
    shown = [replace(alert, message=redaction.redact_text(alert.message)) for alert in found]
    return responses.json(request, pagination.paginate(shown, wanted.limit, lambda alert: (alert.alert_id,)))
