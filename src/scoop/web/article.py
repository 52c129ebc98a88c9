"""The reader view: the text of one document, and its translations."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Form, Path, Request, Response
from starlette.responses import RedirectResponse

from scoop.actions import translations as translation_actions
from scoop.actions.lessons import why_none
from scoop.core import highlights
from scoop.core.briefs import translation
from scoop.http import auth, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.routes import needs
from scoop.store import translations
from scoop.store.db import Connection
from scoop.store.reads import documents as document_reads
from scoop.store.reads import events as event_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads.documents import ReaderArticle
from scoop.store.translations import Translation, TranslationProgress
from scoop.web import labels, pages, translation_offer
from scoop.web.context import Context, PageContext

router = routes.for_pages()

DocumentId = Annotated[int, Path(ge=1, le=2**63 - 1)]
View = Literal["both", "translation"]
_MARK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationPanel:
    """The translations of an article: the one that is shown, and what can be asked for.

    `asked` is how far the one is that the address names; `languages` are those to choose from, `preferred` first.
    """

    shown: Translation | None
    view: View
    is_outdated: bool
    asked: TranslationProgress | None
    others: list[Translation]
    languages: dict[str, str]
    preferred: str
    has_writer: bool
    max_characters: int = translation.MAX_CHARACTERS


@router.get("/stories/{story_uuid}/read/{document_id}")
@needs("read")
async def article_page(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    context: PageContext,
    story_uuid: UUID,
    document_id: DocumentId,
    language: str = "",
    view: View = "both",
    mark: str = "",
) -> Response:
    """The text of a document with a passage marked; a merged story redirects to the one that it became part of."""
    story = await story_reads.get_surviving(conn, str(story_uuid))
    start, end = marked_range(mark)
    if story.story_uuid != story_uuid:
        marked = f"?mark={start}-{end}#passage" if end else ""
        return RedirectResponse(f"/stories/{story.story_uuid}/read/{document_id}{marked}", status_code=HTTPStatus.FOUND)
    event = await event_reads.get_event_of_story(conn, story.story_id)
    article = await document_reads.get_reader_article(conn, story.story_id, document_id)
    preferred = _preferred(context, desk, request.headers.get("accept-language", ""))
    return pages.page(
        "article.html",
        context,
        event=event,
        story=story,
        article=article,
        paragraphs=highlights.mark_passage(article.body_text, start, end),
        has_lessons=not why_none(desk.lesson_writer, article.language),
        panel=await _panel(conn, article, desk, language=language, view=view, preferred=preferred),
    )


def passage_href(story_uuid: UUID, document_id: int, start: int, end: int) -> str:
    """The reader view of a document, opened at a passage."""
    return f"/stories/{story_uuid}/read/{document_id}?mark={start}-{end}#passage"


def marked_range(mark: str) -> tuple[int, int]:
    """The range of characters in an address; an empty one for anything else."""
    match = _MARK.fullmatch(mark)
    return (int(match[1]), int(match[2])) if match else (0, 0)


@router.post("/stories/{story_uuid}/read/{document_id}/translate")
@needs("read")
async def translate(
    request: Request,
    desk: CurrentDesk,
    context: PageContext,
    story_uuid: UUID,
    document_id: DocumentId,
    language: Annotated[str, Form(max_length=20)],
) -> Response:
    """Ask for a translation and return to the article."""
    if not context.visitor.is_known:
        raise auth.unauthenticated(request)
    async with desk.writing() as conn:
        await translation_actions.ask(conn, document_id, language, tasks=desk.config.tasks)
    wanted = translation_actions.check_language(language)
    return pages.redirect_with_notice(
        f"/stories/{story_uuid}/read/{document_id}?language={wanted}",
        notice=f"Translation into {labels.language_name(wanted)} requested. Reload this page in a moment.",
    )


async def _panel(
    conn: Connection, article: ReaderArticle, desk: Desk, *, language: str, view: View, preferred: str
) -> TranslationPanel:
    made = await translations.list_current(conn, article.document_id)
    shown = next((each for each in made if each.language == language), None)
    asked = [each for each in await translations.list_progress(conn, article.document_id) if each.language == language]
    hashed = translation.text_hash(article.title, article.body_text).hex()
    return TranslationPanel(
        shown=shown,
        view=view,
        is_outdated=shown is not None and shown.text_hash != hashed,
        asked=next(iter(asked), None),
        others=[each for each in made if each is not shown],
        languages=translation_offer.languages_for(article.language),
        preferred=preferred,
        has_writer=translation_actions.has_writer(desk.config.tasks),
    )


def _preferred(context: Context, desk: Desk, accepted: str) -> str:
    """The reader's language: their own setting, else that of the desk, else that of the browser."""
    return (context.visitor.language or desk.config.summary_language or accepted[:2].lower()).partition("-")[0]
