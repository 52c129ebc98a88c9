"""Kinds of metrics, and what this process has counted and not yet written to the database."""

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from scoop.core.prometheus_text import MetricType, Sample

Series = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a sample and its labels, in the order in which the metric declares them."""

OTHER = "other"  # the label value of what is too long, unprintable, or one too many
MAX_LABEL_LENGTH = 64
MAX_SERIES = 100  # of a metric: what a server answers must not make the table or a scrape grow without end
LATENCY_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
INFINITY = "+Inf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric as Prometheus knows it; `help` is its line in the documentation."""

    type: ClassVar[MetricType]

    name: str
    help: str
    labels: tuple[str, ...] = ()
    seen: set[tuple[str, ...]] = field(default_factory=set, compare=False, repr=False)

    def bounded(self, labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The labels in order, with `other` for values by which a foreign server could fill the table."""
        values = tuple(_clean(labels[name]) for name in self.labels)
        if len(labels) != len(self.labels):
            raise ValueError(f"{self.name} has the labels {', '.join(self.labels) or 'none'}, not {', '.join(labels)}")
        if values not in self.seen:
            if len(self.seen) >= MAX_SERIES:
                values = (OTHER,) * len(self.labels)
            self.seen.add(values)
        return tuple(zip(self.labels, values, strict=True))

    def ordered(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Labels from the database, in the order in which the metric declares them."""
        return {name: labels.get(name, "") for name in self.labels}

    def samples(self, stored: Iterable[Sample]) -> list[Sample]:
        """The samples as Prometheus expects them, from those that the database has."""
        found = [Sample(name=each.name, labels=self.ordered(each.labels), value=each.value) for each in stored]
        return found if found or self.labels else [Sample(name=self.name, labels={}, value=0)]


class Counter(Metric):
    type = "counter"

    def add(self, amount: float = 1, **labels: str) -> None:
        """Count something that happened, or an amount of it."""
        _count({(self.name, self.bounded(labels)): amount})


class Histogram(Metric):
    """Counts observed seconds in buckets."""

    type = "histogram"

    def observe(self, seconds: float, **labels: str) -> None:
        """Count one observation. A bucket counts only what fell between its bound and the one below."""
        bounded = self.bounded(labels)
        position = bisect_left(LATENCY_BOUNDS, seconds)
        bound = _bound(LATENCY_BOUNDS[position]) if position < len(LATENCY_BOUNDS) else INFINITY
        _count({(f"{self.name}_bucket", (*bounded, ("le", bound))): 1, (f"{self.name}_sum", bounded): seconds})

    def samples(self, stored: Iterable[Sample]) -> list[Sample]:
        """Cumulative buckets, sum and count of every combination of labels."""
        counts: defaultdict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        sums: dict[tuple[str, ...], float] = {}
        for each in stored:
            values = tuple(self.ordered(each.labels).values())
            if each.name == f"{self.name}_sum":
                sums[values] = each.value
            else:
                counts[values][each.labels.get("le", INFINITY)] = each.value
        return [sample for values in counts for sample in self._series(values, counts[values], sums.get(values, 0.0))]

    def _series(self, values: tuple[str, ...], count_by_bound: Mapping[str, float], total: float) -> Iterable[Sample]:
        labels, so_far = dict(zip(self.labels, values, strict=True)), 0.0
        for bound in (*map(_bound, LATENCY_BOUNDS), INFINITY):
            so_far += count_by_bound.get(bound, 0.0)
            yield Sample(name=f"{self.name}_bucket", labels=labels | {"le": bound}, value=so_far)
        yield Sample(name=f"{self.name}_sum", labels=labels, value=total)
        yield Sample(name=f"{self.name}_count", labels=labels, value=so_far)


class Gauge(Metric):
    """A state that is read from the database whenever somebody asks."""

    type = "gauge"


def take() -> dict[Series, float]:
    """Take what was counted since the last time."""
    with _lock:
        taken = dict(_pending)
        _pending.clear()
    return taken


def give_back(taken: Mapping[Series, float]) -> None:
    """Count again what could not be written."""
    _count(taken)


def _bound(seconds: float) -> str:
    return f"{seconds:g}"


def _count(amounts: Mapping[Series, float]) -> None:
    with _lock:  # threads count, too
        for series, amount in amounts.items():
            _pending[series] += amount


def _clean(value: str) -> str:
    return value if 0 < len(value) <= MAX_LABEL_LENGTH and value.isprintable() else OTHER


_lock = threading.Lock()
_pending: defaultdict[Series, float] = defaultdict(float)
