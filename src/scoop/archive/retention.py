"""What the archive forgets and when: pages after a month, run logs after three, gathered by month before they go."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from scoop.archive import objects as archives
from scoop.archive.objects import Archive, ArchiveDamaged, Object
from scoop.errors import NotFound, Retry

RETENTION = {"raw-html": timedelta(days=30), "logs": timedelta(days=90)}  # prompts and responses are kept for audit
CONCURRENT_READS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What `tidy` did; what is damaged was left where it is."""

    pages_expired: int
    logs_exported: int
    damaged: tuple[str, ...]


class ExportedLog(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a month's export: a whole run log."""

    key: str
    text: str


def export_key(month: str) -> str:
    return f"logs/export/{month}.ndjson.gz"


async def tidy(archive: Archive, *, now: datetime) -> Tidied:
    """Drop what is past its retention, run logs after they are in their month's export; one at a time, please."""
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
        except ArchiveDamaged as error:  # of the export itself: its logs stay until it is mended
            damaged.append(error.key)
    return Tidied(pages_expired=expired, logs_exported=exported, damaged=tuple(damaged))


async def _export(archive: Archive, month: str, keys: Sequence[str], damaged: list[str]) -> int:
    """Add logs to their month's export, see that it can be read, then delete them; harmless when repeated."""
    added = await _logs(archive, keys, damaged)
    if not added:
        return 0
    target = export_key(month)
    logs = await _exported(archive, target) | {log.key: log for log in added}
    data = b"".join(msgspec.json.encode(logs[key]) + b"\n" for key in sorted(logs))
    stored = await archive.put(target, data, source_url=None, content_type="application/x-ndjson")
    if (await archive.get(target)).sha256 != stored.sha256:
        raise Retry(f"{target} was written by somebody else at the same time")
    await archive.delete([log.key for log in added])
    return len(added)


async def _exported(archive: Archive, target: str) -> dict[str, ExportedLog]:
    try:
        found = await archive.get(target)
    except NotFound:
        return {}
    logs = (msgspec.json.decode(line, type=ExportedLog) for line in found.data.split(b"\n") if line)
    return {log.key: log for log in logs}


async def _logs(archive: Archive, keys: Sequence[str], damaged: list[str]) -> list[ExportedLog]:
    logs: list[ExportedLog] = []
    for start in range(0, len(keys), CONCURRENT_READS):
        batch = keys[start : start + CONCURRENT_READS]
        for key, found in zip(batch, await asyncio.gather(*(_find(archive, key) for key in batch)), strict=True):
            if found is None:
                damaged.append(key)
            else:
                logs.append(ExportedLog(key=key, text=found.data.decode("utf-8", "backslashreplace")))
    return logs


async def _find(archive: Archive, key: str) -> Object | None:
    try:
        return await archive.get(key)
    except ArchiveDamaged:
        return None
