"""Rate limits of this process: a token bucket for each caller."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

MAX_BUCKETS = 10_000


@dataclass(slots=True, kw_only=True)
class _Bucket:
    tokens: float
    filled_at: float


@dataclass(slots=True, kw_only=True)
class RateLimiter:
    """Buckets by caller; the least recently used is dropped beyond `MAX_BUCKETS`."""

    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, _Bucket] = field(default_factory=OrderedDict)

    def take(self, caller: str, *, limit: int, window: timedelta) -> timedelta | None:
        """Take a token; None if there was one, otherwise how long to wait for the next.

        A bucket holds `limit` tokens and refills evenly, an empty one within `window`.
        """
        bucket, per_second = self._bucket(caller, limit), limit / window.total_seconds()
        now = self.clock()
        bucket.tokens = min(limit, bucket.tokens + (now - bucket.filled_at) * per_second)
        bucket.filled_at = now
        if bucket.tokens < 1:
            return timedelta(seconds=(1 - bucket.tokens) / per_second)
        bucket.tokens -= 1
        return None

    def give_back(self, caller: str) -> None:
        """Undo a `take` that turned out not to count."""
        if caller in self._buckets:
            self._buckets[caller].tokens += 1

    def _bucket(self, caller: str, limit: int) -> _Bucket:
        bucket = self._buckets.setdefault(caller, _Bucket(tokens=limit, filled_at=self.clock()))
        self._buckets.move_to_end(caller)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return bucket
