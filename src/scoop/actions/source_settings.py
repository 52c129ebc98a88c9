"""The settings of a source: names, bounds and checks, for every interface.

Apart from `actions.sources`, because the command line imports it for its help: kinds of sources take 0.4 s to import.
"""

import re
from typing import Any, Literal

from scoop.actions.settings import Setting
from scoop.core import schedules

MAX_SLUG = 128
MAX_NAME = 256
MAX_URL = 4096

_SLUG = re.compile(rf"[a-z0-9_]{{1,{MAX_SLUG}}}")


def _check_slug(slug: str) -> None:
    if not _SLUG.fullmatch(slug):
        raise ValueError(f"{slug[:MAX_SLUG]!r} has other characters than a-z, 0-9 and _")


def _check_paths(paths: list[Any]) -> None:
    for path in paths:
        if not isinstance(path, str) or not path.startswith("/") or len(path) > MAX_URL:
            raise ValueError(f"{str(path)[:MAX_URL]!r} must begin with /, as /news")


def _read_window(text: str) -> dict[str, str]:
    start, _, end = text.partition("-")
    return {"start": start.strip(), "end": end.strip()}


def _write_window(window: dict[str, str]) -> str:
    return f"{window['start']}-{window['end']}"


SETTINGS = (
    Setting(
        name="target",
        about="Address of a feed, a page that names one, a site or a YouTube channel; or hackernews, r/NAME, "
        "arxiv:CATEGORY, search:WORDS.",
        most=MAX_URL,
        is_required=True,
        is_argument=True,
        label="Address",
    ),
    Setting(name="kind", about="How it is read: rss, site, hackernews, ... Default: as the address says.", label=None),
    Setting(
        name="slug",
        about="Its short name, of a-z, 0-9 and _. Default: made from its name, else from the host.",
        most=MAX_SLUG,
        check=_check_slug,
        is_fixed=True,
        label=None,
    ),
    Setting(
        name="collection",
        about="The collection of its items, as ai_news: one that exists or a new one. Stories are merged only inside "
        "a collection.",
        most=128,
        is_required=True,
        is_common=True,
    ),
    Setting(
        name="name",
        about="Its name for people. Default: made from the title of its feed, else the host.",
        most=MAX_NAME,
        is_common=True,
    ),
    Setting(
        name="schedule",
        about="How often it is fetched: 30m, 1h or 1d, or a cron of five fields: 0 7 * * * is every day at seven.",
        check=schedules.parse,
        flag="--every",
        label="Fetched every",
        is_common=True,
    ),
    Setting(name="category", about="What it publishes: news, press_release, ..."),
    Setting(
        name="timezone",
        about="Timezone of cron, windows and dates without one, as Europe/Berlin.",
        check=schedules.zone,
    ),
    Setting(
        name="crawl_windows",
        about="Fetch it only within these hours, as 06:30-07:15.",
        type=list[dict[Literal["start", "end"], str]],
        least=0,
        most=50,
        check=schedules.windows,
        read=_read_window,
        write=_write_window,
        flag="--window",
        metavar="HH:MM-HH:MM",
        label="Only between",
    ),
    Setting(
        name="allowed_paths",
        about="Paths that a crawl of a site may enter, as /news. Default: all.",
        type=list[str],
        least=0,
        most=100,
        check=_check_paths,
        flag="--path",
    ),
    Setting(
        name="request_interval_ms",
        about="Milliseconds between two requests to its host, at least.",
        type=int,
        least=0,
        most=600_000,
        flag="--interval",
        metavar="MS",
        label="Milliseconds between requests",
    ),
    Setting(
        name="options",
        about="Options of its kind; docs/reference/sources.md lists them. A blank value removes one.",
        type=dict[str, Any],
        most=100,
        flag="-o/--option",
        metavar="NAME=VALUE",
        label=None,
    ),
    Setting(name="enabled", about="Whether it is fetched.", type=bool, flag=None, label=None),
)
