"""How often Discord may be asked: so often on each route of each channel, and so often in all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import xxhash

from scoop.newsstand.discord import refusals

LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class RateBucket:
    """A window that begins with the first request after the last one ended."""

    ends_at: datetime = LONG_AGO
    taken: int = 0

    def take(self, requests: int, per: timedelta, *, now: datetime) -> bool:
        """Whether one more request may be made in this window."""
        if now >= self.ends_at:
            self.ends_at, self.taken = now + per, 0
        self.taken += 1
        return self.taken <= requests


@dataclass(slots=True, kw_only=True)
class Limits:
    clock: Callable[[], datetime]
    is_on: bool = True
    requests: int = 5
    per: timedelta = timedelta(seconds=5)
    requests_a_second: int = 50
    _by_route: dict[str, RateBucket] = field(default_factory=dict)
    _by_asker: dict[str, RateBucket] = field(default_factory=dict)

    def check(self, route: str, asker: str) -> None:
        """Count one more request; 429 when it is one too many."""
        if not self.is_on:
            return
        now = self.clock()
        second = self._by_asker.setdefault(asker, RateBucket())
        if not second.take(self.requests_a_second, timedelta(seconds=1), now=now):
            raise refusals.limited((second.ends_at - now).total_seconds(), is_global=True)
        bucket = self._by_route.setdefault(route, RateBucket())
        if not bucket.take(self.requests, self.per, now=now):
            raise refusals.limited((bucket.ends_at - now).total_seconds(), is_global=False)

    def headers(self, route: str) -> Mapping[str, str]:
        """What every answer tells of its bucket."""
        now = self.clock()
        bucket = self._by_route.get(route, RateBucket(ends_at=now))
        return {
            "X-RateLimit-Limit": str(self.requests),
            "X-RateLimit-Remaining": str(max(self.requests - bucket.taken, 0)),
            "X-RateLimit-Reset": f"{bucket.ends_at.timestamp():.3f}",
            "X-RateLimit-Reset-After": f"{max((bucket.ends_at - now).total_seconds(), 0):.3f}",
            "X-RateLimit-Bucket": xxhash.xxh3_128_hexdigest(route.encode()),
        }
