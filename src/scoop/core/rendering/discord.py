"""A digest as Discord messages: one embed for each story, within all of Discord's limits."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from scoop.core.rendering import common
from scoop.core.rendering.common import SafeLink
from scoop.core.rendering.phrases import Phrases
from scoop.model import AlertLevel, AlertTelling, Digest, DigestPart, Telling

EMBEDS = 10
IN_ALL = 6000  # total of titles, descriptions, fields and footers of a message
TITLE = 256
DESCRIPTION = 4096
FIELD = 1024
URL = 2048  # undocumented; longer ones are refused
NONCE = 25  # the maximum length of a marker
MORE_ROOM = 40  # for the line that counts the unnamed twins

# The dark-mode colours of the pages, since most readers use Discord in dark mode.
NEW = 0x58C98A
DEVELOPING = 0xE3B341
COLOR_BY_LEVEL: dict[AlertLevel, int] = {"critical": 0xF47067, "warning": DEVELOPING, "info": 0x6CB6FF}

_MARKUP = re.compile(r"[\\*_~`|<>\[\]@#]|(?<=\])\(|:(?=\S)|^[-+]|(?<=\d)\.(?=\s|$)")
# Discord links these wherever they occur.
_PING = re.compile("@(?=everyone|here)", re.IGNORECASE)


class _EmbedEntry(NamedTuple):
    story_ids: tuple[int, ...]
    embed: dict[str, Any]


def parts(digest: Digest, mark: Callable[[int], str]) -> list[DigestPart]:
    """The messages of a digest; no story is split."""
    messages = _messages(digest)
    total = len(messages)
    return [
        DigestPart(
            payload=_payload(
                [entry.embed for entry in entries],
                content=_content(digest, number, total),
                imprint=common.imprint(digest, number=number, total=total, marker=mark(number)),
            ),
            story_ids=tuple(story_id for entry in entries for story_id in entry.story_ids),
        )
        for number, entries in enumerate(messages, 1)
    ]


def escaped(line: str) -> str:
    """The text escaped so that Discord shows every character and interprets none."""
    return _MARKUP.sub(r"\\\g<0>", _PING.sub("＠", line))


def size(written: str) -> int:
    """An upper bound of the length as Discord counts it: UTF-16 units, never fewer than characters."""
    return len(written.encode("utf-16-le")) // 2


def _messages(digest: Digest) -> list[list[_EmbedEntry]]:
    room = IN_ALL - size(common.imprint(digest, number=999, total=999, marker="x" * NONCE))
    messages: list[list[_EmbedEntry]] = [[]]
    for telling in digest.tellings:
        entry = _entry(digest, telling, beside=messages[-1])
        if len(messages[-1]) == EMBEDS or _size([*messages[-1], entry]) > room:
            messages.append([])
            entry = _entry(digest, telling, beside=[])
        messages[-1].append(entry)
    return messages


def _size(entries: list[_EmbedEntry]) -> int:
    return sum(
        size(entry.embed["title"])
        + size(entry.embed.get("author", {}).get("name", ""))
        + size(entry.embed.get("description", ""))
        + sum(size(field["name"]) + size(field["value"]) for field in entry.embed.get("fields", ()))
        for entry in entries
    )


def _entry(digest: Digest, telling: Telling, *, beside: list[_EmbedEntry]) -> _EmbedEntry:
    link = _link(telling)
    # of embeds with the same url Discord shows only the first
    is_taken = link is not None and any(entry.embed.get("url") == link.href for entry in beside)
    embed: dict[str, Any] = {"title": _fitted(common.headline(telling), TITLE)}
    if mark := common.mark(digest, telling):
        embed["author"] = {"name": mark}
    if link and not is_taken:
        embed["url"] = link.href
    if description := _description(telling, _linked(link) if link and is_taken else _host(telling)):
        embed["description"] = description
    if fields := _fields(telling, common.phrases_of(digest)):
        embed["fields"] = fields
    embed["color"] = _color(telling)
    return _EmbedEntry((telling.story_id, *(twin.story_id for twin in telling.twins)), embed)


def _color(telling: Telling) -> int:
    if isinstance(telling, AlertTelling) and telling.level is not None:
        return COLOR_BY_LEVEL[telling.level]
    return DEVELOPING if common.change(telling) else NEW


def _fields(telling: Telling, words: Phrases) -> list[dict[str, Any]]:
    """The relevance, topics and source of a curator's article in one row, and the reason below them."""
    if telling.relevance is None:
        return []
    fields = [
        _field(words.relevance, common.relevance(telling), is_inline=True),
        _field(words.topics, common.matching_topics(telling, words), is_inline=True),
        _field(words.source, common.publisher(telling), is_inline=True),
        _field(words.reason, common.reason(telling), is_inline=False),
    ]
    return [field for field in fields if field["value"]]


def _field(name: str, value: str, *, is_inline: bool) -> dict[str, Any]:
    return {"name": name, "value": _fitted(value, FIELD), "inline": is_inline}


def _description(telling: Telling, host: str) -> str:
    change, summary = escaped(common.change(telling)), escaped(common.summary(telling))
    told_by = "" if telling.relevance else escaped(common.told_by(telling))
    source = " · ".join(filter(None, [host, told_by]))
    lines = [f"**{common.DEVELOPED}** {change}" if change else "", summary, f"-# {source}" if source else ""]
    return _with_twins("\n".join(filter(None, lines)), telling.twins)


def _with_twins(description: str, twins: tuple[Telling, ...]) -> str:
    for named, twin in enumerate(twins):
        longer = f"{description}\n-# {common.PROBABLY_THE_SAME} {_twin(twin)}".lstrip()
        if named == common.TWINS_NAMED or size(longer) > DESCRIPTION - MORE_ROOM:
            return f"{description}\n-# and {len(twins) - named} more".lstrip()
        description = longer
    return description


def _twin(twin: Telling) -> str:
    link = _link(twin)
    host = _linked(link) if link else _host(twin)
    return escaped(common.headline(twin)) + (f" ({host})" if host else "")


def _link(telling: Telling) -> SafeLink | None:
    link = common.link(telling.url)
    return link if link and len(common.destination(link)) <= URL else None


def _linked(link: SafeLink) -> str:
    """The host as a link; a title cannot be one, because Discord shows escapes inside links."""
    return f"[{link.host.strip('[]')}]({common.destination(link)})"


def _host(telling: Telling) -> str:
    link = common.link(telling.url)
    return escaped(link.host) if link else ""


def _fitted(line: str, limit: int) -> str:
    """The escaped text, cut to the limit."""
    characters = limit
    while (over := size(escaped(common.cut(line, characters))) - limit) > 0:
        characters -= (over + 1) // 2  # a character escapes to at most two
    return escaped(common.cut(line, characters))


def _content(digest: Digest, number: int, total: int) -> str:
    name = f"**{escaped(common.topic_name(digest))}**"
    if number > 1:
        return f"{name} · {common.phrases_of(digest).part.format(number=number, total=total)}"
    return f"{name} · {common.run_date(digest)}\n{_opening(digest)}"


def _opening(digest: Digest) -> str:
    """What a digest begins with: a count, or the introduction of a curator, or that there is nothing."""
    opening = escaped(common.introduction(digest)) or common.tally(digest)
    return opening or common.phrases_of(digest).nothing_new_sentence


def _payload(embeds: list[dict[str, Any]], *, content: str, imprint: str) -> str:
    if embeds:
        embeds = [*embeds[:-1], embeds[-1] | {"footer": {"text": imprint}}]
    else:
        content += f"\n-# {imprint}"
    return json.dumps({"content": content, "embeds": embeds, "allowed_mentions": {"parse": []}}, ensure_ascii=False)
