"""How the API names things: streams, items, states."""

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
    """What a stream's id names: everything, a collection, a topic, what is starred or what is read."""

    collection: str | None = None
    topic: str | None = None
    is_starred: bool = False
    is_read: bool | None = None


def canonical(name: str) -> str:
    """The same id for every user: apps write user/-/ or user/1234/."""
    return _USER.sub("user/-/", name)


def named(stream: str) -> NamedStream:
    found = canonical(stream)
    if found == READING_LIST or found in LABELS:
        return NamedStream()
    if found == STARRED:
        return NamedStream(is_starred=True)
    if found == READ:
        return NamedStream(is_read=True)
    if found.startswith(COLLECTION):
        return NamedStream(collection=found.removeprefix(COLLECTION))
    if found.startswith(TOPIC):
        return NamedStream(topic=found.removeprefix(TOPIC))
    raise invalid("s", "must be the id of a stream, as user/-/state/com.google/reading-list")


def item_id(story_id: int) -> str:
    return f"{ITEM}{story_id:016x}"


def story_id(item: str) -> int:
    """The story of an item's id, which apps write long, in hexadecimal, or as a plain number."""
    long = item.removeprefix(ITEM)
    is_hexadecimal = long != item or (len(item) == 16 and not item.isdecimal()) or item.startswith("0" * 4)
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}" if is_hexadecimal else r"\d{1,19}", long):
        raise invalid("i", "must be the id of an item")
    number = int(long, 16 if is_hexadecimal else 10)
    if not 0 < number <= MAX_ID:
        raise invalid("i", "must be the id of an item")
    return number


def wanted_state(added: list[str], removed: list[str]) -> Mapping[str, bool | None]:
    """What tags that are added and removed say of an item: read or not, starred or not."""
    add, remove = {canonical(tag) for tag in added}, {canonical(tag) for tag in removed}
    is_read = True if READ in add else False if READ in remove or KEPT_UNREAD in add else None
    is_starred = True if STARRED in add else False if STARRED in remove else None
    return {"is_read": is_read, "is_starred": is_starred}
