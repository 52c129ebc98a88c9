"""Summaries as the command line lists them: those that were asked for, and those to make again."""

from dataclasses import dataclass
from datetime import datetime

from scoop.model import SummaryState
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.summaries import SummarySubject

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSummary:
    """A summary that was asked for, its state, and its current version if there is one."""

    brief_id: int
    subject_kind: SummarySubject
    subject_id: int
    public_id: str | None
    title: str
    asked_language: str
    asked_at: datetime
    state: SummaryState
    problem: str | None
    next_try_at: datetime | None
    version: int | None
    language: str | None
    provider: str | None
    model: str | None
    prompt_version: str | None
    generated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSummary:
    """The brief of a current summary, with what to ask for to get it again."""

    brief_id: int
    subject_kind: SummarySubject
    subject_id: int
    asked_language: str


async def list_rows(
    conn: Connection, *, state: SummaryState | None, subject_kind: SummarySubject | None, limit: int
) -> list[AskedSummary]:
    """The summaries that were asked for, the latest first."""
    return [AskedSummary(**row) for row in await conn.fetch(SQL["rows"], state, subject_kind, limit, StageName.WRITE)]


async def list_made_since(conn: Connection, since: datetime, *, prompt_version: str | None) -> list[MadeSummary]:
    """The current summaries that were made since a moment, by one prompt version or any."""
    return [MadeSummary(**row) for row in await conn.fetch(SQL["made_since"], since, prompt_version)]
