"""The texts that a document was seen with, and what changed from one to the next."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from http import HTTPStatus
from itertools import pairwise
from typing import Literal
from uuid import UUID

from fastapi import Response
from starlette.responses import RedirectResponse

from scoop.core import documents
from scoop.errors import Reject
from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.model import Arrival
from scoop.store.reads import documents as document_reads
from scoop.store.reads import stories as story_reads
from scoop.web import pages
from scoop.web.article import DocumentId
from scoop.web.context import PageContext

router = routes.for_pages()

MAX_TOKENS = 3000  # of what changed; words and the spaces between them
AROUND = 24  # tokens that stay beside a change, the rest is left out
LEFT_OUT = " … "
_TOKEN = re.compile(r"\s+|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")

ChangeKind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """What a document said from a moment on."""

    title: str
    body_text: str
    since: datetime


@dataclass(frozen=True, slots=True)
class DiffSpan:
    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From one text to the next; no `body` where it stayed as it was, `is_cut` where more changed than is compared."""

    since: datetime
    title: list[DiffSpan]
    body: list[DiffSpan]
    is_cut: bool


@router.get("/stories/{story_uuid}/versions/{document_id}")
@needs("read")
async def versions_page(conn: ReadConn, context: PageContext, story_uuid: UUID, document_id: DocumentId) -> Response:
    story = await story_reads.get_surviving(conn, str(story_uuid))
    if story.story_uuid != story_uuid:
        return RedirectResponse(f"/stories/{story.story_uuid}/versions/{document_id}", status_code=HTTPStatus.FOUND)
    article = await document_reads.get_reader_article(conn, story.story_id, document_id)
    arrived = await document_reads.list_arrivals(conn, document_id)
    seen = await asyncio.to_thread(texts, arrived)
    changes = await asyncio.to_thread(_changes, seen)
    return pages.page("versions.html", context, story=story, article=article, texts=seen, changes=changes)


def texts(arrived: Sequence[Arrival]) -> list[DocumentText]:
    """The different texts of arrivals, in the order they came in."""
    found: list[DocumentText] = []
    for arrival in arrived:
        try:
            document = documents.document(arrival)
        except Reject:
            continue
        text = DocumentText(title=document.title, body_text=document.body_text, since=arrival.fetched_at)
        if not found or (text.title, text.body_text) != (found[-1].title, found[-1].body_text):
            found.append(text)
    return found


def _changes(seen: Sequence[DocumentText]) -> list[Change]:
    """Each step from one text to the next, the latest first."""
    steps = [change(before, after) for before, after in pairwise(seen)]
    return steps[::-1]


def change(before: DocumentText, after: DocumentText) -> Change:
    title, _ = _compared(before.title, after.title)
    body, is_cut = _compared(before.body_text, after.body_text)
    has_changed = before.body_text != after.body_text
    return Change(since=after.since, title=title, body=_shortened(body) if has_changed else [], is_cut=is_cut)


def _compared(before: str, after: str) -> tuple[list[DiffSpan], bool]:
    """The two as one text with marks, and whether a part of it was too long to be compared."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _same_start(old, new)
    end = _same_start(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    is_cut = max(len(old_middle), len(new_middle)) > MAX_TOKENS
    pieces = [
        DiffSpan("same", "".join(old[:start])),
        *_marked(old_middle[:MAX_TOKENS], new_middle[:MAX_TOKENS]),
        DiffSpan("same", "".join(old[len(old) - end :])),
    ]
    return [piece for piece in pieces if piece.text], is_cut


def _same_start(one: Sequence[str], other: Sequence[str]) -> int:
    differing = (place for place, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs)
    return next(differing, min(len(one), len(other)))


def _marked(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffSpan]:
    for name, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new).get_opcodes():
        if name == "equal":
            yield DiffSpan("same", "".join(old[old_from:old_to]))
            continue
        yield DiffSpan("removed", "".join(old[old_from:old_to]))
        yield DiffSpan("added", "".join(new[new_from:new_to]))


def _shortened(pieces: Sequence[DiffSpan]) -> list[DiffSpan]:
    """The changes with what stands right beside them."""
    last = len(pieces) - 1
    return [
        piece if piece.kind != "same" else DiffSpan("same", _beside(piece.text, after=place > 0, before=place < last))
        for place, piece in enumerate(pieces)
    ]


def _beside(text: str, *, after: bool, before: bool) -> str:
    """What stays of a text that did not change: its ends that stand after and before a change."""
    tokens = _TOKEN.findall(text)
    kept_first, kept_last = AROUND * after, AROUND * before
    if len(tokens) <= kept_first + kept_last:
        return text
    return "".join(tokens[:kept_first]) + LEFT_OUT + "".join(tokens[len(tokens) - kept_last :])
