"""Look-alikes stay apart, copies come together; each pair is judged in a collection of its own."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from builders import an_item, told

PAIRS = [json.loads(line) for line in Path(__file__).with_name("lookalikes.ndjson").read_text("utf-8").splitlines()]
MOST_FALSE_MERGES = 0.01
LEAST_FOUND = {"true_copy": 0.97, "true_title": 0.75, "true_rescrape": 1.0}


def _item(number: int, side: str, told: dict[str, Any]) -> dict[str, Any]:
    return an_item(
        number,
        source=told["source"],
        source_item_id=f"{number}-{side}",
        title=told["title"],
        body_text=told["text"] or None,
        canonical_url=told["url"] or None,
        published_at=told["published_at"],
        language=told["lang"],
        metadata={"collection": f"pair_{number}"},
    )


async def test_look_alikes_stay_apart_and_copies_come_together(database):
    await told(database, [_item(number, side, pair[side]) for number, pair in enumerate(PAIRS) for side in "ab"])
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT collection FROM stories WHERE status = 'active'")
    stories = Counter(row["collection"] for row in rows)
    is_joined = [stories[f"pair_{number}"] == 1 for number in range(len(PAIRS))]
    false_merges = [
        pair["a"]["title"] for pair, joined in zip(PAIRS, is_joined, strict=True) if joined and not pair["same"]
    ]
    distinct = sum(not pair["same"] for pair in PAIRS)
    assert len(false_merges) <= MOST_FALSE_MERGES * distinct, false_merges
    for kind, least in LEAST_FOUND.items():
        found = [joined for pair, joined in zip(PAIRS, is_joined, strict=True) if pair["kind"] == kind]
        missed = [
            pair["a"]["title"]
            for pair, joined in zip(PAIRS, is_joined, strict=True)
            if pair["kind"] == kind and not joined
        ]
        assert sum(found) >= least * len(found), missed
