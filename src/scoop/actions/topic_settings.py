"""The settings of a topic: names, bounds and checks, for every interface."""

from typing import Any

from scoop.actions.settings import Setting
from scoop.core import digest_windows, schedules
from scoop.model import HandoverMode

MAX_SLUG = 64
MAX_NAME = 512
MAX_RULES = 1000
MAX_PER_DIGEST = 100
MAX_COLLECTION = 256


def _check_collections(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or not 1 <= len(name.strip()) <= MAX_COLLECTION:
            raise ValueError(f"{name!r} is not the name of a collection; write one as world_news")


def _check_command(command: list[Any]) -> None:
    if not all(isinstance(part, str) for part in command) or not command[0].strip():
        raise ValueError('must name a program, as ["post", "--now"]')


def _read_optional(text: str) -> str | None:
    return text.strip() or None


COLLECTIONS = Setting(
    name="collections",
    about="Collections whose stories it takes, as world_news; without collections and sources, it takes from "
    "everywhere.",
    type=list[str],
    least=0,
    most=MAX_RULES,
    check=_check_collections,
    flag="--collection",
)

SETTINGS = (
    Setting(
        name="slug",
        field="topic_slug",
        about="Its short name, of a-z, 0-9 and _, as energy.",
        most=MAX_SLUG,
        pattern=f"^[a-z0-9_]{{1,{MAX_SLUG}}}$",
        is_required=True,
        is_fixed=True,
        is_argument=True,
        label=None,
    ),
    Setting(
        name="name",
        field="topic_name",
        about="Its name for readers. Default: the slug in words.",
        most=MAX_NAME,
    ),
    Setting(
        name="cron",
        field="digest_cron",
        about="When its digest is due, at most once a day: minute hour day month weekday. 0 9 * * 1-5 is at nine on "
        "workdays.",
        check=digest_windows.check_cron,
        label="Schedule",
    ),
    Setting(
        name="timezone",
        about="Timezone of its schedule and its dates, as Asia/Tokyo. Default: that of the desk.",
        check=schedules.zone,
        has_own_default=True,
    ),
    COLLECTIONS,
    Setting(
        name="max_entries",
        about="Most stories of a digest.",
        type=int,
        most=MAX_PER_DIGEST,
        metavar="N",
        label="Maximum stories per digest",
    ),
    Setting(
        name="max_per_family",
        about="Most stories of one publisher family in a digest.",
        type=int,
        most=MAX_PER_DIGEST,
        metavar="N",
        label="Maximum per publisher",
    ),
    Setting(
        name="discord_channel_id",
        about="The id of the Discord channel for its discord_bot channels without one, 17 to 20 digits.",
        pattern="^[0-9]{17,20}$",
        read=_read_optional,
        metavar="ID",
        label="Discord channel",
    ),
    Setting(name="enabled", about="Whether it takes stories and has digests.", type=bool, flag=None, label=None),
)

HANDOVER_SETTINGS = (
    Setting(name="mode", about="The mode of its handover.", type=HandoverMode),
    Setting(name="publish_v2", about="Whether its digests are published.", type=bool),
    Setting(name="write_raw_ledger", about="Whether its sources are fetched and its items stored.", type=bool),
    Setting(
        name="legacy_command",
        about='The program of the older system and its arguments, as ["post", "--now"].',
        type=list[str],
        most=100,
        check=_check_command,
    ),
    Setting(
        name="legacy_deadline",
        about="How long after its due time the program runs, as 30m.",
        check=schedules.interval,
    ),
)
"""Settings that only scoop.toml has: the handover from an older system."""

LISTS = tuple(
    Setting(name=name, about=about, type=list[Any], least=0, most=MAX_RULES)
    for name, about in {
        "sources": 'Slugs of sources that it includes, as ["tribune"].',
        "exclude_sources": 'Slugs of sources that it excludes, as ["tribune"].',
        "keywords": 'Words or patterns that it includes, as ["solar"].',
        "exclude_keywords": 'Words or patterns that it excludes, as ["solar"].',
        "channels": 'Its channels, as [{name = "main", kind = "file"}].',
    }.items()
)
"""Rules and channels of a table of scoop.toml, which are parsed one by one."""

TABLE = (*SETTINGS, *HANDOVER_SETTINGS, *LISTS)
"""Everything that a table of scoop.toml may have."""
