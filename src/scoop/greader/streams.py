"""Ids of streams, items and states in the Google Reader API."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scoop.http.errors import invalid

READING_LIST = "user/-/state/com.google/reading-list"
READ = "user/-/state/com.google/read"
KEPT_UNREAD = "user/-/state/com.google/kept-unread"
STARRED = "user/-/state/com.google/starred"
COLLECTION = "feed/collection/"
TOPIC = "feed/topic/"
LABELS = {"user/-/label/Collections": "Collections", "user/-/label/Topics": "Topics"}
LABEL = "user/-/label/"
MAX_LABEL = 100  # characters
ITEM = "tag:google.com,2005:reader/item/"
MAX_ID = 2**63 - 1
EPOCH = datetime.fromtimestamp(0, UTC)
MAX_MICROSECONDS = 253_370_764_800_000_000  # the year 9999
_USER = re.compile(r"^user/[^/]+/")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedStream:
    """A parsed stream id: everything, a collection, a topic, a label, starred or read events."""

    collection: str | None = None
    topic: str | None = None
    label: str | None = None
    is_starred: bool = False
    is_read: bool | None = None


def canonical(name: str) -> str:
    """Normalise the user in an id: apps write user/-/ or user/1234/."""
    return _USER.sub("user/-/", name)


def parse_stream(stream: str) -> NamedStream:
    name = canonical(stream)
    if name == READING_LIST or name in LABELS:
        return NamedStream()
    if name == STARRED:
        return NamedStream(is_starred=True)
    if name == READ:
        return NamedStream(is_read=True)
    if label := parse_label(name):
        return NamedStream(label=label)
    if name.startswith(COLLECTION):
        return NamedStream(collection=name.removeprefix(COLLECTION))
    if name.startswith(TOPIC):
        return NamedStream(topic=name.removeprefix(TOPIC))
    raise invalid("s", "must be the id of a stream, as user/-/state/com.google/reading-list")


def parse_label(name: str) -> str | None:
    """The label that a person chose, in a stream id or a tag; None for any other."""
    label = canonical(name).removeprefix(LABEL)
    if label == canonical(name) or name in LABELS or not label.strip():
        return None
    if len(label) > MAX_LABEL or "\0" in label:
        raise invalid("label", f"must have at most {MAX_LABEL} characters")
    return label


def item_id(event_id: int) -> str:
    return f"{ITEM}{event_id:016x}"


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970, exactly: a rounded cursor would repeat or skip an event."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def continuation(cursor: tuple[int, datetime]) -> str:
    """Where the next page begins: after this event, which developed at this moment."""
    event_id, developed_at = cursor
    return f"{microseconds(developed_at)}-{event_id}"


def parse_continuation(value: str) -> tuple[datetime, int] | None:
    """The cursor in a continuation; None for an empty one."""
    if not value:
        return None
    match = re.fullmatch(r"(\d{1,18})-(\d{1,18})", value)
    if not match or int(match[1]) > MAX_MICROSECONDS:
        raise invalid("c", "must be the continuation of the page before")
    return EPOCH + timedelta(microseconds=int(match[1])), int(match[2])


def parse_item_id(item: str) -> int:
    """The event id in an item id, which apps write in the long form, in hexadecimal, or as a decimal number."""
    long = item.removeprefix(ITEM)
    is_hexadecimal = long != item or (len(item) == 16 and not item.isdecimal()) or item.startswith("0" * 4)
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}" if is_hexadecimal else r"\d{1,19}", long):
        raise invalid("i", "must be the id of an item")
    number = int(long, 16 if is_hexadecimal else 10)
    if not 0 < number <= MAX_ID:
        raise invalid("i", "must be the id of an item")
    return number


def parse_state(added: list[str], removed: list[str]) -> Mapping[str, bool | None]:
    """The read and starred state that added and removed tags set; None leaves it unchanged."""
    add, remove = {canonical(tag) for tag in added}, {canonical(tag) for tag in removed}
    is_read = True if READ in add else False if READ in remove or KEPT_UNREAD in add else None
    is_starred = True if STARRED in add else False if STARRED in remove else None
    return {"is_read": is_read, "is_starred": is_starred}
