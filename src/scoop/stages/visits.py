"""The result of one visit to a source, and the decisions that follow from it."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from scoop.core import feed_links, health, items, redaction, retry_after, schedules, teasers
from scoop.core.display_names import counted
from scoop.core.engagement import counts_of
from scoop.core.health import Condition, Finding
from scoop.errors import FetchFailed
from scoop.fetch.client import OVERLOADED
from scoop.model import Source
from scoop.sources import Harvest, SourceOptions
from scoop.stages import arrivals as item_arrivals
from scoop.store.arrivals import ItemRefusal, NewArrival
from scoop.store.mentions import ItemEngagement
from scoop.store.publishers import NamedSource
from scoop.store.runs import FinishedRun, Status
from scoop.store.sources import VisitOutcome

NO_LINE = 1  # a feed has no line numbers
SERVER_ERROR = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVisit:
    """A visit that succeeded or failed; `requested_wait` is how long the server asks not to be fetched again.

    `host_pause` is how long an overloaded host gets no requests, of any source.
    """

    source: Source
    run_uuid: UUID
    started_at: datetime
    ended_at: datetime
    harvest: Harvest
    arrivals: Sequence[NewArrival] = ()
    refusals: Sequence[ItemRefusal] = ()
    failure: FetchFailed | None = None
    requested_wait: timedelta = retry_after.NO_TIME
    host_pause: timedelta = retry_after.NO_TIME
    log_key: str | None = None

    @property
    def status(self) -> Status:
        if self.failure:
            return "failed"
        return "partial" if self.refusals or self.harvest.problems else "completed"

    @property
    def error(self) -> str | None:
        return str(self.failure) if self.failure else redaction.redact_text("; ".join(self.harvest.problems)) or None

    @property
    def is_gone(self) -> bool:
        """Whether the source is gone for good and is not tried again."""
        return self.failure is not None and self.failure.health == "gone"

    @property
    def is_overloaded(self) -> bool:
        """Whether the host asked for a pause: then all of its sources wait, not only this one."""
        return self.failure is not None and self.failure.status in OVERLOADED

    @property
    def message(self) -> str:
        """A progress line."""
        result = counted(len(self.arrivals), "item") if self.arrivals else self.harvest.health.replace("_", " ")
        return f"{self.source.slug:<24} {result}{f'; {self.error}' if self.error else ''}"


def succeed(
    source: Source,
    options: SourceOptions,
    harvest: Harvest,
    run_uuid: UUID,
    *,
    started_at: datetime,
    ended_at: datetime,
) -> SourceVisit:
    """The visit that brought this harvest: valid items become arrivals, the others refusals."""
    linked = [item for item in harvest.items if "canonical_url" in item]
    links = [item["canonical_url"] for item in linked]
    clean_links = feed_links.without_tracking(links)
    with_fragment = feed_links.with_telling_fragment(links)
    shared = feed_links.shared_links((item.get("title", ""), item["canonical_url"]) for item in linked)
    accepted: list[NewArrival] = []
    refusals: list[ItemRefusal] = []
    for raw_item in harvest.items:
        item = items.complete_item(
            raw_item, source=source.slug, collection=source.collection, category=source.category, now=started_at
        )
        raw, problems = items.encode_item(item)
        if problems:
            refusals.append(ItemRefusal(line=NO_LINE, problems=problems, raw_item=raw))
            continue
        link = item.get("canonical_url", "")
        arrival = item_arrivals.arrival(
            item,
            raw=raw,
            now=started_at,
            link=clean_links.get(link),
            response_headers=harvest.response_headers,
            page_url=None if link in shared else teasers.page_url(item, full_text=options.full_text),
            needs_page=teasers.needs_page(item),
            keeps_fragment=link in with_fragment,
        )
        accepted.append(arrival)
    return SourceVisit(
        source=source,
        run_uuid=run_uuid,
        started_at=started_at,
        ended_at=ended_at,
        harvest=harvest,
        arrivals=accepted,
        refusals=refusals,
        requested_wait=harvest.fresh_for,
    )


def engagement(visit: SourceVisit) -> list[ItemEngagement]:
    """The comments and points of the items that the source listed again."""
    source = visit.source
    return [
        ItemEngagement(
            collection=source.collection,
            source=source.slug,
            source_item_id=item["source_item_id"],
            counts=counts_of(item.get("source_metadata", {})),
            read_at=visit.started_at,
        )
        for item in visit.harvest.listed_again
    ]


def fail(
    source: Source,
    failure: FetchFailed,
    run_uuid: UUID,
    *,
    checkpoint: dict[str, Any],
    started_at: datetime,
    ended_at: datetime,
) -> SourceVisit:
    """The visit that failed; `failure` gets the delay before the next try, which is in a window of the source."""
    failure.args = (redaction.redact_text(str(failure)),)  # it is stored, logged and archived
    requested_wait, backoff = failure.after or retry_after.NO_TIME, _backoff(source, failure)
    windows = schedules.windows(source.crawl_windows)
    next_try = schedules.within_windows(ended_at + backoff, timezone=source.timezone, windows=windows)
    failure.after = next_try - ended_at
    return SourceVisit(
        source=source,
        run_uuid=run_uuid,
        started_at=started_at,
        ended_at=ended_at,
        harvest=Harvest(checkpoint=checkpoint, health=failure.health),
        failure=failure,
        requested_wait=requested_wait,
        host_pause=backoff,
    )


def _backoff(source: Source, failure: FetchFailed) -> timedelta:
    may_pass = failure.health in health.PASSING or (failure.status or 0) >= SERVER_ERROR
    return retry_after.backoff(
        failures=source.failures,
        asked=failure.after,
        may_pass=may_pass and failure.status not in OVERLOADED,
        spread=random.random(),  # noqa: S311
    )


def condition(visit: SourceVisit, *, new_items: int) -> Condition:
    """The health of the source after the visit."""
    finding = Finding(
        health=visit.harvest.health,
        note=visit.error or "",
        new_items=new_items,
        moved_to=visit.harvest.moved_to,
    )
    return health.after(visit.source, finding, now=visit.ended_at)


def outcome(visit: SourceVisit, condition: Condition) -> VisitOutcome:
    """What is stored with the source, with the time of its next visit."""
    source, now = visit.source, visit.ended_at
    planned = schedules.next_visit(
        source.schedule,
        timezone=source.timezone,
        windows=schedules.windows(source.crawl_windows),
        now=now,
        spread=random.random(),  # noqa: S311
    )
    not_before = now + visit.requested_wait if visit.requested_wait else None
    return VisitOutcome(
        condition=condition,
        fetched_url=source.base_url,
        next_visit_at=max(planned, not_before or planned),
        not_before=not_before,
    )


def named_source(visit: SourceVisit) -> NamedSource | None:
    """The source as its feed's title names it; None if it has a better name than its address."""
    named = visit.harvest.name(visit.source.base_url) if visit.source.name_from == "address" else None
    return NamedSource(source=visit.source.slug, name=named.name, host=named.host) if named else None


def finished_run(visit: SourceVisit) -> FinishedRun:
    return FinishedRun(
        run_uuid=visit.run_uuid,
        source=visit.source.slug,
        started_at=visit.started_at,
        status=visit.status,
        fetched=len(visit.arrivals) + len(visit.refusals),
        failed=len(visit.refusals),
        error=visit.error,
        checkpoint=visit.harvest.checkpoint,
        log_key=visit.log_key,
    )


def log_lines(visit: SourceVisit, requests: Iterable[Mapping[str, Any]]) -> bytes:
    """The log of a run as NDJSON: its requests, the refused items with their problems, and its end."""
    sent = [{"event": "request", **request, "url": redaction.redact_text(request["url"])} for request in requests]
    refused = [
        {"event": "refused", "problems": [f"{problem.path} {problem.reason}" for problem in refusal.problems]}
        for refusal in visit.refusals
    ]
    end = {
        "event": "ended",
        "source": visit.source.slug,
        "started_at": visit.started_at.isoformat(),
        "status": visit.status,
        "health": visit.harvest.health,
        "items": len(visit.arrivals),
        "error": visit.error,
    }
    return b"".join(
        json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in [*sent, *refused, end]
    )
