"""The preview of a source: the items that a fetch would bring, or the problem and what to do about it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop import app
from scoop.actions import sources
from scoop.core import health, items, redaction
from scoop.errors import FetchFailed, Reject
from scoop.http.deps import Desk
from scoop.model import Health, Item, SourceSettings
from scoop.sources.rss import NotAFeed

LONGEST_SECONDS = 25  # for which a person waits for a page
SHOWN_ITEMS = 10
SHOWN_PROBLEMS = 20

UNINSTALLED = "Install the package of this kind again, or remove the source."


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewItem:
    """An item of a preview."""

    title: str
    url: str | None
    published_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The items of a fetch, or its `problem` with `advice`; `alternates` are the feeds that a page names.

    `name` is what the title of a feed gives it.
    """

    items: tuple[PreviewItem, ...] = ()
    count: int = 0
    name: str = ""
    problems: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    health: Health | None = None
    problem: str = ""
    advice: str = ""
    is_readable_as_site: bool = False
    alternates: Sequence[str] = ()


async def look_first(desk: Desk, candidates: Sequence[SourceSettings]) -> tuple[SourceSettings, Look]:
    """The first candidate whose server answers, with its preview; the first one where none does."""
    looks = []
    for settings in candidates:
        looks.append(await look(desk, settings))
        if looks[-1].health not in sources.NO_ANSWER:
            return settings, looks[-1]
    return candidates[0], looks[0]


async def look(desk: Desk, settings: SourceSettings) -> Look:
    """Fetch a source, for as long as a person waits, without storing anything."""
    if settings.kind not in sources.kinds():
        return Look(problem=f"no plugin reads sources of the kind {settings.kind}", advice=UNINSTALLED)
    try:
        async with asyncio.timeout(LONGEST_SECONDS), desk.previewing:
            preview = await app.try_source(desk.config, settings, now=desk.clock())
    except TimeoutError:
        problem = f"it took longer than {LONGEST_SECONDS} seconds"
        return Look(health="timeout", problem=problem, advice=health.ADVICE["timeout"])
    except Reject as error:
        return Look(problem=redaction.redact_text(str(error)), advice="Change that option below.")
    except FetchFailed as failure:
        return Look(
            health=failure.health,
            problem=redaction.redact_text(str(failure)),
            advice=health.ADVICE.get(failure.health, ""),
            is_readable_as_site=failure.health == "parse_error" and settings.kind == "rss",
            alternates=failure.alternates if isinstance(failure, NotAFeed) else (),
        )
    return _look(settings, preview)


def _look(settings: SourceSettings, preview: sources.SourcePreview) -> Look:
    named = sources.with_title(settings, preview.harvest)
    newest = sorted(map(_item, preview.items), key=_newest_first)
    reasons = [f"{problems[0].path} {problems[0].reason}" for problems in preview.refused]
    return Look(
        items=tuple(newest[:SHOWN_ITEMS]),
        count=len(newest),
        name=named.name if named.name_from == "title" else "",
        problems=tuple(redaction.redact_text(problem) for problem in preview.harvest.problems[:SHOWN_PROBLEMS]),
        refused=tuple(reasons),
    )


def _newest_first(item: PreviewItem) -> float:
    return -item.published_at.timestamp() if item.published_at else 0.0


def _item(item: Item) -> PreviewItem:
    published_at = item.get("published_at")
    return PreviewItem(
        title=item["title"],
        url=item.get("canonical_url"),
        published_at=items.parse_moment(published_at) if published_at else None,
    )
