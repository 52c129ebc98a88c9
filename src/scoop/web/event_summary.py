"""The summary on an event's page: what is shown of it, its languages, its versions, and asking for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Form, Response
from starlette.responses import RedirectResponse

from scoop.actions import summaries as actions
from scoop.http import routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn
from scoop.http.errors import Unauthenticated
from scoop.http.routes import needs
from scoop.store.reads import events as event_reads
from scoop.store.reads import summaries as reads
from scoop.store.reads.event_page import EventPage
from scoop.store.reads.events import LanguageOf
from scoop.store.reads.summaries import CitedSentence, SummaryReport
from scoop.store.summaries import SummaryProgress
from scoop.task_settings import NO_WRITER
from scoop.web import labels, pages
from scoop.web.article import passage_href
from scoop.web.context import Context, PageContext

router = routes.for_pages()

MAX_LANGUAGE = 35  # characters of a language tag

WriterKind = Literal["none", "local", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLanguage:
    """A summary that exists in another language, and its address."""

    name: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView:
    """What the page shows of a summary.

    `progress` is that of the language that the reader wants, while it is not what is shown; `wanted` is its name in
    a sentence, empty for the language of the desk.
    """

    report: SummaryReport
    paragraphs: list[list[CitedSentence]]
    progress: SummaryProgress | None
    wanted: str
    writer: WriterKind
    others: list[OtherLanguage]
    choices: list[tuple[str, str]]
    chosen: str

    @property
    def is_pending(self) -> bool:
        return self.progress is not None and self.progress.state == "pending_summary"


def languages(desk: Desk, context: Context, collection: str, chosen: str) -> Sequence[str]:
    """The languages in which this reader sees a summary, the best first."""
    own = context.visitor.language
    return actions.preferred_languages(chosen[:MAX_LANGUAGE], own, desk.summary_policy.language_of(collection))


def language_of(desk: Desk, context: Context) -> LanguageOf:
    """The language of this reader by the collection of an event, empty for any."""
    return lambda collection: languages(desk, context, collection, "")[0]


def view(desk: Desk, context: Context, page: EventPage, chosen: str) -> SummaryView:
    """The summary of an event as this reader sees it."""
    report, progress = page.summary.report, page.summary.progress_by_language
    best, *_ = languages(desk, context, page.event.collection, chosen)
    is_shown = report.text is not None and best in {report.language, report.asked_language}
    shown_code = report.asked_language if report.text is not None else None
    here = f"/events/{page.event.event_uuid}"
    return SummaryView(
        report=report,
        paragraphs=_paragraphs(report),
        progress=None if is_shown else progress.get(best),
        wanted=labels.language_name(best) if best and report.text is not None else "",
        writer=_writer(desk),
        others=[
            OtherLanguage(name=_language(code), href=f"{here}?language={code or actions.DESK}#summary")
            for code, known in progress.items()
            if known.state == "summarized" and code != shown_code
        ],
        choices=[(code, name) for code, name in labels.LANGUAGES.items() if code not in progress],
        chosen=best,
    )


def _language(code: str) -> str:
    return labels.language_name(code) if code else "original language"


def _writer(desk: Desk) -> WriterKind:
    if desk.summary_writer == NO_WRITER:
        return "none"
    return "local" if desk.summary_writer == actions.LOCAL_WRITER else "model"


def _paragraphs(report: SummaryReport) -> list[list[CitedSentence]]:
    return [list(sentences) for _, sentences in groupby(report.sentences, key=lambda sentence: sentence.paragraph)]


@router.post("/events/{event_uuid}/summary")
@needs("read")
async def ask_for_summary(
    desk: CurrentDesk,
    by: CurrentVisitor,
    event_uuid: UUID,
    language: Annotated[str, Form()] = "",
) -> Response:
    """Ask for the summary of an event in a language; the page shows how far it is."""
    if not by.is_known:
        raise Unauthenticated
    async with desk.writing() as conn:
        event = await event_reads.get_event(conn, str(event_uuid))
        wanted = await actions.ask(
            conn,
            "event",
            event.event_id,
            language=language[:MAX_LANGUAGE],
            desk_language=desk.summary_policy.language_of(event.collection),
            writer=desk.summary_writer,
            may_retry="edit" in by.rights,
        )
    path = f"/events/{event.event_uuid}?language={wanted or actions.DESK}#summary"
    return RedirectResponse(path, status_code=HTTPStatus.SEE_OTHER)


@router.get("/events/{event_uuid}/summaries")
@needs("read")
async def versions_page(conn: ReadConn, context: PageContext, event_uuid: UUID) -> Response:
    """All versions of an event's summaries; a merged event redirects to the one that it became part of."""
    event = await event_reads.get_event(conn, str(event_uuid))
    if event.event_uuid != event_uuid:
        return RedirectResponse(f"/events/{event.event_uuid}/summaries", status_code=HTTPStatus.FOUND)
    reports = await reads.list_reports(conn, "event", event.event_id)
    versions = [(report, _paragraphs(report)) for report in reports]
    return pages.page("event_summaries.html", context, event=event, versions=versions, passage_href=passage_href)
