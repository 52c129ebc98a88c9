"""A digest as plain text, for the text part of an e-mail."""

import re
from collections.abc import Iterator

from rich.cells import cell_len

from scoop.core.rendering import common
from scoop.model import Digest, Telling

COLUMNS = 78
INDENT = "    "

# A line may break between wide characters, but not before a closing or after an opening one.
_OPENING, _CLOSING = "「『（【《〈“‘", "」』）】》〉”’、。，．：；！？…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_WIDE = "\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_PIECE = re.compile(f" ?(?:[{_OPENING}]*[{_WIDE}][{_CLOSING}]*|[^ {_WIDE}]+[{_CLOSING}]*)")


def render(digest: Digest) -> str:
    """The whole digest, in lines of at most 78 columns; only an address may be longer."""
    blocks = [
        [*wrapped(common.topic_name(digest)), *wrapped(common.heading(digest)), *_introduction(digest)],
        *(_block(digest, number, telling) for number, telling in enumerate(digest.tellings, 1)),
        ["-- ", common.dateline(digest)],  # signature separator of mail programs
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def wrapped(line: str, *, first: str = "", indent: str = "") -> Iterator[str]:
    """The text in lines; East Asian characters are two columns wide and break without spaces."""
    start, room = first or indent, COLUMNS - max(len(first), len(indent))
    begun = ""
    for piece in _PIECE.findall(line):
        if cell_len(begun + piece) <= room:
            begun += piece
            continue
        *full, begun = [begun, *_chopped(piece.lstrip(), room)]
        for one in filter(None, full):
            yield start + one
            start = indent
    yield start + begun


def _chopped(piece: str, room: int) -> list[str]:
    """Split a piece that is too long for a line; rich's own way loses zero-width characters."""
    lines = [""]
    for sign in piece:
        if cell_len(lines[-1] + sign) > room:
            lines.append("")
        lines[-1] += sign
    return lines


def _introduction(digest: Digest) -> Iterator[str]:
    if introduction := common.introduction(digest):
        yield from wrapped(introduction)


def _block(digest: Digest, number: int, telling: Telling) -> list[str]:
    words = common.phrases_of(digest)
    change, reason, more = common.change(telling), common.reason(telling), common.unnamed_twins(telling)
    texts = [
        common.mark(digest, telling),
        f"{common.DEVELOPED} {change}" if change else "",
        common.summary(telling),
        common.verdict(telling, words),
        f"{words.reason}: {reason}" if reason else "",
        common.source(telling),
    ]
    return [
        *wrapped(common.headline(telling), first=f"{number}. ".ljust(len(INDENT)), indent=INDENT),
        *(line for text in texts if text for line in wrapped(text, indent=INDENT)),
        *_address(telling),
        *(line for twin in telling.twins[: common.TWINS_NAMED] for line in _twin(twin)),
        *([INDENT + more] if more else []),
    ]


def _twin(twin: Telling) -> list[str]:
    return [*wrapped(f"{common.PROBABLY_THE_SAME} {common.headline(twin)}", indent=INDENT), *_address(twin)]


def _address(telling: Telling) -> list[str]:
    link = common.link(telling.url)
    return [INDENT + link.href] if link else []
