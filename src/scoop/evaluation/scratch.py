"""Scratch databases: run documents through the real stages, and compare two groupings."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from scoop import pipeline, worker
from scoop.app import App, open_app
from scoop.config import Config
from scoop.core import text
from scoop.embedders import VectorCache
from scoop.errors import ConfigError, ScoopError
from scoop.store import work
from scoop.store.embedded import EmbeddedServer
from scoop.worker import Report

SHOWN_TITLES = 3  # per difference

EvaluationTier = Literal["merge", "coverage"]
TIERS: tuple[EvaluationTier, ...] = get_args(EvaluationTier)
DifferenceKind = Literal["join", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """Several groups of one side that are one on the other, with titles of the largest."""

    tier: EvaluationTier
    kind: DifferenceKind
    documents: int
    parts: int
    titles: list[str]


def difference(
    tier: EvaluationTier, kind: DifferenceKind, parts: Sequence[Sequence[int]], titles: Sequence[str]
) -> GroupDifference:
    """The difference for a group whose parts hold the documents at these positions."""
    return GroupDifference(
        tier=tier,
        kind=kind,
        documents=sum(map(len, parts)),
        parts=len(parts),
        titles=[titles[part[0]] for part in parts[:SHOWN_TITLES]],
    )


@asynccontextmanager
async def open_scratch(config: Config, *, memory: VectorCache | None = None) -> AsyncIterator[App]:
    """An app with the operator's settings on a scratch database, which is removed afterwards."""
    with _scratch(config) as scratch:
        async with open_app(scratch, without=pipeline.AFTER_STORIES, memory=memory) as app:
            yield app


@contextmanager
def _scratch(config: Config) -> Iterator[Config]:
    """The operator's settings with a temporary home, no sources and no summaries."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="scoop-trial-"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(
            f"cannot create a folder for a scratch database: {reason}; set TMPDIR to a writable folder"
        ) from error
    folder.chmod(0o711)  # as root the server runs as another user, who must be able to enter
    try:
        yield replace(
            config,
            home=folder / "home",
            database_url=None,
            archive_url=None,
            sources=(),
            topics=(),
            summary_min_publishers=0,
            summarize_documents="none",
        )
    finally:
        server = EmbeddedServer(folder / "home")
        server.stop()
        for made in (server.sockets, server.folder, folder):  # they may be elsewhere
            shutil.rmtree(made, ignore_errors=True)


async def run_until_idle(app: App, *, stop: asyncio.Event, report: Report) -> None:
    """Run all stages until idle; raise if any work failed or the run was stopped."""
    await worker.run(app, stop=stop, until_idle=True, report=report)
    if stop.is_set():
        raise ScoopError("stopped before all work was done")
    async with app.database.connection() as conn:
        for waiting in await work.failed(conn, limit=1):
            raise ScoopError(
                f"the stage {waiting.stage} failed: {text.one_line(waiting.error or '')}; fix the cause and try again"
            )
