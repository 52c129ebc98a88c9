"""What commands about texts by writers share: the subject that a name means, and waiting for a text."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from scoop.cli import why
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.briefs import BriefState
    from scoop.store.db import Connection

PATIENCE = timedelta(minutes=3)  # for another worker that writes the text
PAUSE_SECONDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSubject:
    kind: Literal["document", "event"]
    subject_id: int
    collection: str


async def find_document(conn: "Connection", name: str) -> TextSubject:
    """The document of a number, art_ id or URL; the first if there are several."""
    from scoop.store.reads import decisions as decision_reads

    explanations = await decision_reads.explain_documents(conn, name, why.url_hash(name))
    document = min((each.document for each in explanations), key=lambda each: int(each["document_id"]))
    return TextSubject(kind="document", subject_id=document["document_id"], collection=document["collection"])


async def find_subject(conn: "Connection", name: str, *, is_document: bool) -> TextSubject:
    """The article of an art_ id or URL, else the event of a number or UUID; `is_document`: a number is an article's."""
    from scoop.store.reads import events as event_reads

    if is_document or name.startswith("art_") or "://" in name:
        return await find_document(conn, name)
    event = await event_reads.get_event(conn, name)
    return TextSubject(kind="event", subject_id=event.event_id, collection=event.collection)


async def write_now(config: Config, ask: "Callable[[Connection], Awaitable[int]]") -> "BriefState":
    """Ask for a text and write it in this process, or wait for the worker that has it; gives how that ended."""
    from scoop.app import open_app
    from scoop.stage_names import StageName
    from scoop.stages import stage as stage_loop
    from scoop.stages.stage import Worker
    from scoop.store import briefs, work

    until = time.monotonic() + PATIENCE.total_seconds()
    async with open_app(config, only=[StageName.WRITE]) as app, app.database.connection() as conn:
        async with conn.transaction():
            brief_id = await ask(conn)
        worker = Worker(await work.register_worker(conn), conn)
        while True:
            await stage_loop.run_subject(app.stages[0], worker, brief_id)
            state = await briefs.get_state(conn, brief_id)
            if _is_settled(state) or time.monotonic() > until:
                return state
            await asyncio.sleep(PAUSE_SECONDS)


def _is_settled(state: "BriefState") -> bool:
    """Whether the text is there, failed, or has to wait for longer than a repair takes."""
    if state.work_state == "waiting" and state.next_try_at is not None:
        return state.next_try_at > datetime.now(UTC) + timedelta(seconds=PAUSE_SECONDS)
    return state.work_state != "claimed"
