"""The subjects of queued work, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from scoop.store import db
from scoop.store.db import Connection
from scoop.store.work import Waiting

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSubject:
    """The subject of a work item; `label` is empty if it no longer exists."""

    label: str
    source: str | None
    story_uuid: UUID | None


async def list_subjects(conn: Connection, waiting: Sequence[Waiting]) -> dict[tuple[str, int], WorkSubject]:
    """The subjects of work items, by stage and subject."""
    if not waiting:
        return {}
    rows = await conn.fetch(
        SQL["subjects"],
        [item.stage for item in waiting],
        [item.subject for item in waiting],
        [item.subject_kind for item in waiting],
    )
    return {
        (row["stage"], row["subject"]): WorkSubject(
            label=row["label"], source=row["source"], story_uuid=row["story_uuid"]
        )
        for row in rows
    }
