"""Services that deny access, or whose quota of the day is used up: work for them stops, and an alert is raised."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scoop.core.alerts import AlertKind
from scoop.errors import Retry
from scoop.model import ErrorClass
from scoop.store import alerts
from scoop.store.db import Connection

ALERT_BY_CLASS: Mapping[ErrorClass, AlertKind] = {"denied": "service_denied", "exhausted": "service_quota"}


def is_stopping(error: Exception | None) -> bool:
    """Whether an error stops all work for its service: the next request would be refused as well."""
    return isinstance(error, Retry) and error.error_class in ALERT_BY_CLASS


async def settle_alerts(conn: Connection, service: str, error: Exception | None) -> None:
    """Raise the alert that an error of a service is worth, and resolve it once the service is used again.

    Other errors say nothing about access and quota: alerts about them stay as they are.
    """
    if error is None or is_stopping(error):
        raised = {(ALERT_BY_CLASS[error.error_class], service): str(error)} if isinstance(error, Retry) else {}
        await alerts.settle(conn, raised, subjects=[service], kinds=ALERT_BY_CLASS.values())


@dataclass(slots=True)
class ServiceStop:
    """Keeps requests from a service that refused one, until its wait is over; each process finds out by itself."""

    error: Retry | None = None
    until: datetime | None = None

    def note(self, error: Exception, *, now: datetime) -> None:
        """Stop, if the error is one that stops."""
        if isinstance(error, Retry) and is_stopping(error) and error.after is not None:
            self.error, self.until = error, now + error.after

    def find(self, *, now: datetime) -> Retry | None:
        """The error that stopped the service, with the rest of its wait; None if it may be asked."""
        if self.error is None or self.until is None or self.until <= now:
            return None
        return Retry(str(self.error), after=self.until - now, error_class=self.error.error_class)
