"""Alerts over the API."""

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request, Response

from scoop.core import redaction
from scoop.core.alerts import LEVELS
from scoop.http import pagination, responses, routes
from scoop.http.deps import ReadConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams
from scoop.http.routes import needs
from scoop.model import AlertLevel
from scoop.store import alerts, db
from scoop.store.alerts import Alert

router = routes.for_programs("Alerts")


class AlertQuery(PageParams):
    with_resolved: bool = False
    level: AlertLevel | None = None


@router.get("/alerts", response_model=Listed[Alert])
@needs("read")
async def list_alerts(request: Request, conn: ReadConn, query: Annotated[AlertQuery, Query()]) -> Response:
    """Open alerts, the latest first: failing sources, late digests, services that refuse the desk.

    Optionally also resolved ones, or only those of one level.
    """
    (before,) = pagination.decode_cursor(query.cursor, int) or (db.LAST_ID,)
    latest = await alerts.latest(
        conn,
        with_resolved=query.with_resolved,
        levels=[query.level] if query.level else LEVELS,
        before=before,
        limit=query.limit + 1,
    )
    shown = [replace(alert, message=redaction.redact_text(alert.message)) for alert in latest]
    return responses.json(request, pagination.paginate(shown, query.limit, lambda alert: (alert.alert_id,)))
