"""Projection plugins, one file each: the desk's data written to another store, in the form of that store."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, runtime_checkable
from uuid import UUID

from scoop.core.projection_plans import Facts, ProjectedKind, Record, Upsert
from scoop.core.sentiment_cache import Period, SentimentCacheEntry


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
class SentimentDocuments(Protocol):
    """A projection whose store the API can read cached sentiment from."""

    async def find_entry(self, tool_id: UUID, period: Period) -> SentimentCacheEntry | None:
        """The entry of a tool and period, by one point read; InvalidEntry if it breaks a rule."""
        ...

    async def drop_entries(self, tool_id: UUID) -> None:
        """Delete the entries of a tool."""
        ...
