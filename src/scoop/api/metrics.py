"""Metrics for a monitoring system."""

from fastapi import Response
from fastapi.responses import PlainTextResponse

from scoop import metrics
from scoop.core import prometheus_text
from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store import metrics as store

router = routes.for_programs("Metrics", prefix="")


@router.get("/metrics", response_class=PlainTextResponse)
@needs("metrics")
async def get_metrics(conn: ReadConn) -> Response:
    """The metrics of the whole desk in the text format of Prometheus; a key needs the scope `metrics`."""
    text = prometheus_text.render(metrics.families(await store.list_samples(conn)))
    return Response(text, media_type=prometheus_text.CONTENT_TYPE)
