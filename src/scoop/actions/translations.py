"""Translations: which languages there are, and asking for one."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoop.core.briefs import prompts, translation
from scoop.errors import Conflict, UsageError
from scoop.stages import texts
from scoop.store import briefs, translations
from scoop.store.db import Connection
from scoop.store.reads import documents as document_reads
from scoop.store.translations import Translation, TranslationProgress
from scoop.task_settings import NO_WRITER, TaskSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTranslations:
    """The current translations of a document, and how far those are that were asked for."""

    items: list[Translation]
    asked: list[TranslationProgress]


def has_writer(tasks: Mapping[str, TaskSettings]) -> bool:
    return tasks["translation"].writer != NO_WRITER


def check_language(code: str) -> str:
    """The language of a code such as de; UsageError if texts cannot be asked for in it."""
    asked = prompts.asked_language(code)
    if asked is None:
        languages = ", ".join(prompts.LANGUAGE_NAMES)
        raise UsageError(f"{code[:40]!r} is not a language that texts are written in; there are {languages}")
    return asked


async def list_translations(conn: Connection, document_id: int) -> DocumentTranslations:
    await document_reads.get_document(conn, document_id)
    return DocumentTranslations(
        items=await translations.list_current(conn, document_id),
        asked=await translations.list_progress(conn, document_id),
    )


async def ask(conn: Connection, document_id: int, code: str, *, tasks: Mapping[str, TaskSettings]) -> int:
    """Ask for the translation of a document, inside the caller's transaction; gives the brief."""
    wanted = check_language(code)
    document = await document_reads.get_document(conn, document_id)
    if translation.is_in(document.language, wanted):
        raise Conflict(f"document {document_id} is in {prompts.language_name(wanted)} already")
    if not has_writer(tasks):
        raise Conflict(texts.no_writer("translation"))
    (brief_id,) = await briefs.ask(conn, "translation", "document", {document_id: wanted})
    return brief_id
