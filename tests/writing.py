"""The stage `write` with the newsstand's model server, as the program sets it up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from newsstand_builders import ANCHOR, Clock, a_world, an_article
from starlette.applications import Starlette

from scoop import plugins, writers
from scoop.archive.objects import Archive
from scoop.cli.progress import Silent
from scoop.core.briefs import BriefKind
from scoop.core.budgets import Budget
from scoop.embedders import local
from scoop.fetch.client import Client, open_client
from scoop.newsstand import server
from scoop.newsstand.sites import models as site
from scoop.plugin_settings import PluginSettings
from scoop.serve import serving
from scoop.stages import evaluations, lessons, mention_answers, same_event, tool_answers, translations, write
from scoop.stages import stage as stage_loop
from scoop.stages import summaries as summary_stage
from scoop.stages.stage import Worker
from scoop.stages.summaries import SummaryPolicy
from scoop.stages.texts import Task
from scoop.stages.write import Writing
from scoop.store import briefs, work
from scoop.store.db import Database
from scoop.writers import Writer

NO_LIMIT = Budget(requests_per_day=0, tokens_per_day=0, money_per_day=0, requests_per_minute=0)


@dataclass(kw_only=True)
class Desk:
    """A desk with a writer; `judge` is the model of the task support, `now` what the stage takes for the time."""

    database: Database
    archive: Archive
    client: Client
    address: str
    app: Starlette
    policy: SummaryPolicy = field(default_factory=SummaryPolicy)
    budget: Budget = NO_LIMIT
    judge: str = ""
    judge_budget: Budget = NO_LIMIT
    decides: bool = False
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def script(self) -> Any:
        """The faults of the next replies of the model server."""
        return self.app.state.models.script

    @property
    def calls(self) -> list[Any]:
        return list(self.app.state.models.calls)

    def writer(self, name: str = "openai", **options: Any) -> Writer:
        given = {"base_url": f"{self.address}/{site.HOST}/v1", "model": site.MODEL} if name == "openai" else {}
        settings = PluginSettings(tables={"writers": {name: given | options}})
        made: Writer = plugins.makers(writers, settings)[name]({}, self.client)
        return made

    def writing(self, writer: Writer, *, fallback: Writer | None = None) -> Writing:
        kinds: dict[BriefKind, Any] = {
            "summary": summary_stage.text_kind(self.policy),
            "translation": translations.text_kind(),
            "same_event": same_event.text_kind(decides=self.decides),
            "evaluation": evaluations.text_kind(),
            "lesson": lessons.text_kind(),
            "sentiment": mention_answers.text_kind(),
            "question": tool_answers.text_kind(),
        }
        tasks = dict.fromkeys(kinds, Task(writer=writer, budget=self.budget, fallback=fallback))
        judge = {"support": Task(writer=self.writer(model=self.judge), budget=self.judge_budget)} if self.judge else {}
        return Writing(
            kinds=kinds,
            tasks=tasks | judge,
            archive=self.archive,
            embed=local.encode,
            clock=lambda: self.now,
        )

    async def ask(
        self, subjects: dict[int, str], *, kind: BriefKind = "summary", subject_kind: Any = "document", level: str = ""
    ) -> None:
        async with self.database.transaction() as conn:
            await briefs.ask(conn, kind, subject_kind, subjects, level=level)

    async def write(self, writer: Writer | None = None, *, fallback: Writer | None = None) -> None:
        """Run the stage until nothing is due for it now."""
        made = write.stage(self.writing(writer or self.writer(), fallback=fallback))
        async with self.database.connection() as conn:
            member = Worker(await work.register_worker(conn), conn, Silent().message)
            while await stage_loop.run_batch(made, member):
                await asyncio.sleep(0)

    async def rows(self, statement: str, *values: Any) -> list[Any]:
        async with self.database.connection() as conn:
            return [dict(row) for row in await conn.fetch(statement, *values)]


@asynccontextmanager
async def a_desk(database: Database, folder: Path, **changes: Any) -> AsyncIterator[Desk]:
    """A desk whose writer is the newsstand's model server."""
    world = a_world(an_article("ferry", title="Ferry sails again", body="The ferry sails at dawn."))
    app = server.create_app(world, ANCHOR, Clock())
    async with serving(app) as address, open_client() as client:
        archive = Archive.open(str(folder), credentials={})
        yield Desk(database=database, archive=archive, client=client, address=address, app=app, **changes)
