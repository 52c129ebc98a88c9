"""Metrics in the text format of Prometheus, version 0.0.4."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MetricType = Literal["counter", "histogram", "gauge"]
EXACT = 2**53  # up to which a float holds every whole number

_ESCAPED = {"\\": r"\\", "\n": r"\n", '"': r"\""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One number of a metric."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """A metric with all its numbers."""

    name: str
    type: MetricType
    help: str
    samples: list[Sample]


def render(families: Iterable[MetricFamily]) -> str:
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: MetricFamily) -> Iterable[str]:
    yield f"# HELP {family.name} {_escaped(family.help, quoted=False)}"
    yield f"# TYPE {family.name} {family.type}"
    for sample in family.samples:
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels.items())
        yield f"{sample.name}{f'{{{labels}}}' if labels else ''} {_number(sample.value)}"


def _escaped(written: str, *, quoted: bool = True) -> str:
    return re.sub('[\\\\\n"]' if quoted else "[\\\\\n]", lambda sign: _ESCAPED[sign[0]], written)


def _number(value: float) -> str:
    """The number as Prometheus reads it back exactly; a whole one without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < EXACT else repr(float(value))
