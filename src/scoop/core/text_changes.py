"""What changed between two versions of a document's text, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from scoop.core import documents
from scoop.errors import Reject
from scoop.model import Arrival

MAX_TOKENS = 3000  # of the part that changed; words, and the spaces between them
CONTEXT = 24  # tokens that are kept beside a change
LEFT_OUT = " … "
_TOKEN = re.compile(r"\s+|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")

ChangeKind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The title and text of a document from a moment on."""

    title: str
    body_text: str
    since: datetime


@dataclass(frozen=True, slots=True)
class DiffSpan:
    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """A version compared with the one before.

    `body` is empty if only the title changed; `is_cut`: more changed than is compared.
    """

    since: datetime
    title: list[DiffSpan]
    body: list[DiffSpan]
    is_cut: bool


def versions_of(arrivals: Sequence[Arrival]) -> list[DocumentText]:
    """The different texts of a document's arrivals, in the order they arrived."""
    versions: list[DocumentText] = []
    for arrival in arrivals:
        try:
            document = documents.document(arrival)
        except Reject:
            continue
        version = DocumentText(title=document.title, body_text=document.body_text, since=arrival.fetched_at)
        if not versions or (version.title, version.body_text) != (versions[-1].title, versions[-1].body_text):
            versions.append(version)
    return versions


def list_changes(versions: Sequence[DocumentText]) -> list[TextChange]:
    """The changes from each version to the next, the latest first."""
    return [compare(before, after) for before, after in pairwise(versions)][::-1]


def compare(before: DocumentText, after: DocumentText) -> TextChange:
    title, _ = _diff(before.title, after.title)
    body, is_cut = _diff(before.body_text, after.body_text)
    has_changed = before.body_text != after.body_text
    return TextChange(since=after.since, title=title, body=_shorten(body) if has_changed else [], is_cut=is_cut)


def _diff(before: str, after: str) -> tuple[list[DiffSpan], bool]:
    """The spans of both texts, and whether the part that changed was too long to be compared whole."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    is_cut = max(len(old_middle), len(new_middle)) > MAX_TOKENS
    spans = [
        DiffSpan("same", "".join(old[:start])),
        *_changed_spans(old_middle[:MAX_TOKENS], new_middle[:MAX_TOKENS]),
        DiffSpan("same", "".join(old[len(old) - end :])),
    ]
    return [span for span in spans if span.text], is_cut


def _common_start(one: Sequence[str], other: Sequence[str]) -> int:
    differing = (place for place, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs)
    return next(differing, min(len(one), len(other)))


def _changed_spans(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffSpan]:
    for name, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new).get_opcodes():
        if name == "equal":
            yield DiffSpan("same", "".join(old[old_from:old_to]))
            continue
        yield DiffSpan("removed", "".join(old[old_from:old_to]))
        yield DiffSpan("added", "".join(new[new_from:new_to]))


def _shorten(spans: Sequence[DiffSpan]) -> list[DiffSpan]:
    """The changes with some context; longer unchanged parts are left out."""
    last = len(spans) - 1
    return [
        span if span.kind != "same" else DiffSpan("same", _context(span.text, after=place > 0, before=place < last))
        for place, span in enumerate(spans)
    ]


def _context(text: str, *, after: bool, before: bool) -> str:
    """The ends of an unchanged part that are next to a change."""
    tokens = _TOKEN.findall(text)
    kept_first, kept_last = CONTEXT * after, CONTEXT * before
    if len(tokens) <= kept_first + kept_last:
        return text
    return "".join(tokens[:kept_first]) + LEFT_OUT + "".join(tokens[len(tokens) - kept_last :])
