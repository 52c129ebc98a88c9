"""Discord's rate limits: per route and channel, and global."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import xxhash

from scoop.newsstand.discord import refusals

LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class RateBucket:
    """A rate limit window that begins with the first request after the previous one ended."""

    ends_at: datetime = LONG_AGO
    taken: int = 0

    def take(self, requests: int, per: timedelta, *, now: datetime) -> bool:
        """Whether the window has room for one more request."""
        if now >= self.ends_at:
            self.ends_at, self.taken = now + per, 0
        self.taken += 1
        return self.taken <= requests


@dataclass(slots=True, kw_only=True)
class DiscordLimits:
    clock: Callable[[], datetime]
    is_on: bool = True
    requests: int = 5
    per: timedelta = timedelta(seconds=5)
    requests_a_second: int = 50
    _by_route: dict[str, RateBucket] = field(default_factory=dict)
    _by_asker: dict[str, RateBucket] = field(default_factory=dict)

    def check(self, route: str, asker: str) -> None:
        """Count one request; 429 if it exceeds a limit."""
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
        """Rate limit headers of every response."""
        now = self.clock()
        bucket = self._by_route.get(route, RateBucket(ends_at=now))
        return {
            "X-RateLimit-Limit": str(self.requests),
            "X-RateLimit-Remaining": str(max(self.requests - bucket.taken, 0)),
            "X-RateLimit-Reset": f"{bucket.ends_at.timestamp():.3f}",
            "X-RateLimit-Reset-After": f"{max((bucket.ends_at - now).total_seconds(), 0):.3f}",
            "X-RateLimit-Bucket": xxhash.xxh3_128_hexdigest(route.encode()),
        }
