"""A desk whose learners, articles and lessons are projected to a Cosmos DB server on the loopback address."""

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from azure.cosmos import ContainerProxy, CosmosClient

from builders import an_item, told
from projections.synchronised import Synchronised
from scoop.core import hashes
from scoop.core.secrets import Secret
from scoop.projections.cosmos import CONTAINERS, Cosmos
from scoop.store.db import Database

KEY = base64.b64encode(b"a key of an emulator").decode()
LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
numbers = count()


def a_projection(endpoint: str, **options: Any) -> Cosmos:
    values = {
        "base_url": endpoint,
        "database": f"ai_news_listening-{next(numbers)}",
        "create_containers": True,
        "key": Secret(KEY),
    }
    return Cosmos(Cosmos.Options(**(values | options)))


@dataclass
class ListeningDesk(Synchronised):
    database: Database
    endpoint: str
    projection: Cosmos

    @property
    def database_name(self) -> str:
        return self.projection.target.split()[1]

    def container(self, name: str) -> ContainerProxy:
        """A container, as the vendor's client gives it to other programs."""
        client = CosmosClient(self.endpoint, credential=KEY, enable_endpoint_discovery=False)
        return client.get_database_client(self.database_name).get_container_client(name)

    def documents(self) -> dict[str, dict[str, Any]]:
        """All documents by container, partition and id, without what the store itself adds."""
        return {
            f"{name}/{document[path.removeprefix('/')]}/{document['id']}": {
                field: value for field, value in document.items() if not field.startswith("_")
            }
            for name, path in CONTAINERS.items()
            for document in self.container(name).read_all_items()
        }

    async def add_articles(self, *published_at: str) -> list[str]:
        """Articles of these dates that were chosen for learners; gives their public ids."""
        items = [
            an_item(number, published_at=moment, title=f"Bridge {number} opens")
            for number, moment in enumerate(published_at)
        ]
        await told(self.database, items)
        async with self.database.connection() as conn:
            await conn.execute(
                "INSERT INTO listening_articles (document_id, chosen_on) "
                "SELECT document_id, '2026-11-15' FROM documents"
            )
            rows = await conn.fetch("SELECT article_id FROM documents ORDER BY source_item_id")
        return [row["article_id"] for row in rows]

    async def add_lesson(self, article_id: str, level: str, text: str) -> None:
        await self.execute(
            "WITH made AS (INSERT INTO briefs (kind, subject_kind, subject_id, language, level) "
            "SELECT 'lesson', 'document', document_id, 'en', $2 FROM documents WHERE article_id = $1 RETURNING *) "
            "INSERT INTO lessons (brief_id, subject_kind, subject_id, level, lesson_text, sentences, word_count, "
            "measured_level, score, provider, model, prompt_id, prompt_version, disclaimer_id, input_hash) "
            "SELECT brief_id, subject_kind, subject_id, level, $3, '[]', 5, level, 1, 'local', 'grader', 'lesson', "
            "'v1.0', 'simplified', $4 FROM made",
            article_id,
            level,
            text,
            hashes.sha256(text),
        )

    async def add_learner(self, name: str, level: str) -> str:
        """A person with a level; gives the id that other programs know."""
        user_id = await self.value(
            "INSERT INTO users (name, role, password_hash) VALUES ($1, 'reader', 'none') RETURNING user_id", name
        )
        await self.execute("INSERT INTO learners (user_id, level) VALUES ($1, $2)", user_id, level)
        return f"user_{user_id}"

    async def end_update(self, *, saved: int = 10, at: datetime = datetime(2026, 11, 15, tzinfo=UTC)) -> None:
        await self.execute(
            "INSERT INTO news_update_state (job_name, last_run_at, last_run_date_jst, status, saved, "
            "skipped_duplicates) VALUES ('news_update', $1, '2026-11-15', 'success', $2, 2) "
            "ON CONFLICT (job_name) DO UPDATE SET saved = $2",
            at,
            saved,
        )
