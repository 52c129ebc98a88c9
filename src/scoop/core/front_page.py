"""The front page: the order of its collections, and what a reader has not seen since the last visit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

VISIT_ENDS_AFTER = timedelta(minutes=30)  # without a request for the front page

ChangeSince = Literal["new", "developed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTally:
    """How many events of a collection a day has, and how many of them two or more independent publishers report."""

    collection: str
    events: int
    wide_events: int


def sum_tallies(tallies: Iterable[EventTally]) -> EventTally:
    """The tally of all collections together."""
    tallies = list(tallies)
    return EventTally(
        collection="",
        events=sum(tally.events for tally in tallies),
        wide_events=sum(tally.wide_events for tally in tallies),
    )


def order_collections(tallies: Iterable[EventTally], preferred: Sequence[str]) -> list[EventTally]:
    """The preferred collections first, in their order; then those with most events of several publishers."""
    place = {collection: number for number, collection in enumerate(preferred)}
    return sorted(
        tallies,
        key=lambda tally: (
            place.get(tally.collection, len(place)),
            -tally.wide_events,
            -tally.events,
            tally.collection,
        ),
    )


def parse_order(collections: str) -> list[str]:
    """The collections of the setting `collection_order`, which separates them by commas."""
    return list(dict.fromkeys(name for part in collections.split(",") if (name := part.strip())))


def is_same_visit(last_request_at: datetime, *, now: datetime) -> bool:
    """Whether a request continues the visit of an earlier one."""
    return now - last_request_at < VISIT_ENDS_AFTER


def change_since(*, created_at: datetime, developed_at: datetime, since: datetime | None) -> ChangeSince | None:
    """Whether an event is new or developed to a reader who last looked at a moment; None without one."""
    if since is None or developed_at <= since:
        return None
    return "new" if created_at > since else "developed"
