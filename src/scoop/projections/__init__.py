"""Projection plugins, one file each: the desk's data written to another store, in the form of that store."""

from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Protocol, runtime_checkable
from uuid import UUID

from scoop.core.projection_plans import Facts, ProjectedKind, Record, Upsert
from scoop.core.sentiment_cache import Period, SentimentCacheEntry
from scoop.core.shapes.listening import LearnerFacts, Shape
from scoop.model import Level


class Projection(Protocol):
    """Writes records to a store; made with its options.

    `waits`: it waits for the network. `subjects` are the kinds of records that it wants. `files` are names of files in
    the folder `files` beside it, which operators give to the tools of the store. `target` (of an instance) is the
    place that it writes to; another one gets all records again. Writes are repeated after a crash: they must be
    harmless then.
    """

    name: str
    waits: bool
    subjects: tuple[ProjectedKind, ...]
    files: tuple[str, ...]

    @property
    def target(self) -> str: ...

    def record(self, facts: Facts) -> Record:
        """The record of a subject; Reject if the store cannot hold it."""
        ...

    async def prepare(self) -> None:
        """Check that the store is there, or create it; ConfigError says what to do."""
        ...

    async def upsert(self, batch: Sequence[Upsert]) -> None:
        """Write records, and remove their stale keys together with that."""
        ...

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete records; a missing one is not an error."""
        ...

    def list_keys(self) -> AsyncIterator[Sequence[str]]:
        """The keys of all records in the store, in pages."""
        ...


@runtime_checkable
class ListeningDocuments(Protocol):
    """A projection whose store the older listening API can be read from; it gives the shapes of that API."""

    async def list_articles(self, days: Sequence[date]) -> list[Shape]:
        """The articles of these dates in Japan, in any order."""
        ...

    async def find_article(self, article_id: str) -> Shape | None: ...

    async def find_text(self, article_id: str, level: Level) -> Shape | None: ...

    async def find_user(self, user_id: int) -> Shape | None: ...

    async def put_user(self, learner: LearnerFacts) -> None:
        """Write the settings of a learner at once, before the next pass does: the next read must have them."""
        ...


@runtime_checkable
class SentimentDocuments(Protocol):
    """A projection whose store the API can read cached sentiment from."""

    async def find_entry(self, tool_id: UUID, period: Period) -> SentimentCacheEntry | None:
        """The entry of a tool and period, by one point read; InvalidEntry if it breaks a rule."""
        ...

    async def drop_entries(self, tool_id: UUID) -> None:
        """Delete the entries of a tool."""
        ...
