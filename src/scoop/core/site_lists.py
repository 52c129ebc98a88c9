"""Lists of sites to crawl, in JSON or TOML with camelCase keys: siteId, baseUrl, crawlWindows and others."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_BYTES = 5 << 20
MAX_SITES = 5_000
SCHEDULE = "0 7,19 * * *"  # twice a day, in the usual windows around 07:00 and 19:00
SETTINGS = {
    "siteId": "slug",
    "name": "name",
    "category": "category",
    "baseUrl": "target",
    "crawlWindows": "crawl_windows",
    "allowedPaths": "allowed_paths",
    "requestIntervalMs": "request_interval_ms",
    "timezone": "timezone",
    "collection": "collection",
    "schedule": "schedule",
    "options": "options",
}
"""The setting of a source for each key; the last three are Scoop's own."""
IGNORED = frozenset({"createdAt", "updatedAt"})

_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteList:
    """The settings of the sites of a list, by the names that sources have for them, and its problems."""

    sites: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = ()


def read(body: bytes) -> SiteList:
    """The sites of a list: an array, or an object or TOML file with `sites`; never raises, whatever the bytes."""
    if len(body) > MAX_BYTES:
        return SiteList(problems=(f"the list is larger than {MAX_BYTES >> 20} MiB; split it",))
    try:
        tables = _tables(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return SiteList(problems=(f"the list is neither JSON nor TOML: {error}",))
    if not isinstance(tables, list):
        return SiteList(problems=("the list has no sites; write an array of objects, or [[sites]] tables",))
    found = [_site(table, number) for number, table in enumerate(tables[:MAX_SITES], start=1)]
    too_many = [f"the list has more than {MAX_SITES:,} sites; split it"] if len(tables) > MAX_SITES else []
    return SiteList(
        sites=tuple(site for site in found if isinstance(site, dict)),
        problems=tuple([each for each in found if isinstance(each, str)] + too_many),
    )


def _tables(text: str) -> Any:
    """The sites of JSON or, where it is not JSON, of TOML; ValueError if it is neither."""
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = tomllib.loads(text)
    return parsed.get("sites") if isinstance(parsed, dict) else parsed


def _site(table: Any, number: int) -> dict[str, Any] | str:
    """The settings of a site, or the problem with it."""
    if not isinstance(table, Mapping):
        return f"site {number}: it is not an object"
    if unknown := [key for key in table if key not in SETTINGS and key not in IGNORED]:
        return f"site {number}: there is no key {str(unknown[0])[:80]!r}; the keys are {', '.join(SETTINGS)}"
    if missing := [key for key in ("siteId", "baseUrl") if not isinstance(table.get(key), str) or not table[key]]:
        return f"site {number}: {missing[0]} is missing"
    slug = _NOT_IN_SLUG.sub("_", table["siteId"].lower()).strip("_")
    if not slug:
        return f"site {number}: siteId has no letter a-z and no digit"
    settings = {SETTINGS[key]: value for key, value in table.items() if key in SETTINGS and value is not None}
    if not isinstance(settings.get("options", {}), Mapping):
        return f"site {number}: options is not an object"
    return settings | {"slug": slug}
