"""Rate limits of the fake services."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimit:
    """Counts requests per client, in windows that begin with the first request."""

    requests: int
    per: timedelta
    clock: Callable[[], datetime]
    _asked: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))

    def left_after(self, who: str) -> int:
        """Requests left after this one; negative if the limit is exceeded."""
        now = self.clock()
        self._asked[who] = [moment for moment in self._asked[who] if now - moment < self.per]
        if len(self._asked[who]) >= self.requests:
            return -1
        self._asked[who].append(now)
        return self.requests - len(self._asked[who])

    def seconds_to_wait(self, who: str) -> int:
        """Time until the client's window ends."""
        return max(0, round((self._asked[who][0] + self.per - self.clock()).total_seconds()))
