"""Tools: their names, merges, audit log, and the candidates that wait for a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from scoop.core import ids, tool_candidates
from scoop.core.tools import Tool, ToolOrigin, ToolSettings, name_key
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMerge:
    """A merge of `source` into `target`, by slug."""

    merge_id: int
    source: str
    target: str
    merged_at: datetime
    merged_by: str
    undone_at: datetime | None
    undone_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """An entry of the audit log."""

    audit_id: int
    tool_id: UUID
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    changed_by: str
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCandidate:
    """A name that looks like a tool, and how often it was mentioned in the last seven days."""

    name_key: str
    name: str
    mentions: int
    documents: int
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateMention:
    document_id: int
    event_at: datetime
    name: str
    mentions: int


async def lock(conn: Connection) -> None:
    """Let no other transaction change tools until this one ends."""
    await conn.execute(SQL["lock"])


async def list_tools(conn: Connection, numbers: Sequence[int] | None = None) -> list[Tool]:
    """All tools, or those with these numbers, by name."""
    return [_tool(row) for row in await conn.fetch(SQL["list"], numbers)]


async def get(conn: Connection, reference: str) -> Tool:
    """The tool with an id or a slug."""
    number = await conn.fetchval(SQL["number_of"], ids.parse_uuid(reference), reference)
    if number is None:
        raise NotFound(f"there is no tool {reference}; `scoop tools list` shows all")
    return (await list_tools(conn, [number]))[0]


async def version(conn: Connection) -> str:
    """A text that changes whenever a tool or an alias does."""
    found: str = await conn.fetchval(SQL["version"])
    return found


async def add(conn: Connection, settings: ToolSettings, *, origin: ToolOrigin) -> Tool:
    number = await conn.fetchval(SQL["add"], *_columns(settings), origin)
    await _put_aliases(conn, number, settings.aliases)
    return (await list_tools(conn, [number]))[0]


async def change(conn: Connection, number: int, settings: ToolSettings) -> Tool:
    await conn.execute(SQL["change"], number, *_columns(settings))
    await _put_aliases(conn, number, settings.aliases)
    return (await list_tools(conn, [number]))[0]


async def remove(conn: Connection, number: int) -> None:
    await conn.execute(SQL["remove"], number)


async def set_merged(conn: Connection, number: int, target: int | None) -> None:
    await conn.execute(SQL["set_merged"], number, target)


async def put_merge(conn: Connection, number: int, target: int, *, by: str) -> None:
    await conn.execute(SQL["put_merge"], number, target, by)


async def undo_merge(conn: Connection, number: int, *, by: str) -> int | None:
    """Note that the merge of a tool is undone; gives the number of the tool it was merged into, if any."""
    target: int | None = await conn.fetchval(SQL["undo_merge"], number, by)
    return target


async def list_merges(conn: Connection, number: int) -> list[ToolMerge]:
    return [ToolMerge(**row) for row in await conn.fetch(SQL["merges"], number)]


async def put_audit(conn: Connection, action: str, before: Tool | None, after: Tool | None, *, by: str) -> None:
    """Note a change of a tool in the audit log."""
    tool = after or before
    assert tool is not None  # noqa: S101
    await conn.execute(SQL["put_audit"], tool.tool_id, action, _audited(before), _audited(after), by)


async def list_audit(
    conn: Connection, tool_id: UUID | None = None, *, before: int = db.LAST_ID, limit: int
) -> list[ToolChange]:
    """The changes of a tool, or of all, the newest first."""
    return [ToolChange(**row) for row in await conn.fetch(SQL["audit"], tool_id, before, limit)]


async def find_audited(conn: Connection, reference: str) -> UUID:
    """The id of the tool with an id or a slug, also of one that was deleted."""
    tool_id = await conn.fetchval(SQL["audited"], ids.parse_uuid(reference), reference)
    if tool_id is None:
        raise NotFound(f"there was no tool {reference}; `scoop tools audit` shows the changes of all")
    return UUID(int=tool_id.int)


async def put_candidates(conn: Connection, document_ids: Sequence[int], found: Sequence[CandidateMention]) -> None:
    """Replace the names that these documents have."""
    await conn.execute(SQL["drop_candidate_mentions"], document_ids)
    if not found:
        return
    name_by_key = {name_key(each.name): each.name for each in found}
    await conn.execute(SQL["put_candidates"], list(name_by_key), list(name_by_key.values()))
    mentions = {(name_key(each.name), each.document_id): each for each in found}
    await conn.execute(
        SQL["put_candidate_mentions"],
        [key for key, _ in mentions],
        [document_id for _, document_id in mentions],
        [each.event_at for each in mentions.values()],
        [each.mentions for each in mentions.values()],
        tool_candidates.KEPT_FOR,
    )


async def list_candidates(
    conn: Connection, *, now: datetime, at_least: int = tool_candidates.PROPOSED_AT
) -> list[ToolCandidate]:
    """The names that are proposed, the most mentioned first."""
    rows = await conn.fetch(SQL["candidates"], now - tool_candidates.WINDOW, at_least)
    return [ToolCandidate(**row) for row in rows]


async def decide_candidate(conn: Connection, name: str, status: Literal["approved", "rejected"], *, by: str) -> str:
    """Approve or reject a proposed name; gives it as written."""
    written: str | None = await conn.fetchval(SQL["decide_candidate"], name_key(name), status, by)
    if written is None:
        raise NotFound(f"no candidate {name!r} waits for a decision; `scoop tools candidates` shows those that do")
    return written


async def forget_candidates(conn: Connection, *, now: datetime, kept_for: timedelta) -> None:
    await conn.execute(SQL["forget_candidate_mentions"], now - kept_for)


async def _put_aliases(conn: Connection, number: int, aliases: Sequence[str]) -> None:
    keys = [name_key(alias) for alias in aliases]
    await conn.execute(SQL["drop_aliases"], number, keys)
    await conn.execute(SQL["put_aliases"], number, keys, list(aliases))
    await conn.execute(SQL["touch"], number)


def _columns(settings: ToolSettings) -> tuple[Any, ...]:
    return (
        settings.slug,
        settings.name,
        name_key(settings.name),
        settings.vendor,
        list(settings.categories),
        list(settings.context_words),
        settings.status,
    )


def _tool(row: Mapping[str, Any]) -> Tool:
    lists = {name: tuple(row[name]) for name in ("categories", "context_words", "aliases")}
    return Tool(**{**row, **lists, "tool_id": UUID(int=row["tool_id"].int)})  # the driver's own class of UUIDs


def _audited(tool: Tool | None) -> dict[str, Any] | None:
    return None if tool is None else asdict(tool)
