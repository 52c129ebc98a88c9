"""The settings of a curator: those of its topic that it shares, and its own."""

from dataclasses import replace

from scoop.actions import topic_settings
from scoop.actions.settings import Setting
from scoop.core import language

TIMEZONE = "Asia/Tokyo"
MAX_PATH = 4096
SHARED = ("slug", "name", "cron", "timezone", "collections", "discord_channel_id", "enabled")


def _check_language(tag: str) -> None:
    if language.canonical_tag(tag) is None:
        raise ValueError(f"{tag!r} is not a language; write it as ja or en")


def _check_interests_from(place: str) -> None:
    if not place.startswith(("/", "http://", "https://")):
        raise ValueError("must be an absolute path, as /srv/interests.toml, or an http or https address")


def _read_optional(text: str) -> str | None:
    return text.strip() or None


OWN_SETTINGS = (
    Setting(
        name="interests_from",
        about="The file or URL that its interests are read from at every run; without it they are changed in Scoop.",
        most=MAX_PATH,
        check=_check_interests_from,
        read=_read_optional,
        metavar="FILE|URL",
        label="Interests from",
    ),
    Setting(
        name="freshness_days",
        about="For how many days a relevant article that was not selected may still be.",
        type=int,
        most=30,
        metavar="DAYS",
        label="Days that an article stays fresh",
    ),
    Setting(
        name="language",
        about="Language of summaries and posts, as ja; default: summaries in that of the article, posts in English.",
        most=35,
        check=_check_language,
        read=_read_optional,
        metavar="LANGUAGE",
    ),
)

ABOUT = {
    "slug": "Its short name, of a-z, 0-9 and _, as morning_picks.",
    "cron": "When it posts, at most once a day: minute hour day month weekday. 0 9 * * 1-5 is at nine on workdays.",
    "timezone": f"Timezone of its schedule and its dates, as Europe/Berlin. Default: {TIMEZONE}.",
    "collections": "Collections whose articles it reads, as world_news; without collections and sources, it reads all.",
    "enabled": "Whether it looks for articles and posts.",
}
"""What a setting is for a curator, where that is not what it is for another topic."""

SETTINGS = (
    *(replace(each, about=ABOUT.get(each.name, each.about)) for each in topic_settings.SETTINGS if each.name in SHARED),
    *OWN_SETTINGS,
)
