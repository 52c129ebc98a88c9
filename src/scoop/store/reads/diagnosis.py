"""The facts about a desk that `scoop doctor` judges."""

from scoop.core.diagnosis import DeskFacts
from scoop.core.health import ANSWERED
from scoop.store import db, work
from scoop.store.db import Connection

SQL = db.blocks(__name__)
LATE_DIGEST = "digest_late"  # the alert of stages/digest.py


async def get_facts(conn: Connection) -> DeskFacts:
    desk = await conn.fetchrow(SQL["desk"], work.WORKER_LOCK)
    sources = await conn.fetch(SQL["sources"])
    late = await conn.fetch(SQL["late_digests"], LATE_DIGEST)
    return DeskFacts(
        **desk,
        sources=len(sources),
        failing={slug: health for slug, health in sources if health not in ANSWERED | {"new"}},
        late_digests=[row["message"] for row in late],
    )
