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
    """The subject of a work item; `label` is empty if it no longer exists. A text is about an article or an event."""

    label: str
    source: str | None
    story_uuid: UUID | None
    article_id: str | None
    event_uuid: UUID | None

    @property
    def href(self) -> str:
        """Its page; empty if it has none."""
        places = {"sources": self.source, "stories": self.story_uuid, "articles": self.article_id}
        return next((f"/{name}/{key}" for name, key in (places | {"events": self.event_uuid}).items() if key), "")


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
    names = ("label", "source", "story_uuid", "article_id", "event_uuid")
    return {(row["stage"], row["subject"]): WorkSubject(**{name: row[name] for name in names}) for row in rows}
