"""Interests as TOML, and what differs between two versions of them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoop.core import text
from scoop.core.interests import Interest, Interests

LIMITS = ("max_articles", "min_articles", "min_relevance_score")


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestChange:
    """A difference between two versions: of a topic, or of a limit if `topic` is empty.

    `removed` and `added` are values of the field; the field of a topic that is new or gone is "topic".
    """

    topic: str
    field: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def write_toml(interests: Interests) -> str:
    """The text of a file with these interests; `parse_text` gives the same ones."""
    limits = [f"{name} = {getattr(interests, name)}" for name in LIMITS]
    topics = ["\n".join(_topic_lines(interest)) for interest in interests.topics]
    return "\n\n".join(["\n".join(limits), *topics]) + "\n"


def _topic_lines(interest: Interest) -> Iterator[str]:
    yield "[[topics]]"
    yield f"topic = {_quoted(interest.topic)}"
    if interest.aliases:
        yield f"aliases = [{', '.join(map(_quoted, interest.aliases))}]"
    yield f"priority = {_quoted(interest.priority)}"
    if interest.description:
        yield f"description = {_quoted(interest.description)}"


def _quoted(value: str) -> str:
    """A string of JSON, which is one of TOML too, apart from the character DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def list_changes(before: Interests, after: Interests) -> list[InterestChange]:
    """What changed between two versions: the limits, then the topics of both in their order. Order is no change."""
    old, new = _by_name(before.topics), _by_name(after.topics)
    names = [*new, *(name for name in old if name not in new)]
    topics = [change for name in names for change in _topic_changes(old.get(name), new.get(name))]
    return [*_limit_changes(before, after), *topics]


def _by_name(topics: Sequence[Interest]) -> dict[str, Interest]:
    return {text.normalized(interest.topic): interest for interest in topics}


def _limit_changes(before: Interests, after: Interests) -> Iterator[InterestChange]:
    for name in LIMITS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield InterestChange(topic="", field=name, removed=(str(old),), added=(str(new),))


def _topic_changes(old: Interest | None, new: Interest | None) -> Iterator[InterestChange]:
    if old is None or new is None:
        yield from _whole_topic(old, new)
        return
    for field in ("topic", "priority", "description"):
        was, now = getattr(old, field), getattr(new, field)
        if was != now:
            yield InterestChange(
                topic=new.topic, field=field, removed=(was,) if was else (), added=(now,) if now else ()
            )
    gone = tuple(alias for alias in old.aliases if alias not in new.aliases)
    added = tuple(alias for alias in new.aliases if alias not in old.aliases)
    if gone or added:
        yield InterestChange(topic=new.topic, field="aliases", removed=gone, added=added)


def _whole_topic(old: Interest | None, new: Interest | None) -> Iterator[InterestChange]:
    """A topic that is new, or gone."""
    if new is not None:
        yield InterestChange(topic=new.topic, field="topic", added=(new.topic,))
    elif old is not None:
        yield InterestChange(topic=old.topic, field="topic", removed=(old.topic,))
