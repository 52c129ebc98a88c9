"""Events: opened with their first story, regrouped, merged, and kept in step with their stories."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from scoop.core import events as decisions
from scoop.core.events import LeadCandidate, Regrouping
from scoop.store import db, read_state
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_CANDIDATES = 50  # for the lead of an event, the most central ones


async def open_events(conn: Connection, story_ids: Sequence[int]) -> None:
    """Open the events of new stories, inside the caller's transaction."""
    await conn.execute(SQL["open"], story_ids)


async def follow_merges(conn: Connection, merged_story_ids: Sequence[int]) -> None:
    """Merge the events that merged stories left empty into those of their survivors."""
    rows = await conn.fetch(SQL["emptied"], merged_story_ids)
    await _merge(conn, {row["goes"]: row["stays"] for row in rows})


async def shelter(conn: Connection, story_ids: Sequence[int]) -> None:
    """Give revived stories whose event is merged the event that each founded, or a new one."""
    homeless = await conn.fetch(SQL["homeless"], story_ids)
    own = {row["story_id"]: row["story_id"] if row["may_return"] else -row["story_id"] for row in homeless}
    if own:
        regrouping = Regrouping(
            event_by_story=own,
            revived=frozenset(event_id for event_id in own.values() if event_id > 0),
            opened=frozenset(event_id for event_id in own.values() if event_id < 0),
        )
        await regroup(conn, regrouping, {})


async def regroup(conn: Connection, regrouping: Regrouping, centrality: Mapping[int, float]) -> None:
    """Write the events of regrouped stories, inside the caller's transaction, and refresh all that are concerned."""
    number = await _open_numbered(conn, regrouping)
    placed = {story_id: number.get(event_id, event_id) for story_id, event_id in regrouping.event_by_story.items()}
    await conn.execute(SQL["revive"], list(regrouping.revived))
    values = list(placed), list(placed.values()), [centrality.get(story) for story in placed]
    written = await conn.fetch(SQL["place"], *values)
    changed = {row["coverage_id"] for row in written}
    returned = {story_id for story_id, event_id in placed.items() if event_id in regrouping.revived}
    await conn.execute(SQL["follow_founders"], list(returned | {row["story_id"] for row in written}))
    if regrouping.revived:
        await read_state.give_back(conn, list(regrouping.revived))
    await _merge(conn, regrouping.merged)
    await conn.execute(SQL["inherit_suppression"], list(changed))
    await refresh(conn, changed | regrouping.shrunk)


async def _open_numbered(conn: Connection, regrouping: Regrouping) -> dict[int, int]:
    """Open the new events of a regrouping; gives the number of each."""
    if not regrouping.opened:
        return {}
    first_story = {event_id: story_id for story_id, event_id in sorted(regrouping.event_by_story.items(), reverse=True)}
    rows = await conn.fetch(SQL["new_ids"], len(regrouping.opened))
    number = {event_id: row["event_id"] for event_id, row in zip(sorted(regrouping.opened), rows, strict=True)}
    await conn.execute(SQL["open_numbered"], list(number.values()), [first_story[event_id] for event_id in number])
    return number


async def _merge(conn: Connection, stays_by_event: Mapping[int, int]) -> None:
    if stays_by_event:
        await conn.execute(SQL["merge"], list(stays_by_event), list(stays_by_event.values()))
        await read_state.inherit(conn, list(stays_by_event), list(stays_by_event.values()))


async def refresh_of_stories(conn: Connection, story_ids: Iterable[int]) -> None:
    """Bring the events of these stories in step with them."""
    await refresh(conn, [row["coverage_id"] for row in await conn.fetch(SQL["of_stories"], list(story_ids))])


async def refresh(conn: Connection, event_ids: Collection[int]) -> None:
    """Recompute figures, lead and development of events from their stories, inside the caller's transaction."""
    rows = await conn.fetch(SQL["facts"], list(event_ids))
    if not rows:
        return
    candidates: defaultdict[int, list[LeadCandidate]] = defaultdict(list)
    for row in await conn.fetch(SQL["lead_candidates"], [row["event_id"] for row in rows], MAX_CANDIDATES):
        values = dict(row)
        candidates[values.pop("event_id")].append(LeadCandidate(**values))
    now = await conn.fetchval("SELECT now()")
    await conn.execute(SQL["put"], [_facts(row, candidates[row["event_id"]], now) for row in rows])


def _facts(row: Mapping[str, Any], candidates: Sequence[LeadCandidate], now: Any) -> dict[str, Any]:
    """The figures of an event as a row of the statement that writes them."""
    names = ("event_id", "status", "first_seen_at", "last_seen_at", "story_count", "item_count", "sources")
    return {name: row[name] for name in names} | {
        "publisher_families": row["publisher_families"],
        "languages": row["languages"],
        "lead_story_id": decisions.choose_lead(candidates, current=row["lead_story_id"], chosen=row["chosen_lead_id"]),
        "leads": decisions.choose_leads(candidates),
        "has_developed": decisions.has_developed(
            known_families=row["developed_families"],
            families=len(row["publisher_families"]),
            has_new_story=row["story_count"] > row["known_stories"],
            developed_at=row["developed_at"],
            now=now,
        ),
    }


async def choose_lead(conn: Connection, event_id: int, story_id: int | None) -> None:
    """Let a story lead its event, inside the caller's transaction; None lets the rule choose again."""
    await conn.execute(SQL["choose_lead"], event_id, story_id)
    await refresh(conn, [event_id])


async def suppress(conn: Connection, event_id: int, decision_id: int) -> None:
    """Hide an event, and stories that join it, by a decision, inside the caller's transaction."""
    await conn.execute(SQL["suppress"], event_id, decision_id)
    await refresh(conn, [event_id])


async def list_suppressions(conn: Connection, event_id: int) -> list[int]:
    """The decisions that hide stories of an event."""
    return [row["decision_id"] for row in await conn.fetch(SQL["suppressions"], event_id)]


async def end_suppression(conn: Connection, decision_ids: Collection[int]) -> list[int]:
    """Show the stories that decisions hid, inside the caller's transaction; gives their ids."""
    shown = [row["story_id"] for row in await conn.fetch(SQL["end_suppression"], list(decision_ids))]
    await refresh_of_stories(conn, shown)
    return shown
