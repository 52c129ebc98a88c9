"""How the candidates for a story are found, before the server has counted anything."""

import json

from builders import an_item, told
from scoop.core import titles
from scoop.model import PAGE_PENDING
from scoop.store import links, stories

BY_COLLECTION = (
    "headline",
    "content_hash",
    "canonical_url_hash",
    "tracked_url_hash",
    "fragment_url_hash",
    "body_hash",
)


async def test_who_has_the_same_headline_is_never_sought_among_all_of_its_time(database):
    await told(database, [an_item(number) for number in range(1, 60)], without=["embed", "index"])
    async with database.connection() as conn:
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
        for name in BY_COLLECTION:  # without the best way, what is left is the way that a wrong guess may take
            await conn.execute(f"DROP INDEX idx_documents_{name}")
        await conn.execute("SET enable_seqscan = off")
        asked = (ids, titles.WINDOW, stories.MAX_CANDIDATES, PAGE_PENDING)
        rows = await conn.fetch(f"EXPLAIN (COSTS off) {stories.SQL['sharing_headlines']}", *asked)
    conditions = [row[0] for row in rows if "Index Cond: (collection" in row[0] or "Index Cond: ((collection" in row[0]]
    assert len(conditions) == 1
    assert "seen_at" not in conditions[0]


async def test_what_hangs_together_with_a_story_is_found_without_reading_all_stories(database):
    await told(database, [an_item(number) for number in range(1, 60)], without=["embed", "index"])
    async with database.connection() as conn:
        await conn.execute("ANALYZE; SET enable_seqscan = off; SET enable_bitmapscan = off")
        plan = await conn.fetchval(
            f"EXPLAIN (FORMAT json) {links.SQL['component']}", [1, 2], 0.5, 1, links.MAX_LINKED_DOCUMENTS
        )
    scans = [node for node in nodes(json.loads(plan)[0]["Plan"]) if node.get("Relation Name") == "stories"]
    assert scans
    assert all("Index Cond" in scan for scan in scans)


def nodes(plan):
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
