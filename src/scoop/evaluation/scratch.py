"""Trials: documents go through the real stages in a scratch database, and two ways to group them are compared."""

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

SHOWN_TITLES = 3  # of each difference

EvaluationTier = Literal["merge", "coverage"]
TIERS: tuple[EvaluationTier, ...] = get_args(EvaluationTier)
DifferenceKind = Literal["join", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """Several groups of one side that are one on the other: titles of the largest of them."""

    tier: EvaluationTier
    kind: DifferenceKind
    documents: int
    parts: int
    titles: list[str]


def difference(
    tier: EvaluationTier, kind: DifferenceKind, parts: Sequence[Sequence[int]], titles: Sequence[str]
) -> GroupDifference:
    """What is told of a group whose parts hold the documents at these positions."""
    return GroupDifference(
        tier=tier,
        kind=kind,
        documents=sum(map(len, parts)),
        parts=len(parts),
        titles=[titles[part[0]] for part in parts[:SHOWN_TITLES]],
    )


@asynccontextmanager
async def open_scratch(config: Config, *, memory: VectorCache | None = None) -> AsyncIterator[App]:
    """All that makes stories, with the operator's settings, on a database of its own that is removed afterwards."""
    with _scratch(config) as scratch:
        async with open_app(scratch, without=pipeline.AFTER_STORIES, memory=memory) as app:
            yield app


@contextmanager
def _scratch(config: Config) -> Iterator[Config]:
    """The operator's settings for a home of its own without sources, which is removed with its database."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="scoop-trial-"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(f"no folder for a scratch database: {reason}; set TMPDIR to one you can write to") from error
    folder.chmod(0o711)  # as root the server is another user, who must pass through
    try:
        yield replace(config, home=folder / "home", database_url=None, archive_url=None, sources=(), topics=())
    finally:
        server = EmbeddedServer(folder / "home")
        server.stop()
        for made in (server.sockets, server.folder, folder):  # which may lie apart
            shutil.rmtree(made, ignore_errors=True)


async def run_until_idle(app: App, *, stop: asyncio.Event, report: Report) -> None:
    """Do all that is due; a trial in which something failed, or that was stopped, tells nothing."""
    await worker.run(app, stop=stop, until_idle=True, report=report)
    if stop.is_set():
        raise ScoopError("stopped before all was done")
    async with app.database.connection() as conn:
        for waiting in await work.failed(conn, limit=1):
            raise ScoopError(
                f"the stage {waiting.stage} failed: {text.one_line(waiting.error or '')}; see to it and try again"
            )
