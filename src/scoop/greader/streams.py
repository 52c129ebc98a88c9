"""Ids of streams, items and states in the Google Reader API."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scoop.http.errors import invalid

READING_LIST = "user/-/state/com.google/reading-list"
READ = "user/-/state/com.google/read"
KEPT_UNREAD = "user/-/state/com.google/kept-unread"
STARRED = "user/-/state/com.google/starred"
COLLECTION = "feed/collection/"
TOPIC = "feed/topic/"
LABELS = {"user/-/label/Collections": "Collections", "user/-/label/Topics": "Topics"}
ITEM = "tag:google.com,2005:reader/item/"
MAX_ID = 2**63 - 1
_USER = re.compile(r"^user/[^/]+/")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedStream:
    """A parsed stream id: everything, a collection, a topic, starred or read stories."""

    collection: str | None = None
    topic: str | None = None
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
    if name.startswith(COLLECTION):
        return NamedStream(collection=name.removeprefix(COLLECTION))
    if name.startswith(TOPIC):
        return NamedStream(topic=name.removeprefix(TOPIC))
    raise invalid("s", "must be the id of a stream, as user/-/state/com.google/reading-list")


def item_id(story_id: int) -> str:
    return f"{ITEM}{story_id:016x}"


def parse_item_id(item: str) -> int:
    """The story id in an item id, which apps write in the long form, in hexadecimal, or as a decimal number."""
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
