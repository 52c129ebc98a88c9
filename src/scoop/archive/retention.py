"""Retention of the archive: pages are deleted after 30 days, run logs are exported by month after 90."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from scoop.archive import objects as archives
from scoop.archive.objects import Archive, ArchiveDamaged, Object
from scoop.errors import NotFound, Retry

RETENTION = {"raw-html": timedelta(days=30), "logs": timedelta(days=90)}
CONCURRENT_READS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """The counts of one `tidy`; damaged objects stay in place."""

    pages_expired: int
    logs_exported: int
    damaged: tuple[str, ...]


class ExportedLog(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the export of a month: a whole run log."""

    key: str
    text: str


def export_key(month: str) -> str:
    return f"logs/export/{month}.ndjson.gz"


async def tidy(archive: Archive, *, now: datetime) -> Tidied:
    """Delete expired objects; run logs are added to the export of their month first. Not safe to run concurrently."""
    expired = await archive.expire("raw-html", older_than=now - RETENTION["raw-html"])
    logs_by_month: dict[str, list[str]] = defaultdict(list)
    async for key in archive.keys("logs"):
        if archives.is_older(key, now - RETENTION["logs"]):
            logs_by_month[archives.day(key)[:6]].append(key)
    exported = 0
    damaged: list[str] = []
    for month, keys in sorted(logs_by_month.items()):
        try:
            exported += await _export(archive, month, keys, damaged)
        except ArchiveDamaged as error:  # of the export itself: its logs stay until it is repaired
            damaged.append(error.key)
    return Tidied(pages_expired=expired, logs_exported=exported, damaged=tuple(damaged))


async def _export(archive: Archive, month: str, keys: Sequence[str], damaged: list[str]) -> int:
    """Add logs to the export of their month, read it back, then delete them; safe to repeat."""
    added = await _logs(archive, keys, damaged)
    if not added:
        return 0
    target = export_key(month)
    logs = await _exported(archive, target) | {log.key: log for log in added}
    data = b"".join(msgspec.json.encode(logs[key]) + b"\n" for key in sorted(logs))
    stored = await archive.put(target, data, source_url=None, content_type="application/x-ndjson")
    if (await archive.get(target)).sha256 != stored.sha256:
        raise Retry(f"{target} was written by another process at the same time")
    await archive.delete([log.key for log in added])
    return len(added)


async def _exported(archive: Archive, target: str) -> dict[str, ExportedLog]:
    try:
        export = await archive.get(target)
    except NotFound:
        return {}
    logs = (msgspec.json.decode(line, type=ExportedLog) for line in export.data.split(b"\n") if line)
    return {log.key: log for log in logs}


async def _logs(archive: Archive, keys: Sequence[str], damaged: list[str]) -> list[ExportedLog]:
    logs: list[ExportedLog] = []
    for start in range(0, len(keys), CONCURRENT_READS):
        batch = keys[start : start + CONCURRENT_READS]
        for key, log in zip(batch, await asyncio.gather(*(_find(archive, key) for key in batch)), strict=True):
            if log is None:
                damaged.append(key)
            else:
                logs.append(ExportedLog(key=key, text=log.data.decode("utf-8", "backslashreplace")))
    return logs


async def _find(archive: Archive, key: str) -> Object | None:
    try:
        return await archive.get(key)
    except ArchiveDamaged:
        return None
