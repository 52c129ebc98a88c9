"""A story as a page: who told it when, and why each document is in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

import msgspec
from fastapi import Response
from starlette.responses import RedirectResponse

from scoop.doors import routers
from scoop.doors.desk import Reads
from scoop.doors.rights import needs
from scoop.store import reading
from scoop.store.reading import Member
from scoop.web import pages, words
from scoop.web.reader import For

router = routers.for_pages()

TOLD_IN_WORDS = frozenset({"signal", "matched_document_id"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A piece of evidence; `share` when it is a figure between 0 and 1 that can be drawn."""

    name: str
    value: str
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The reason a document is in its story: a sentence, the document it is like, the signals."""

    sentence: str
    like: Member | None
    signals: list[Signal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A document on the timeline, at a share of its length; `is_first` of its newsroom."""

    at: float
    is_first: bool
    label: str


@router.get("/stories/{story_uuid}")
@needs("read")
async def story_page(conn: Reads, reader: For, story_uuid: UUID) -> Response:
    """The story; one that was merged sends the reader to where it went."""
    detail = await reading.story(conn, str(story_uuid))
    if detail.story.merged_into is not None:
        stays = await reading.story(conn, str(detail.story.merged_into))
        return RedirectResponse(f"/stories/{stays.story.story_uuid}", status_code=HTTPStatus.FOUND)
    return pages.page(
        "story.html",
        reader,
        story=detail.story,
        members=detail.members,
        company=detail.company,
        member_by_id={member.document_id: member for member in detail.members},
        ticks=timeline(detail.members),
        why=why,
    )


def why(member: Member, member_by_id: Mapping[int, Member]) -> Why:
    details = member.match_details or {}
    score = {"match": member.match_score} if member.match_score is not None else {}
    evidence = score | {name: value for name, value in details.items() if name not in TOLD_IN_WORDS}
    return Why(
        sentence=words.REASONS[member.match_type],
        like=member_by_id.get(details.get("matched_document_id", 0)),
        signals=[_signal(name, value) for name, value in evidence.items()],
    )


def _signal(name: str, value: Any) -> Signal:
    spoken = name.replace("_", " ")
    if isinstance(value, float) and 0 <= value <= 1:
        return Signal(name=spoken, value=f"{value:.2f}", share=value)
    return Signal(name=spoken, value=value if isinstance(value, str) else msgspec.json.encode(value).decode())


def timeline(members: Sequence[Member]) -> list[Tick]:
    """The documents from the first to the last moment; none where all appeared at once."""
    moments = [member.seen_at for member in members]
    if not moments or moments[0] == moments[-1]:
        return []
    length = moments[-1] - moments[0]
    newsrooms: set[str] = set()
    ticks = []
    for member in members:
        tick = Tick(
            at=(member.seen_at - moments[0]) / length,
            is_first=member.publisher_family not in newsrooms,
            label=words.outlet_name(member.source, member.source_name),
        )
        newsrooms.add(member.publisher_family)
        ticks.append(tick)
    return ticks
