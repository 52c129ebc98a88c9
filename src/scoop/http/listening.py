"""Reads of the older listening API from the store of a projection, if the operator chose one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from time import monotonic
from typing import Annotated, TypeVar

import structlog
from fastapi import Depends, Request

from scoop.core.shapes.listening import LearnerFacts, Shape
from scoop.errors import ConfigError, Retry
from scoop.model import Level
from scoop.projections import ListeningDocuments

log = structlog.get_logger()

STORE_SECONDS = 2.0  # then the database is asked
REST_SECONDS = 10.0  # after such a delay, in which no request waits for the store
FoundT = TypeVar("FoundT")


@dataclass(slots=True)
class ListeningReads:
    """The store as one server reads it; each read gives None if the database is to be asked.

    That is so if no store was chosen, if it does not have the document yet, and if it fails.
    """

    documents: ListeningDocuments | None = None
    _rests_until: float = 0.0

    async def list_articles(self, today: date, days: int) -> list[Shape] | None:
        wanted = [today - timedelta(days=ago) for ago in range(days)]
        return await self._ask(lambda documents: documents.list_articles(wanted))

    async def find_article(self, article_id: str) -> Shape | None:
        return await self._ask(lambda documents: documents.find_article(article_id))

    async def find_text(self, article_id: str, level: Level) -> Shape | None:
        return await self._ask(lambda documents: documents.find_text(article_id, level))

    async def find_user(self, user_id: int) -> Shape | None:
        return await self._ask(lambda documents: documents.find_user(user_id))

    async def put_user(self, learner: LearnerFacts) -> None:
        """Write settings that the database has; if the store fails, the next pass of the projection writes them."""
        await self._ask(lambda documents: documents.put_user(learner))

    async def _ask(self, request: Callable[[ListeningDocuments], Awaitable[FoundT]]) -> FoundT | None:
        if self.documents is None or monotonic() < self._rests_until:
            return None
        try:
            async with asyncio.timeout(STORE_SECONDS):
                return await request(self.documents)
        except TimeoutError:
            self._rests_until = monotonic() + REST_SECONDS
            log.warning("listening read from the database", error="slow", rest_seconds=REST_SECONDS)
        except (Retry, ConfigError) as error:
            log.warning("listening read from the database", error=str(error))
        return None


async def _listening_reads(request: Request) -> ListeningReads:
    reads: ListeningReads = request.app.state.listening
    return reads


Store = Annotated[ListeningReads, Depends(_listening_reads)]
"""The store that the older listening API is read from, as an argument of a handler."""
