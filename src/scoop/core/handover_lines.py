"""Parser of an older system's files: seen items and posted digests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Literal

from scoop.core import hashes, text, urls
from scoop.core.feed_reading import dates

LineKind = Literal["dedup", "digests"]
LegacyLine = Mapping[str, Any]

URL = ("canonical_url", "url", "link")
TITLE = ("title", "headline")
ID = ("id", "hash")
SEEN_AT = ("seen_at", "first_seen", "ts", "timestamp", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenItem:
    """An item that the older system had seen; `line` is its original record."""

    topic: str | None
    key: bytes
    canonical_url_hash: bytes | None
    title: str
    seen_at: datetime | None
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedItem:
    """An item of a digest that the older system posted; `copy` counts its repetitions there."""

    topic: str | None
    run_date: date
    title: str
    url: str | None
    canonical_url_hash: bytes | None
    normalized_title: str
    posted_at: datetime | None
    source: str | None
    item_hash: bytes
    position: int = 1
    copy: int = 1


def kind(line: LegacyLine) -> LineKind:
    """The kind of a file, from one of its lines: only posted digests have a topic and a date without a time."""
    is_dated = isinstance(line.get("date"), str) and len(line["date"]) == len("2026-11-16")
    return "digests" if "items" in line or ("topic" in line and is_dated) else "dedup"


def seen(line: LegacyLine, raw: str) -> SeenItem:
    """Parse a line of a dedup file; ValueError says what is wrong."""
    title, url = _title_and_url(line)
    own = next((str(line[name]) for name in ID if _has_value(line.get(name))), None)
    if not (own or url or title):
        raise ValueError(f"has neither an id ({', '.join(ID)}) nor a URL ({', '.join(URL)}) nor a title")
    return SeenItem(
        topic=_text(line, ("topic",)),
        key=hashes.sha256(own or url or text.normalized(title)),
        canonical_url_hash=hashes.sha256(url) if url else None,
        title=title,
        seen_at=_moment(line, SEEN_AT),
        line=raw,
    )


def posted(line: LegacyLine) -> tuple[list[PostedItem], list[str]]:
    """The items of a posted digest, or the one item of the line, and the errors of invalid items.

    ValueError if the line is neither.
    """
    day = _day(line)
    if "items" not in line:
        return [_posted(line, line, day)], []
    if not isinstance(line["items"], list):
        raise ValueError("its items are no list")  # noqa: TRY004 - of a line, not of an argument
    items: list[PostedItem] = []
    problems: list[str] = []
    for index, item in enumerate(line["items"]):
        try:
            items.append(_posted(line, item, day))
        except ValueError as error:
            problems.append(f"items[{index}] {error}")
    return list(numbered(items)), problems


def numbered(items: Iterable[PostedItem]) -> Iterator[PostedItem]:
    """Each item with its position in the digest of its topic and date, and its copy number there."""
    positions: Counter[Any] = Counter()
    copies: Counter[Any] = Counter()
    for item in items:
        digest = (item.topic, item.run_date)
        positions[digest] += 1
        copies[digest, item.item_hash] += 1
        yield replace(item, position=positions[digest], copy=copies[digest, item.item_hash])


def _posted(line: LegacyLine, item: Any, day: date) -> PostedItem:
    if not isinstance(item, Mapping):
        raise ValueError("is not an object")  # noqa: TRY004
    title, url = _title_and_url(item)
    if not (title or url):
        raise ValueError(f"has neither a title ({', '.join(TITLE)}) nor a URL ({', '.join(URL)})")
    normalized_title = text.normalized(title)
    return PostedItem(
        topic=_text(line, ("topic",)),
        run_date=day,
        title=title,
        url=url,
        canonical_url_hash=hashes.sha256(url) if url else None,
        normalized_title=normalized_title,
        posted_at=_moment(line, ("posted_at",)),
        source=_text(item, ("source",)),
        item_hash=hashes.sha256(url or normalized_title),
    )


def _title_and_url(line: LegacyLine) -> tuple[str, str | None]:
    title, url = _text(line, TITLE) or "", _text(line, URL)
    return title, urls.canonical_url(url) if url else None


def _day(line: LegacyLine) -> date:
    written = line.get("date")
    try:
        return date.fromisoformat(written[:10])  # type: ignore[index]  # a TypeError for other values than text
    except (TypeError, ValueError) as error:
        raise ValueError(f"its date is {written!r}; it must be as 2026-11-16") from error


def _moment(line: LegacyLine, names: Iterable[str]) -> datetime | None:
    name = next((name for name in names if _has_value(line.get(name))), None)
    if name is None:
        return None
    moment = dates.moment(str(line[name]))
    if moment is None:
        raise ValueError(f"its {name} is {line[name]!r}, which is not a time")
    return moment


def _text(line: LegacyLine, names: Iterable[str]) -> str | None:
    """The first non-empty value."""
    for name in names:
        value = line.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"its {name} is {value!r}, which is not text")
        if value and (shown := text.one_line(value)):
            return shown
    return None


def _has_value(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != ""
