"""The queue as a page: how much waits before each stage, what failed and why, and the way to try it again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Form, Response

from scoop.core import redaction, text
from scoop.http import errors, routes
from scoop.http.deps import ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.store import db, work
from scoop.store.reads import work as work_reads
from scoop.store.reads.work import WorkSubject
from scoop.store.work import Count, Waiting
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN = 100
SUBJECTS = {
    "ingest": "source", "pages": "arrival", "normalize": "arrival", "dedup": "document", "embed": "document",
    "link": "document", "group": "story", "index": "document", "assign-topics": "story", "digest": "topic",
    "publish": "post", "sweep": "topic", "notify": "delivery",
}  # fmt: skip
"""The stages in the order of the pipeline, with what each works on."""
STAGE_NAME = re.compile(r"[a-z][a-z-]{0,62}")

StageField = Annotated[str, Form()]
SubjectId = Annotated[int | None, Form(ge=0, le=db.LAST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """What is before a stage; `waiting` holds what is due and what is not, `failed` waits for another try."""

    stage: str
    due: int
    waiting: int
    running: int
    failed: int
    quarantined: int
    next_time: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItemView:
    """A piece of work with what it is about; it has a page of its own where `href` is not empty."""

    work: Waiting
    label: str
    href: str


@router.get("/queue")
@needs("read")
async def queue_page(conn: ReadConn, context: PageContext, stage: str = "") -> Response:
    """All stages; what failed and what is quarantined, of one or all."""
    _check(stage)
    failed = await work.failed(conn, stage=stage or None, limit=SHOWN)
    quarantined = await work.quarantined(conn, stage=stage or None, limit=SHOWN)
    subjects = await work_reads.list_subjects(conn, [*failed, *quarantined])
    rows = _rows(await work.counts(conn))
    return pages.page(
        "queue.html",
        context,
        rows=rows,
        chosen=stage,
        failed=[_piece(each, subjects) for each in failed],
        quarantined=[_piece(each, subjects) for each in quarantined],
        failed_count=sum(row.failed for row in rows if stage in {"", row.stage}),
        quarantined_count=sum(row.quarantined for row in rows if stage in {"", row.stage}),
        plain=_plain,
    )


@router.post("/queue/retry")
@needs("edit")
async def retry(conn: WriteConn, stage: StageField = "", subject: SubjectId = None) -> Response:
    """Make what failed due now: one piece, or all of a stage, or all."""
    _check(stage)
    count = await work.retry_now(conn, stage=stage or None, subjects=_only(subject))
    return pages.redirect_with_notice(_href(stage, subject), notice=f"{_pieces(count)} of work made due now.")


@router.post("/queue/release")
@needs("edit")
async def release(conn: WriteConn, stage: StageField = "", subject: SubjectId = None) -> Response:
    """Let quarantined work try again from the start: one piece, or all of a stage, or all."""
    _check(stage)
    count = await work.release(conn, stage=stage or None, subjects=_only(subject))
    return pages.redirect_with_notice(
        _href(stage, subject), notice=f"{_pieces(count)} of work released to be tried again."
    )


def _plain(told: str) -> str:
    return redaction.redact_text(text.one_line(told))


def _check(stage: str) -> None:
    if stage and not STAGE_NAME.fullmatch(stage):
        raise errors.invalid("stage", f"must be the name of a stage, as {', '.join(SUBJECTS)}")


def _only(subject: int | None) -> Sequence[int] | None:
    return None if subject is None else [subject]


def _href(stage: str, subject: int | None) -> str:
    """Back to the stage whose work was changed as a whole; one piece is one of a list of all."""
    return f"/queue?stage={stage}" if stage and subject is None else "/queue"


def _pieces(count: int) -> str:
    return "1 piece" if count == 1 else f"{count:,} pieces"


def _rows(counts: Iterable[Count]) -> list[StageRow]:
    """One row per stage, in the order of the pipeline; a stage of another version of Scoop stands last."""
    found = {(count.stage, count.state): count for count in counts}
    stages = dict.fromkeys([*SUBJECTS, *(stage for stage, _ in found)])
    return [
        _row(stage, *(found.get((stage, state)) for state in ("waiting", "claimed", "quarantined"))) for stage in stages
    ]


def _row(stage: str, waiting: Count | None, claimed: Count | None, quarantined: Count | None) -> StageRow:
    return StageRow(
        stage=stage,
        due=waiting.due if waiting else 0,
        waiting=waiting.count if waiting else 0,
        running=claimed.count if claimed else 0,
        failed=waiting.failed if waiting else 0,
        quarantined=quarantined.count if quarantined else 0,
        next_time=waiting.next_time if waiting and not waiting.due else None,
    )


def _piece(waiting: Waiting, subjects: dict[tuple[str, int], WorkSubject]) -> WorkItemView:
    about = subjects[waiting.stage, waiting.subject]
    label = about.label or f"{SUBJECTS.get(waiting.stage, 'subject')} {waiting.subject}"
    href = f"/sources/{about.source}" if about.source else f"/stories/{about.story_uuid}" if about.story_uuid else ""
    return WorkItemView(work=waiting, label=label, href=href)
