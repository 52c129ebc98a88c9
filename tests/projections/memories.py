"""A desk whose curators' memory is projected to a Firestore server on the loopback address."""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

from curating import INTERESTS
from projections.synchronised import Synchronised
from scoop.actions import curators
from scoop.core import hashes
from scoop.projections.firestore import Firestore
from scoop.store.db import Database

NOW = datetime.now(UTC).replace(microsecond=123456)
PACIFIC = ZoneInfo("America/Los_Angeles")
MESSAGE = "1234567890123456789"
numbers = count()


def a_projection(endpoint: str, **options: Any) -> Firestore:
    values = {"project": f"desk-{next(numbers)}", "base_url": endpoint}
    return Firestore(Firestore.Options(**(values | options)))


def vendors_client(endpoint: str, project: str) -> firestore.Client:
    """The vendor's client, as other programs use it."""
    with mock.patch.dict(os.environ, {"FIRESTORE_EMULATOR_HOST": endpoint.removeprefix("http://")}):
        return firestore.Client(project=project, credentials=AnonymousCredentials())


@dataclass
class RememberingDesk(Synchronised):
    """Curators by slug, and what they remember."""

    database: Database
    endpoint: str
    projection: Firestore
    topics: dict[str, int] = field(default_factory=dict)

    @property
    def project_id(self) -> str:
        return self.projection.target.split()[1].split("/")[1]

    @property
    def client(self) -> firestore.Client:
        return vendors_client(self.endpoint, self.project_id)

    async def add_curator(self, slug: str = "picks") -> int:
        if slug not in self.topics:
            async with self.database.transaction() as conn:
                added = await curators.add(conn, {"slug": slug, "name": slug}, INTERESTS)
            self.topics[slug] = added.topic_id
        return self.topics[slug]

    async def notify(self, *urls: str, curator: str = "picks", at: datetime = NOW, **columns: Any) -> None:
        """Remember articles as posted."""
        values = {"state": "notified", "notified_at": at, "discord_message_id": MESSAGE, "relevance_score": 85}
        await self._remember(urls, curator, {**values, "evaluated_at": at, **columns})

    async def reject(self, *urls: str, curator: str = "picks", at: datetime = NOW, **columns: Any) -> None:
        values = {"state": "rejected", "reason": "low_relevance", "relevance_score": 35, "evaluated_at": at}
        await self._remember(urls, curator, {**values, **columns})

    async def _remember(self, urls: tuple[str, ...], curator: str, columns: dict[str, Any]) -> None:
        topic_id = await self.add_curator(curator)
        names = ["topic_id", "url", "url_hash", "article_title", *columns]
        marks = ", ".join(f"${number}" for number in range(1, len(names) + 1))
        async with self.database.connection() as conn:
            await conn.executemany(
                f"INSERT INTO evaluations ({', '.join(names)}) VALUES ({marks})",
                [(topic_id, url, hashes.sha256(url), f"About {url}", *columns.values()) for url in urls],
            )

    def documents(self) -> dict[str, dict[str, Any]]:
        """All documents of both collections by path, as the vendor's client reads them."""
        collections = [self.client.collection(name) for name in ("notified_articles", "rejected_articles")]
        found = [snapshot for each in collections for snapshot in each.stream()]
        return {snapshot.reference.path: snapshot.to_dict() for snapshot in found}


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)
