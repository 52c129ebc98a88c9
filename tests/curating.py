"""A curator on a database, whose articles the newsstand's model evaluates."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from builders import an_item, told
from scoop import channels as kinds_of_channels
from scoop import plugins
from scoop.actions import curator_files
from scoop.actions import curators as actions
from scoop.core.interests import Interest, Interests
from scoop.fetch.client import open_client
from scoop.model import ChannelSettings
from scoop.stage_names import StageName
from scoop.stages import curate, digest, publish
from scoop.stages.digest import DigestOrder
from scoop.stages.stage import Worker, run_batch
from scoop.store import curators, evaluations, topics, work
from scoop.store.db import Database
from scoop.store.digests import RunEntry, list_entries
from scoop.store.evaluations import Evaluation
from writing import Desk, a_desk

SLUG = "picks"
TODAY = date(2026, 11, 17)
NINE = datetime(2026, 11, 17, 0, 0, tzinfo=UTC)  # in Tokyo
INTERESTS = Interests(
    topics=(Interest(topic="PostgreSQL", priority="high"), Interest(topic="Go"), Interest(topic="Keyboards")),
    max_articles=3,
    min_articles=2,
    min_relevance_score=60,
)
KINDS = plugins.makers(kinds_of_channels)
LONG = "It took 12 engineers 3 months, and 40 tests were rewritten in 5 steps. " * 12


def a_post_about(
    number: int, topic: str, *, hours_ago: float = 5, before: datetime = NINE, **changes: Any
) -> dict[str, Any]:
    """An article about a topic, some hours before a moment; each number is a story of its own."""
    words = f"note{number} about{number} part{number}"
    seen = (before - timedelta(hours=hours_ago)).isoformat()
    return an_item(
        number,
        title=f"{topic} in practice, {words} of many",
        body_text=f"{topic} is used in {words}. {LONG} The end of {words}.",
        published_at=seen,
        metadata={"scraped_at": seen},
        **changes,
    )


@dataclass(kw_only=True)
class CuratorDesk:
    """A curator that reads world_news and posts to a folder."""

    desk: Desk
    folder: Path
    now: datetime = NINE

    @property
    def database(self) -> Database:
        return self.desk.database

    async def gather(self, items: Sequence[Any]) -> None:
        await told(self.database, items, without=(StageName.CURATE, StageName.WRITE, StageName.DIGEST))

    async def look(self) -> None:
        """Let the curator read its interests and look for articles."""
        async with self.database.connection() as conn, open_client() as client:
            await curate.schedule(conn)
            member = Worker(await work.register_worker(conn), conn)
            while await run_batch(curate.stage(client, curator_files.rules(), clock=lambda: self.now), member):
                pass

    async def evaluate(self, items: Sequence[Any] = ()) -> None:
        """Gather items and let the model evaluate what the curator has not met."""
        if items:
            await self.gather(items)
        await self.look()
        await self.desk.write()

    async def post(self, day: date = TODAY) -> list[RunEntry]:
        """Make the digest of a date, and let it leave; gives its entries."""
        run_id = await self.make(day, publish=True)
        await self.send()
        async with self.database.connection() as conn:
            return await list_entries(conn, run_id)

    async def make(self, day: date = TODAY, *, publish: bool = False) -> int:
        async with self.database.transaction() as conn:
            topic = await topics.by_slug(conn, SLUG)
            return await digest.make(conn, DigestOrder(topic=topic, day=day, publish=publish), KINDS)

    async def send(self) -> None:
        async with self.database.connection() as conn, open_client() as client:
            stage = publish.stage(client, KINDS, secrets={}, clock=lambda: self.now)
            member = Worker(await work.register_worker(conn), conn)
            await work.release_orphans(conn)
            while await run_batch(stage, member):
                pass

    async def met(self) -> dict[str, Evaluation]:
        """What the curator knows, by the first word of the title."""
        async with self.database.connection() as conn:
            curator = await curators.by_slug(conn, SLUG)
            found = await evaluations.list_evaluations(conn, curator.topic_id)
        return {each.article_title.split()[3].rstrip(","): each for each in found}

    def files(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in sorted(self.folder.glob("*"))}


@asynccontextmanager
async def a_curator(database: Database, folder: Path, **settings: Any) -> AsyncIterator[CuratorDesk]:
    """A desk with one curator."""
    async with a_desk(database, folder) as desk:
        given = {"slug": SLUG, "name": "Morning picks", "collections": ["world_news"], **settings}
        async with database.transaction() as conn:
            curator = await actions.add(conn, given, None if "interests_from" in settings else INTERESTS)
            main = ChannelSettings(name="main", kind="file", options={"folder": str(folder / "posted")})
            await topics.put_channel(conn, curator.topic_id, main)
        yield CuratorDesk(desk=desk, folder=folder / "posted")
