"""The story that leads an event is one that an editor would let lead, on invented events and on real headlines."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from builders import an_item, told
from scoop.core import events as decisions
from scoop.core.events import PlacedStory
from scoop.stages import group
from scoop.store import embeddings, events, links, stories

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
HERE = Path(__file__).parent
AGGREGATED_UNTIL = datetime(2014, 3, 13, tzinfo=UTC)
LEAST_EVENTS = 60
LEAST_ACCEPTED = 0.95


def _invented() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / "leads" / "events.ndjson").read_text("utf-8").splitlines()]


def _real() -> list[dict[str, Any]]:
    """Events of UCI News Aggregator, labelled by the ids of its headlines."""
    with gzip.open(HERE / "stories" / "uci.jsonl.gz", "rt", encoding="utf-8") as lines:
        headlines = {headline["id"]: headline for headline in map(json.loads, lines)}
    rows = map(json.loads, (HERE / "leads" / "uci.ndjson").read_text("utf-8").splitlines())
    return [
        {
            "event": row["event"],
            "stories": [
                _real_story(headlines[headline_id], is_acceptable_lead=label)
                for headline_id, label in row["is_acceptable_lead"].items()
            ],
        }
        for row in rows
    ]


def _real_story(headline: dict[str, Any], *, is_acceptable_lead: bool) -> dict[str, Any]:
    age = AGGREGATED_UNTIL - datetime.fromisoformat(headline["published_at"])
    return headline | {"hours": age / timedelta(hours=1), "is_acceptable_lead": is_acceptable_lead}


def _item(event: str, number: int, story: dict[str, Any]) -> dict[str, Any]:
    seen_at = (NOW - timedelta(hours=story["hours"])).isoformat()
    return an_item(
        source=story["source"],
        source_item_id=f"{event} {number}",
        title=story["title"],
        body_text=story["text"],
        canonical_url=story["url"],
        published_at=seen_at,
        language=None,
        metadata={"scraped_at": seen_at},
    )


async def _group_by_label(database) -> dict[str, str]:
    """Put the stories of each labelled event into one event; gives the title of the lead of each."""
    async with database.transaction() as conn:
        label_by_story = {
            place.merge: item_id.split()[0] for (_, _, item_id), place in (await stories.get_placements(conn)).items()
        }
        placed: dict[str, list[PlacedStory]] = {}
        for row in await conn.fetch("SELECT * FROM stories WHERE status = 'active' ORDER BY story_id"):
            story = PlacedStory(
                story_id=row["story_id"], event_id=row["coverage_id"], item_count=row["item_count"], may_return=True
            )
            placed.setdefault(label_by_story[story.story_id], []).append(story)
        model = await embeddings.find_active(conn)
        probabilities = await links.get_link_strengths(conn, model, list(label_by_story))
        ids = [[story.story_id for story in members] for members in placed.values()]
        await events.regroup(conn, decisions.regroup(list(placed.values())), group._centrality(ids, probabilities))
        rows = await conn.fetch(
            "SELECT story_id, canonical_title FROM events JOIN stories ON story_id = lead_story_id "
            "WHERE events.status = 'active'"
        )
    return {label_by_story[row["story_id"]]: row["canonical_title"] for row in rows}


@pytest.mark.parametrize("labelled", [_invented, _real])
async def test_the_lead_of_an_event_is_one_that_an_editor_would_accept(database, labelled):
    events_of_set = labelled()
    items = [
        _item(event["event"], number, story) for event in events_of_set for number, story in enumerate(event["stories"])
    ]
    await told(database, sorted(items, key=lambda item: item["published_at"]))
    lead_by_event = await _group_by_label(database)
    assert len(lead_by_event) == len(events_of_set) >= LEAST_EVENTS
    missed = {
        event["event"]: lead_by_event[event["event"]]
        for event in events_of_set
        if lead_by_event[event["event"]]
        not in {story["title"] for story in event["stories"] if story["is_acceptable_lead"]}
    }
    assert 1 - len(missed) / len(events_of_set) >= LEAST_ACCEPTED, missed
