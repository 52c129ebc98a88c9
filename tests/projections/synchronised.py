"""A desk whose data is projected to a store: its stage, and projecting until the store is complete."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from scoop import worker
from scoop.cli.progress import Silent
from scoop.projections import Projection
from scoop.stages import project
from scoop.stages.stage import Stage, Worker
from scoop.store import projections as store
from scoop.store import work
from scoop.store.db import Database


class Synchronised:
    database: Database
    projection: Projection

    def stage(self, *, page: int = project.PAGE) -> Stage[Any, Any]:
        projecting = project.Projecting({self.projection.name: self.projection}, page)
        made = project.stage([self.projection], then=("project",))
        return Stage(
            name=made.name, load=projecting.load, work=projecting.work, save=made.save, then=made.then, batch=1
        )

    async def sync(self, *, page: int = project.PAGE) -> None:
        """Project until the store has all that was committed before."""
        began, stage = datetime.now(UTC), self.stage(page=page)
        async with self.database.connection() as conn:
            member = Worker(await work.register_worker(conn), conn)
            for _ in range(200):
                await project.schedule(conn, [self.projection])
                await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())
                states = await store.list_states(conn)
                assert [state.error for state in states if state.error] == []
                if all(state.complete_until and state.complete_until > began for state in states):
                    return
                await asyncio.sleep(0.1)
        raise AssertionError(f"not complete: {states}")

    async def execute(self, statement: str, *values: Any) -> None:
        async with self.database.connection() as conn:
            await conn.execute(statement, *values)

    async def value(self, query: str, *values: Any) -> Any:
        async with self.database.connection() as conn:
            return await conn.fetchval(query, *values)
