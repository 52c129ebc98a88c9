"""The queue page: work per stage, failed and quarantined work with the reason, retry and release."""

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
from scoop.stage_names import StageName
from scoop.store import db, projections, work
from scoop.store.reads import work as work_reads
from scoop.store.reads.work import WorkSubject
from scoop.store.work import Count, Waiting
from scoop.web import labels, pages
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN = 100
STAGE_NAME = re.compile(r"[a-z][a-z-]{0,62}")

StageField = Annotated[str, Form()]
SubjectId = Annotated[int | None, Form(ge=0, le=db.LAST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """The work of a stage. `waiting` includes what is due and what failed."""

    stage: str
    due: int
    waiting: int
    running: int
    failed: int
    quarantined: int
    next_time: datetime | None

    @property
    def is_empty(self) -> bool:
        return not self.waiting and not self.running and not self.quarantined


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItemView:
    """A work item with what it is about and why it failed; `href` is the page of its subject, or empty."""

    work: Waiting
    label: str
    href: str
    reason: str


@router.get("/queue")
@needs("read")
async def queue_page(conn: ReadConn, context: PageContext, stage: str = "") -> Response:
    """Counts of all stages; the failed and quarantined work of one stage or all."""
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
        failed=[_work_item(item, subjects) for item in failed],
        quarantined=[_work_item(item, subjects) for item in quarantined],
        failed_count=sum(row.failed for row in rows if stage in {"", row.stage}),
        quarantined_count=sum(row.quarantined for row in rows if stage in {"", row.stage}),
        empty_count=sum(row.is_empty for row in rows),
        feeds=await projections.list_states(conn),
        plain=_plain,
    )


@router.post("/queue/retry")
@needs("edit")
async def retry(conn: WriteConn, stage: StageField = "", subject: SubjectId = None) -> Response:
    """Make failed work due now: one item, all of a stage, or all."""
    _check(stage)
    count = await work.retry_now(conn, stage=stage or None, subjects=_only(subject))
    return pages.redirect_with_notice(_href(stage, subject), notice=f"{_work_items(count)} made due now.")


@router.post("/queue/release")
@needs("edit")
async def release(conn: WriteConn, stage: StageField = "", subject: SubjectId = None) -> Response:
    """Release quarantined work: one item, all of a stage, or all."""
    _check(stage)
    count = await work.release(conn, stage=stage or None, subjects=_only(subject))
    return pages.redirect_with_notice(_href(stage, subject), notice=f"{_work_items(count)} released.")


def _plain(message: str) -> str:
    return redaction.redact_text(text.one_line(message))


def _check(stage: str) -> None:
    if stage and not STAGE_NAME.fullmatch(stage):
        raise errors.invalid("stage", f"must be the name of a stage: {', '.join(StageName)}")


def _only(subject: int | None) -> Sequence[int] | None:
    return None if subject is None else [subject]


def _href(stage: str, subject: int | None) -> str:
    """The list that the change was made in: of one stage where all of it changed, else of all stages."""
    return f"/queue?stage={stage}" if stage and subject is None else "/queue"


def _work_items(count: int) -> str:
    return "1 work item" if count == 1 else f"{count:,} work items"


def _rows(counts: Iterable[Count]) -> list[StageRow]:
    """One row per stage, in the order of the pipeline, and then any stages of another version of Scoop."""
    count_of = {(count.stage, count.state): count for count in counts}
    stages = dict.fromkeys([*StageName, *(stage for stage, _ in count_of)])
    return [
        _row(stage, *(count_of.get((stage, state)) for state in ("waiting", "claimed", "quarantined")))
        for stage in stages
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


def _work_item(waiting: Waiting, subjects: dict[tuple[str, int], WorkSubject]) -> WorkItemView:
    about = subjects[waiting.stage, waiting.subject]
    label = about.label or f"{waiting.subject_kind or 'subject'} {waiting.subject}"
    return WorkItemView(work=waiting, label=label, href=about.href, reason=_reason(waiting))


def _reason(waiting: Waiting) -> str:
    """Why work failed; the problem of a text has advice to its model, which is left out."""
    if waiting.error is None:
        return "-"
    if waiting.stage == StageName.WRITE:
        return labels.failure_reason(waiting.error)
    return text.truncated(_plain(waiting.error), labels.REASON_CHARACTERS)
