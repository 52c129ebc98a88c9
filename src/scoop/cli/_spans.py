"""Spans of time as options: 7d, 24h or 30m."""

import re
from datetime import timedelta
from typing import Any

import click

_SPAN = re.compile(r"(\d{1,6})([dhm])")
UNITS = {"d": "days", "h": "hours", "m": "minutes"}


class Span(click.ParamType[timedelta]):
    """A number of days, hours or minutes, as 7d."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        match = _SPAN.fullmatch(str(value).strip().lower())
        if match is None:
            self.fail(f"{value!r} is not a span of time, as 7d, 24h or 30m", param, ctx)
        return timedelta(**{UNITS[match[2]]: int(match[1])})


SPAN = Span()
