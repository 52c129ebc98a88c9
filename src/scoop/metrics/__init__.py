"""The metrics of the desk: names, labels, and what each counts.

A process counts for itself; `store/metrics.py` adds the counts of all processes up in the database.
"""

from collections import defaultdict
from collections.abc import Iterable

from scoop.core.prometheus_text import MetricFamily, Sample
from scoop.metrics.recording import Counter, Gauge, Histogram, Metric

FIRESTORE_READS = Counter(
    name="firestore_reads_total", help="Documents that were read from Firestore.", labels=("collection",)
)
FIRESTORE_WRITES = Counter(
    name="firestore_writes_total", help="Documents that were written to Firestore.", labels=("collection",)
)
FIRESTORE_DELETES = Counter(
    name="firestore_deletes_total", help="Documents that were deleted from Firestore.", labels=("collection",)
)
FIRESTORE_ERRORS = Counter(
    name="firestore_errors_total",
    help="Requests to Firestore that failed, by status code as PermissionDenied.",
    labels=("code",),
)
FIRESTORE_LATENCY = Histogram(
    name="firestore_latency_seconds", help="Duration of requests to Firestore.", labels=("operation",)
)

MODEL_REQUESTS = Counter(
    name="scoop_model_requests_total",
    help="Requests that were sent to model servers, by plugin as writer openai.",
    labels=("plugin",),
)
MODEL_ERRORS = Counter(
    name="scoop_model_errors_total",
    help="Requests to model servers that failed: the status, timeout, unreachable, or invalid for another body.",
    labels=("plugin", "code"),
)
MODEL_LATENCY = Histogram(
    name="scoop_model_latency_seconds", help="Duration of requests to model servers.", labels=("plugin",)
)
MODEL_TOKENS = Counter(
    name="scoop_model_tokens_total",
    help="Tokens of the replies that were paid for, by direction: input or output.",
    labels=("task", "direction"),
)
MODEL_WAITS = Counter(
    name="scoop_model_waits_total",
    help="Texts that were put off by a limit of their task, by reason: minute, or day if its budget is spent.",
    labels=("task", "reason"),
)
LEFT_OUT = Counter(
    name="scoop_summary_sentences_left_out_total",
    help="Sentences that writers proposed and summaries do not have, by the first reason: number, name, passage, ...",
    labels=("kind",),
)
VOICE_FACTOR = Histogram(
    name="scoop_voice_real_time_ratio",
    help="Seconds that a second of a recording took to speak, level and encode, by voice as hibari.",
    labels=("voice",),
)
VOICE_MEMORY = Gauge(
    name="scoop_voice_peak_memory_bytes",
    help="The most memory that the process of the voice took when it made the last recording; hibari only.",
    labels=("voice",),
)
CHANNEL_REQUESTS = Counter(
    name="scoop_channel_requests_total",
    help="Requests that channels sent, by kind as discord_webhook; webhooks are those of events.",
    labels=("channel",),
)
CHANNEL_ERRORS = Counter(
    name="scoop_channel_errors_total",
    help="Requests of channels that failed: the status, timeout or unreachable.",
    labels=("channel", "code"),
)
POSTS = Counter(
    name="scoop_posts_total",
    help="Posts that were settled, by kind of channel and outcome: sent, held for a person, or failed.",
    labels=("channel", "outcome"),
)
DUPLICATE_POSTS = Counter(
    name="scoop_duplicate_posts_total", help="Posts that were in a channel twice and were deleted.", labels=("channel",)
)
EVALUATIONS = Counter(
    name="scoop_curator_evaluations_total",
    help="Articles that curators evaluated: relevant, or the reason why they were rejected.",
    labels=("outcome",),
)
LOOKUPS = Counter(name="scoop_curator_lookups_total", help="Look-ups of a batch of articles in a curator's memory.")
LOOKED_UP = Counter(
    name="scoop_curator_looked_up_articles_total",
    help="Articles that were looked up in a curator's memory: known or unknown.",
    labels=("result",),
)
CURATOR_MEMORY = Gauge(
    name="scoop_curator_memory_articles",
    help="Articles that curators remember: waiting, relevant, rejected or notified; measured every five minutes.",
    labels=("curator", "state"),
)
OPEN_ALERTS = Gauge(name="scoop_alerts_open", help="Alerts that are not resolved.", labels=("level", "kind"))
OPEN_POSTS = Gauge(
    name="scoop_posts_open", help="Posts that are not settled, or await a person's decision.", labels=("state",)
)
METRICS: tuple[Metric, ...] = (
    FIRESTORE_READS,
    FIRESTORE_WRITES,
    FIRESTORE_DELETES,
    FIRESTORE_ERRORS,
    FIRESTORE_LATENCY,
    MODEL_REQUESTS,
    MODEL_ERRORS,
    MODEL_LATENCY,
    MODEL_TOKENS,
    MODEL_WAITS,
    LEFT_OUT,
    VOICE_FACTOR,
    VOICE_MEMORY,
    CHANNEL_REQUESTS,
    CHANNEL_ERRORS,
    POSTS,
    DUPLICATE_POSTS,
    EVALUATIONS,
    LOOKUPS,
    LOOKED_UP,
    CURATOR_MEMORY,
    OPEN_ALERTS,
    OPEN_POSTS,
)
"""All metrics, in the order of the documentation."""


def families(stored: Iterable[Sample]) -> list[MetricFamily]:
    """All metrics with the samples that the database has; those of unknown metrics are left out."""
    by_name: defaultdict[str, list[Sample]] = defaultdict(list)
    for each in stored:
        by_name[each.name].append(each)
    return [
        MetricFamily(
            name=metric.name,
            type=metric.type,
            help=metric.help,
            samples=metric.samples(
                sample for suffix in ("", "_bucket", "_sum") for sample in by_name[metric.name + suffix]
            ),
        )
        for metric in METRICS
    ]
