"""Summaries as every interface shows them: sentences with their passages, and how far the text is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from scoop.core import disclaimers
from scoop.model import Citation, LeftOutSentence, Summary, SummarySentence, SummaryState
from scoop.store import summaries
from scoop.store.db import Connection
from scoop.store.summaries import CitedPassage, SummaryProgress, SummarySubject

NOT_ASKED = SummaryProgress(state="pending_summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPassage(CitedPassage):
    """A cited passage with the number of its document in the list of sources, from 1."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """A sentence of a summary with the passages that it rests on."""

    text: str
    paragraph: int
    citations: list[NumberedPassage]

    @property
    def numbers(self) -> list[int]:
        return list(dict.fromkeys(citation.number for citation in self.citations))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReport:
    """A summary with its sources, and how far it is; `text` and what belongs to it are null while there is none.

    `state` is pending_summary, summarized or summary_failed. `problem` says why the last attempt gave no text,
    `next_try_at` when the next one is. `asked_at` is null if nobody asked for it. `left_out` has the sentences that
    the sources do not support, with the reasons, for editors who list all versions.
    """

    text: str | None = None
    sentences: list[CitedSentence]
    left_out: list[LeftOutSentence]
    sources: list[NumberedPassage]
    language: str | None = None
    asked_language: str | None = None
    version: int | None = None
    provider: str | None = None
    model: str | None = None
    prompt: str | None = None
    confidence: float | None = None
    disclaimer_id: str | None = None
    disclaimer: str | None = None
    disclaimer_language: str | None = None
    generated_at: datetime | None = None
    state: SummaryState
    asked_at: datetime | None = None
    problem: str | None = None
    next_try_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOnPage:
    """The summary that a page shows, and how far those in other languages are, by the language asked for."""

    report: SummaryReport
    progress_by_language: Mapping[str, SummaryProgress]


async def get_report(
    conn: Connection, subject_kind: SummarySubject, subject_id: int, *, languages: Sequence[str]
) -> SummaryReport:
    """The summary of a subject in the first of these languages that there is, else in any; and how far it is."""
    return replace((await get_for_page(conn, subject_kind, subject_id, languages=languages)).report, left_out=[])


async def get_for_page(
    conn: Connection, subject_kind: SummarySubject, subject_id: int, *, languages: Sequence[str]
) -> SummaryOnPage:
    """The same with the sentences that were left out, and how far the summaries in all languages are."""
    current = await summaries.list_current(conn, subject_kind, [subject_id], languages=languages)
    progress = await summaries.list_progress_by_language(conn, subject_kind, subject_id)
    wanted = next((progress[language] for language in languages if language in progress), NOT_ASKED)
    if (summary := current.get(subject_id)) is None:
        return SummaryOnPage(report=_without_text(wanted), progress_by_language=progress)
    [report] = await _reports(conn, [summary], progress)
    return SummaryOnPage(report=report, progress_by_language=progress)


async def list_reports(conn: Connection, subject_kind: SummarySubject, subject_id: int) -> list[SummaryReport]:
    """All versions of the summaries of a subject in all languages, the newest first."""
    versions = await summaries.list_versions(conn, subject_kind, subject_id)
    progress = await summaries.list_progress_by_language(conn, subject_kind, subject_id)
    return await _reports(conn, versions, progress)


async def _reports(
    conn: Connection, found: Sequence[Summary], progress: Mapping[str, SummaryProgress]
) -> list[SummaryReport]:
    cited = [citation for summary in found for sentence in summary.sentences for citation in sentence.citations]
    passages = await summaries.list_passages(conn, cited)
    return [_report(summary, passages, progress.get(summary.asked_language, NOT_ASKED)) for summary in found]


def _without_text(progress: SummaryProgress) -> SummaryReport:
    return SummaryReport(
        sentences=[],
        left_out=[],
        sources=[],
        state="pending_summary" if progress.state == "summarized" else progress.state,
        asked_at=progress.asked_at,
        problem=progress.problem,
        next_try_at=progress.next_try_at,
    )


def _report(summary: Summary, passages: Mapping[Citation, CitedPassage], progress: SummaryProgress) -> SummaryReport:
    number_by_document = {document_id: number for number, document_id in enumerate(summary.document_ids, start=1)}
    sentences = [_sentence(sentence, passages, number_by_document) for sentence in summary.sentences]
    first = {passage.number: passage for each in reversed(sentences) for passage in reversed(each.citations)}
    disclaimer = disclaimers.disclaimer(summary.disclaimer_id, summary.language)
    return SummaryReport(
        text=summary.summary_text,
        sentences=sentences,
        left_out=list(summary.left_out),
        sources=[first[number] for number in sorted(first)],
        language=summary.language,
        asked_language=summary.asked_language,
        version=summary.version,
        provider=summary.provider,
        model=summary.model,
        prompt=f"{summary.prompt_id}@{summary.prompt_version}",
        confidence=round(summary.confidence, 4),
        disclaimer_id=summary.disclaimer_id,
        disclaimer=disclaimer.text,
        disclaimer_language=disclaimer.language,
        generated_at=summary.generated_at,
        state="summarized",
        asked_at=progress.asked_at,
        problem=progress.problem,
        next_try_at=progress.next_try_at,
    )


def _sentence(
    sentence: SummarySentence, passages: Mapping[Citation, CitedPassage], number_by_document: Mapping[int, int]
) -> CitedSentence:
    """A sentence with its passages; those of documents that are gone are left out."""
    cited = [passages[citation] for citation in sentence.citations if citation in passages]
    return CitedSentence(
        text=sentence.text,
        paragraph=sentence.paragraph,
        citations=[
            NumberedPassage(**asdict(passage), number=number_by_document[passage.document_id])
            for passage in cited
            if passage.document_id in number_by_document
        ],
    )
