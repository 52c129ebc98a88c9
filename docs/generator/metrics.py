"""The page of metrics and alerts, from their definitions."""

from generator.markdown import code, page_head, table
from scoop import metrics
from scoop.core import alerts

ABOUT_METRICS = (
    "Counters and histograms add up over all processes since the desk was set up. Gauges are states. A histogram has "
    "the samples `_bucket`, `_sum` and `_count`. Label values that are too long, not printable or too many become "
    "`other`."
)
ABOUT_ALERTS = (
    "An alert is critical if something has stopped until a person acts, a warning if something is failing, else info."
)


def metrics_page() -> str:
    about = (
        "What `/metrics` and `scoop metrics` show, and the kinds of alerts. How to use them: "
        "[metrics and alerts](../howto/metrics.md)."
    )
    parts = [
        page_head("Metrics and alerts", about),
        "## Metrics",
        ABOUT_METRICS,
        table(("metric", "type", "labels", "meaning"), _metrics()),
        "## Alerts",
        ABOUT_ALERTS,
        table(("kind", "level", "raised when"), _alerts()),
    ]
    return "\n\n".join(parts) + "\n"


def _metrics() -> list[tuple[str, ...]]:
    return [
        (code(metric.name), metric.type, ", ".join(map(code, metric.labels)), metric.help) for metric in metrics.METRICS
    ]


def _alerts() -> list[tuple[str, ...]]:
    return [(code(kind), rule.level, rule.about) for kind, rule in alerts.RULES.items()]
