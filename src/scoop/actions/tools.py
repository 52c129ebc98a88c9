"""What people can do with tools: add, change, archive, merge, undo, decide on candidates; each change is audited.

Every function runs inside the caller's transaction and lets no other change tools meanwhile. A change that can alter
mentions drops what is cached of the tool and queues a re-analysis of the documents that it can concern.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from scoop.core import tool_lists
from scoop.core import tools as core
from scoop.core.tool_lists import ListedTool
from scoop.core.tools import Tool, ToolOrigin, ToolSettings
from scoop.errors import Conflict, InputError, UsageError
from scoop.store import sentiment_cache, sentiment_jobs
from scoop.store import tools as store
from scoop.store.db import Connection
from scoop.store.sentiment_jobs import JobSettings

SETTING_NAMES = frozenset(field.name for field in fields(ToolSettings))


async def add(conn: Connection, settings: ToolSettings, *, by: str = "", origin: ToolOrigin = "person") -> Tool:
    """Add a tool, and look for its mentions in the documents that the desk has."""
    await store.lock(conn)
    wanted = core.checked(settings)
    core.check_names(wanted, await store.list_tools(conn))
    added = await store.add(conn, wanted, origin=origin)
    await store.put_audit(conn, "created", None, added, by=by)
    if added.is_active:
        await _analyse(conn, added, "tool created", _names(added), by=by)
    return added


async def change(conn: Connection, tool: Tool, values: dict[str, Any], *, by: str = "") -> Tool:
    """Change settings of a tool; missing ones keep their value."""
    await store.lock(conn)
    before = await store.get(conn, str(tool.tool_id))
    others = [each for each in await store.list_tools(conn) if each.tool_number != before.tool_number]
    after_settings = core.checked(replace(_settings(before), **_own(values)))
    core.check_names(_as_tool(before, after_settings), others, number=before.tool_number)
    if after_settings == _settings(before):
        return before
    after = await store.change(conn, before.tool_number, after_settings)
    await store.put_audit(conn, _action(before, after), before, after, by=by)
    if _finds_others(before, after):
        await sentiment_cache.invalidate(conn, after.tool_number)
        reason = "tool activated" if before.status != after.status else "names changed"
        await _analyse(conn, after, reason, [*_names(before), *_names(after)], by=by)
    return after


def _action(before: Tool, after: Tool) -> str:
    if before.status != after.status:
        return "activated" if after.status == "active" else "archived"
    return "changed" if before.aliases == after.aliases else "aliases changed"


def _finds_others(before: Tool, after: Tool) -> bool:
    """Whether other mentions are found than before."""
    was_found, is_found = before.status == "active", after.status == "active"
    names = set(_names(before)) != set(_names(after)) or before.context_words != after.context_words
    return is_found and (names or not was_found)


async def add_aliases(conn: Connection, tool: Tool, aliases: Sequence[str], *, by: str = "") -> Tool:
    """Add aliases to those that a tool has."""
    return await change(conn, tool, {"aliases": (*tool.aliases, *aliases)}, by=by)


async def remove_alias(conn: Connection, tool: Tool, alias: str, *, by: str = "") -> Tool:
    kept = tuple(each for each in tool.aliases if core.name_key(each) != core.name_key(alias))
    if len(kept) == len(tool.aliases):
        raise UsageError(f"{tool.slug} has no alias {alias!r}")
    return await change(conn, tool, {"aliases": kept}, by=by)


async def remove(conn: Connection, tool: Tool, *, by: str = "") -> None:
    """Delete a tool with its mentions; the audit log keeps what it was."""
    await store.lock(conn)
    listed = await store.list_tools(conn)
    if children := [each.slug for each in listed if each.merged_into == tool.tool_number]:
        raise Conflict(
            f"{', '.join(children)} is merged into {tool.slug}: undo the merge first, or archive {tool.slug}"
        )
    target = next((each for each in listed if each.tool_number == tool.merged_into), None)
    await store.put_audit(conn, "deleted", tool, None, by=by)
    await store.remove(conn, tool.tool_number)
    if target is not None:
        await sentiment_cache.invalidate(conn, core.root_of(target, listed).tool_number)


async def merge(conn: Connection, source: Tool, target: Tool, *, by: str = "") -> Tool:
    """Let the mentions of `source` count for `target`; gives the changed source."""
    await store.lock(conn)
    listed = await store.list_tools(conn)
    source, target = await store.get(conn, str(source.tool_id)), await store.get(conn, str(target.tool_id))
    core.check_merge(source, target, listed)
    await store.set_merged(conn, source.tool_number, target.tool_number)
    await store.put_merge(conn, source.tool_number, target.tool_number, by=by)
    merged = await store.get(conn, str(source.tool_id))
    await store.put_audit(conn, f"merged into {target.slug}", source, merged, by=by)
    await _invalidate_chain(conn, merged, target)
    await _analyse(conn, merged, f"merged into {target.slug}", _names(merged), by=by)
    return merged


async def undo_merge(conn: Connection, tool: Tool, *, by: str = "") -> Tool:
    """Let the mentions of a merged tool count for itself again."""
    await store.lock(conn)
    before = await store.get(conn, str(tool.tool_id))
    number = await store.undo_merge(conn, before.tool_number, by=by)
    if number is None:
        raise Conflict(f"{before.slug} is not merged into another tool")
    (target,) = await store.list_tools(conn, [number])
    await _invalidate_chain(conn, before, target)
    await store.set_merged(conn, before.tool_number, None)
    after = await store.get(conn, str(before.tool_id))
    await store.put_audit(conn, f"merge into {target.slug} undone", before, after, by=by)
    await _analyse(conn, after, f"merge into {target.slug} undone", _names(after), by=by)
    return after


async def _invalidate_chain(conn: Connection, source: Tool, target: Tool) -> None:
    """Drop what is cached of a tool, of the one it is merged into, and of the one that the mentions count for."""
    root = core.root_of(target, await store.list_tools(conn))
    for number in {source.tool_number, target.tool_number, root.tool_number}:
        await sentiment_cache.invalidate(conn, number)


async def approve(conn: Connection, name: str, settings: ToolSettings | None = None, *, by: str = "") -> Tool:
    """Make a tool of a proposed name."""
    written = await store.decide_candidate(conn, name, "approved", by=by)
    return await add(
        conn, settings or ToolSettings(slug=core.slug_of(written), name=written), by=by, origin="candidate"
    )


async def reject(conn: Connection, name: str, *, by: str = "") -> str:
    """Never propose a name again; gives it as written."""
    return await store.decide_candidate(conn, name, "rejected", by=by)


async def reanalyse(conn: Connection, tool: Tool | None, *, rescores: bool = False, by: str = "", **bounds: Any) -> int:
    """Queue a re-analysis of a tool, or of all documents; gives the number of the job."""
    terms = _names(tool) if tool is not None else ()
    number = tool.tool_number if tool is not None else None
    settings = JobSettings(tool_number=number, reason="asked for", terms=terms, rescores=rescores, **bounds)
    return await sentiment_jobs.add(conn, settings, by=by)


async def _analyse(conn: Connection, tool: Tool, reason: str, terms: Sequence[str], *, by: str) -> None:
    settings = JobSettings(tool_number=tool.tool_number, reason=reason, terms=list(dict.fromkeys(terms)))
    await sentiment_jobs.add(conn, settings, by=by)


def _names(tool: ToolSettings) -> list[str]:
    return [tool.name, *tool.aliases]


def _settings(tool: Tool) -> ToolSettings:
    return ToolSettings(**{name: getattr(tool, name) for name in SETTING_NAMES})


def _as_tool(tool: Tool, settings: ToolSettings) -> Tool:
    return replace(tool, **{name: getattr(settings, name) for name in SETTING_NAMES})


def _own(values: dict[str, Any]) -> dict[str, Any]:
    """The given settings, with lists as tuples; UsageError names one that there is not."""
    if unknown := sorted(values.keys() - SETTING_NAMES):
        raise UsageError(f"a tool has no setting {unknown[0]!r}; it has {', '.join(sorted(SETTING_NAMES))}")
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


async def put_all(
    conn: Connection, listed: Sequence[ListedTool], *, by: str = "", origin: ToolOrigin = "person"
) -> list[Tool]:
    """Add the tools of a list, change those whose slug is there already, and merge them as it says; gives them."""
    found = {tool.slug: tool for tool in await store.list_tools(conn)}
    done: list[Tool] = []
    for settings in (each.settings for each in listed):
        if (present := found.get(settings.slug)) is None:
            done.append(await add(conn, settings, by=by, origin=origin))
        else:
            values = {name: getattr(settings, name) for name in SETTING_NAMES}
            done.append(await change(conn, present, values, by=by))
    by_slug = found | {tool.slug: tool for tool in done}
    for each in listed:
        if each.merged_into:
            await _put_merge(conn, by_slug[each.settings.slug], each.merged_into, by_slug, by=by)
    return done


async def _put_merge(conn: Connection, tool: Tool, slug: str, by_slug: Mapping[str, Tool], *, by: str) -> None:
    """Merge a tool into the one with this slug, if it is not yet."""
    target = by_slug.get(slug)
    if target is None:
        raise InputError(f"{tool.slug}: merged_into names {slug}, which is neither in the list nor on the desk")
    if tool.merged_into == target.tool_number:
        return
    if tool.merged_into is not None:
        await undo_merge(conn, tool, by=by)
    await merge(conn, tool, target, by=by)


async def choose(conn: Connection, slugs: Sequence[str], *, by: str = "") -> list[Tool]:
    """Add tools of the starter list by slug; those that the desk has stay as they are."""
    known = {tool.settings.slug: tool for tool in tool_lists.starter()}
    if unknown := [slug for slug in slugs if slug not in known]:
        raise UsageError(f"the starter list has no {unknown[0]}; `scoop tools starter` shows it")
    present = {tool.slug for tool in await store.list_tools(conn)}
    wanted = [known[slug] for slug in slugs if slug not in present]
    return await put_all(conn, wanted, by=by, origin="starter")
