"""A look at a source before it is kept: what it would bring, or why it brings nothing and what to do about it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop import app
from scoop.actions import sources
from scoop.core import items, redaction
from scoop.errors import FetchFailed, Reject
from scoop.http.deps import Desk
from scoop.model import Health, Item, SourceSettings
from scoop.sources.rss import NotAFeed

LONGEST_SECONDS = 25  # for which somebody waits in front of a page
SHOWN_ITEMS = 10
SHOWN_PROBLEMS = 20
WHAT_TO_DO: dict[Health, str] = {
    "parse_error": "Give the address of a feed, or let it be read as a site without one.",
    "http_error": "Open the address in a browser: it may have moved, or want a key.",
    "timeout": "Try again in a while; servers that are busy now may answer then.",
    "unreachable": "Look whether the address is spelled right.",
    "robots": "The site does not want programs at this address; look for a feed that it offers.",
    "refused_address": "Addresses in your own network are asked only where whoever runs this desk allows it, by the "
    "setting SCOOP_ALLOW_PRIVATE or, as an admin, by the option allow_private.",
    "gone": "Look for the address that it has now.",
}

PLUGIN_GONE = "Install the package again that brought this kind, or remove the source."


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewItem:
    """An item as a look shows it."""

    title: str
    url: str | None
    published_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a visit would bring, or the problem with it; `alternates` are the feeds that a page names instead."""

    found: tuple[PreviewItem, ...] = ()
    count: int = 0
    problems: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    problem: str = ""
    what_to_do: str = ""
    is_readable_as_site: bool = False
    alternates: Sequence[str] = ()


async def look(desk: Desk, settings: SourceSettings) -> Look:
    """Visit a source, for as long as a person waits, without keeping anything."""
    if settings.kind not in sources.kinds():
        return Look(problem=f"nothing here reads sources of the kind {settings.kind}", what_to_do=PLUGIN_GONE)
    try:
        async with asyncio.timeout(LONGEST_SECONDS), desk.trying:
            tried = await app.try_source(desk.config, settings, now=desk.clock())
    except TimeoutError:
        return Look(problem=f"it took longer than {LONGEST_SECONDS} seconds", what_to_do=WHAT_TO_DO["timeout"])
    except Reject as error:
        return Look(problem=redaction.redact_text(str(error)), what_to_do="Change that option below.")
    except FetchFailed as failure:
        return Look(
            problem=redaction.redact_text(str(failure)),
            what_to_do=WHAT_TO_DO.get(failure.health, ""),
            is_readable_as_site=failure.health == "parse_error" and settings.kind == "rss",
            alternates=failure.alternates if isinstance(failure, NotAFeed) else (),
        )
    return _look(tried)


def _look(tried: sources.SourcePreview) -> Look:
    newest = sorted(map(_found, tried.items), key=_age_first)
    reasons = [f"{wrong[0].path} {wrong[0].reason}" for wrong in tried.refused]
    return Look(
        found=tuple(newest[:SHOWN_ITEMS]),
        count=len(newest),
        problems=tuple(redaction.redact_text(problem) for problem in tried.harvest.problems[:SHOWN_PROBLEMS]),
        refused=tuple(reasons),
    )


def _age_first(found: PreviewItem) -> float:
    return -found.published_at.timestamp() if found.published_at else 0.0


def _found(item: Item) -> PreviewItem:
    published_at = item.get("published_at")
    return PreviewItem(
        title=item["title"],
        url=item.get("canonical_url"),
        published_at=items.parse_moment(published_at) if published_at else None,
    )
