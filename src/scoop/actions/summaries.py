"""Summaries on demand: in which languages they are shown and written, and who may have one tried again."""

from collections.abc import Sequence

from scoop.actions import translations
from scoop.core.briefs import prompts
from scoop.errors import Conflict
from scoop.stages.summaries import SummaryPolicy
from scoop.store import briefs, summaries
from scoop.store.db import Connection
from scoop.store.reads import articles
from scoop.store.reads.articles import ArticleRow
from scoop.store.summaries import SummarySubject
from scoop.task_settings import NO_WRITER

LOCAL_WRITER = "local"
DESK = "desk"  # asks for the summary in the language of the desk, whatever the person's setting is
NEEDS_WRITER = "no writer is set for summaries: set writer in [tasks.summary] (SCOOP_TASKS_SUMMARY_WRITER)"
NEEDS_MODEL = (
    "the local writer quotes the articles and cannot translate: set a writer with a model in [tasks.summary] "
    "(SCOOP_TASKS_SUMMARY_WRITER); docs/howto/writers.md explains how"
)


def preferred_languages(chosen: str, own: str, desk_language: str) -> Sequence[str]:
    """The languages to show a summary in, the best first: the chosen one, else the person's own, then the desk's."""
    if chosen == DESK or (chosen and chosen == desk_language):
        return (desk_language,)
    best = prompts.asked_language(chosen) or own
    return tuple(dict.fromkeys((best or desk_language, desk_language)))


def preferred_article_languages(own: str, policy: SummaryPolicy) -> Sequence[str]:
    """The languages to show the summaries of articles in, the best first: the person's own, then those of the desk."""
    best = prompts.asked_language(own)
    return tuple(dict.fromkeys([best, *policy.languages] if best else policy.languages))


async def ask(
    conn: Connection,
    subject_kind: SummarySubject,
    subject_id: int,
    *,
    language: str,
    desk_language: str,
    writer: str,
    may_retry: bool,
) -> str:
    """Ask for a summary in a language (empty: the desk's), inside the caller's transaction; gives that language.

    One that was asked for before is not asked for again, except by a person who `may_retry` a failed or old one.
    """
    wanted = _check_language(language, desk_language, writer)
    progress = (await summaries.list_progress_by_language(conn, subject_kind, subject_id)).get(wanted)
    if progress is None or (may_retry and progress.state != "pending_summary"):
        await briefs.ask(conn, "summary", subject_kind, {subject_id: wanted})
    return wanted


async def ask_about_article(
    conn: Connection, article_id: str, *, policy: SummaryPolicy, writer: str, source: str | None = None
) -> ArticleRow:
    """Let the summary of an article be written now, or tried again; Conflict if it has no text."""
    row = (await articles.get_article(conn, article_id, source=source, max_characters=0)).row
    if not row.has_text:
        raise Conflict("the article has no text, or one that is too short to summarise")
    language = policy.language_of(row.collection)
    await ask(conn, "document", row.document_id, language="", desk_language=language, writer=writer, may_retry=True)
    return row


def _check_language(language: str, desk_language: str, writer: str) -> str:
    if writer == NO_WRITER:
        raise Conflict(NEEDS_WRITER)
    if language in {"", DESK, desk_language}:
        return desk_language
    asked = translations.check_language(language)  # a variant is no other text: readers would pay for each
    if asked != desk_language and writer == LOCAL_WRITER:
        raise Conflict(NEEDS_MODEL)
    return asked
