"""Pages of articles: the latest with the beginning of their summaries, and one with its summary and text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Form, Path, Query, Response

from scoop.actions import summaries as summary_actions
from scoop.actions.lessons import why_none
from scoop.core import disclaimers, highlights
from scoop.core.briefs import summary as summary_brief
from scoop.core.briefs import translation as translation_brief
from scoop.core.shapes.summanow import MAX_BODY
from scoop.http import errors, pagination, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import Summary
from scoop.store import translations
from scoop.store.db import Connection
from scoop.store.reads import articles as article_reads
from scoop.store.reads import evaluations as evaluation_reads
from scoop.store.reads import slices
from scoop.store.reads.articles import ArticleRow
from scoop.store.reads.slices import ListSlice
from scoop.web import pages, translation_offer
from scoop.web.article import marked_range
from scoop.web.context import Context, PageContext
from scoop.web.translation_offer import TranslationOffer

router = routes.for_pages()

PAGE = 30
SHOWN_FOR = timedelta(hours=48)
SHOWN_SENTENCES = 2  # of a summary, in the list
LEAD_CHARACTERS = 400  # read of an article without a summary
CATEGORIES = (("", "all"), ("news", "news"), ("press_release", "press releases"))

ArticleId = Annotated[str, Path(pattern="^art_[0-9a-f]{32}$")]
SourceParam = Annotated[str, Query(max_length=128)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilter:
    """Filters of the list of articles."""

    source: str = ""
    category: str = ""

    def href(self, *, before: str = "") -> str:
        chosen = {"source": self.source, "category": self.category, "before": before}
        query = urlencode({name: value for name, value in chosen.items() if value})
        return f"/articles?{query}" if query else "/articles"

    def api_href(self, since: datetime) -> str:
        """The same articles over the API, which does not know categories."""
        site = {"siteId": self.source} if self.source else {}
        return f"/api/articles?{urlencode({'since': since.isoformat(), **site})}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePassage:
    """A passage of the article that a sentence of its summary rests on; `number` counts the passages from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleSentence:
    """A sentence of a summary with its passages."""

    text: str
    passages: list[ArticlePassage]


@router.get("/articles")
@needs("read")
async def articles_page(
    conn: ReadConn,
    desk: CurrentDesk,
    context: PageContext,
    source: SourceParam = "",
    category: str = "",
    before: str | None = None,
) -> Response:
    """The articles of the last 48 hours: all, or of one source or category."""
    choice = _filter(source, category)
    since = context.now - SHOWN_FOR
    listed = await article_reads.list_articles(
        conn,
        ListSlice(since=since, before=_cursor(before), limit=PAGE + 1),
        source=choice.source or None,
        category=choice.category or None,
        languages=_languages(desk, context),
        max_characters=LEAD_CHARACTERS,
        is_once=True,
    )
    page = pagination.paginate(listed, PAGE, lambda article: (article.row.seen_at, article.row.document_id))
    return pages.page(
        "articles.html",
        context,
        articles=page.items,
        choice=choice,
        since=since,
        sources=[("", "all"), *await article_reads.list_sources_since(conn, since)],
        CATEGORIES=CATEGORIES,
        older=choice.href(before=page.next_cursor) if page.next_cursor else "",
        is_first=before is None,
        first_sentences=_first_sentences,
        href=article_href,
    )


@router.get("/articles/{article_id}")
@needs("read")
async def article_page(
    conn: ReadConn,
    desk: CurrentDesk,
    context: PageContext,
    article_id: ArticleId,
    source: SourceParam = "",
    mark: str = "",
) -> Response:
    """One article with its summary and a passage marked; of the first source if several have its URL."""
    article = await article_reads.get_article(
        conn,
        article_id,
        source=_source(source) or None,
        languages=_languages(desk, context),
        max_characters=MAX_BODY,
    )
    summary = article.summary
    return pages.page(
        "articles_one.html",
        context,
        article=article,
        row=article.row,
        paragraphs=highlights.mark_passage(article.row.body_text, *marked_range(mark)),
        summary_paragraphs=_summary_paragraphs(summary) if summary else [],
        passage_href=passage_href,
        disclaimer=disclaimers.disclaimer(summary.disclaimer_id, summary.language) if summary else None,
        is_cut=article.row.characters > MAX_BODY,
        has_lessons=not why_none(desk.lesson_writer, article.row.language),
        verdicts=await evaluation_reads.list_verdicts(conn, [article.row.document_id]),
        translation=await _translation(conn, desk, context, article.row),
    )


@router.post("/articles/{article_id}/summary")
@needs("edit")
async def ask_for_summary(
    conn: WriteConn, desk: CurrentDesk, article_id: ArticleId, source: Annotated[str, Form()] = ""
) -> Response:
    """Let the summary of an article be written now, or tried again."""
    row = await summary_actions.ask_about_article(
        conn, article_id, source=_source(source) or None, policy=desk.summary_policy, writer=desk.summary_writer
    )
    notice = "The summary is due now. Reload the page in a moment."
    return pages.redirect_with_notice(article_href(row), notice=notice)


async def _translation(conn: Connection, desk: Desk, context: Context, row: ArticleRow) -> TranslationOffer | None:
    if row.story_uuid is None:
        return None
    preferred = context.visitor.language or desk.summary_policy.language_of(row.collection)
    is_whole = row.characters <= MAX_BODY
    return translation_offer.offer(
        desk,
        story_uuid=row.story_uuid,
        document_id=row.document_id,
        language=row.language,
        preferred=preferred,
        made=await translations.find_current(conn, row.document_id, preferred, from_language=row.language),
        text_hash=translation_brief.text_hash(row.title, row.body_text).hex() if is_whole else None,
    )


def _languages(desk: Desk, context: Context) -> Sequence[str]:
    return summary_actions.preferred_article_languages(context.visitor.language, desk.summary_policy)


def article_href(row: ArticleRow) -> str:
    """The page of an article; two sources may have the same one."""
    return f"/articles/{row.article_id}?source={quote(row.source)}"


def passage_href(row: ArticleRow, passage: ArticlePassage) -> str:
    """The page of an article, opened at a passage."""
    return f"{article_href(row)}&mark={passage.start}-{passage.end}#passage"


def _summary_paragraphs(summary: Summary) -> list[list[ArticleSentence]]:
    """The sentences by paragraph; a passage that two sentences rest on has one number."""
    numbers: dict[tuple[int, int], int] = {}
    return [
        [
            ArticleSentence(
                text=sentence.text,
                passages=[
                    ArticlePassage(
                        number=numbers.setdefault((cited.start, cited.end), len(numbers) + 1),
                        start=cited.start,
                        end=cited.end,
                    )
                    for cited in sentence.citations
                ],
            )
            for sentence in sentences
        ]
        for _, sentences in groupby(summary.sentences, key=lambda sentence: sentence.paragraph)
    ]


def _filter(source: str, category: str) -> ArticleFilter:
    if category not in dict(CATEGORIES):
        raise errors.invalid("category", f"must be one of {', '.join(name for name, _ in CATEGORIES if name)}")
    return ArticleFilter(source=_source(source), category=category)


def _source(source: str) -> str:
    if not source.isprintable():
        raise errors.invalid("source", "must be the slug of a source")
    return source.strip()


def _cursor(before: str | None) -> slices.Cursor:
    position = pagination.decode_cursor(before, datetime, int)
    return (position[0], position[1]) if position else slices.END


def _first_sentences(summary: Summary) -> str:
    return summary_brief.as_text(summary.sentences[:SHOWN_SENTENCES], summary.language).replace("\n\n", " ")
