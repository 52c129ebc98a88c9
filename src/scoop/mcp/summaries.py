"""Summaries as the tools of the MCP server give them: text with source numbers, and the numbered sources."""

from datetime import datetime

from pydantic import BaseModel

from scoop.core import display_names, summaries, text
from scoop.store.reads.summaries import NumberedPassage, SummaryReport


class McpSummarySource(BaseModel, frozen=True):
    """A source of a summary, with the first passage that a sentence rests on."""

    number: int
    document_id: int
    source_name: str
    url: str | None
    untrusted_passage: str


class McpSummary(BaseModel, frozen=True):
    """A summary; the numbers in brackets after a sentence are those of its sources."""

    untrusted_summary: str
    language: str
    disclaimer: str
    generated_at: datetime
    sources: list[McpSummarySource]


def describe(report: SummaryReport) -> McpSummary | None:
    """The summary of a report; None if there is none."""
    if report.language is None or report.disclaimer is None or report.generated_at is None:
        return None
    return McpSummary(
        untrusted_summary=text.readable(summaries.numbered_text(report.sentences)),
        language=report.language,
        disclaimer=report.disclaimer,
        generated_at=report.generated_at,
        sources=[_source(source) for source in report.sources],
    )


def _source(source: NumberedPassage) -> McpSummarySource:
    return McpSummarySource(
        number=source.number,
        document_id=source.document_id,
        source_name=display_names.outlet_name(source.source, source.source_name),
        url=source.url,
        untrusted_passage=text.one_line(source.passage),
    )
