"""A digest is made: what happened in its window is weighed against what was told, and its posts are written down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

import msgspec
import structlog

from scoop.channels import ChannelPlugin
from scoop.core import delivery, digest_windows, novelty, schedules, text
from scoop.core import digest as choosing
from scoop.core.digest import DigestCandidate, PublishedStory
from scoop.core.digest_windows import DigestWindow
from scoop.core.handover_modes import Modes
from scoop.errors import Conflict, Reject, UsageError
from scoop.model import ChannelSettings, Digest, DigestPart, Topic
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, digests, handover, posts, topics, work
from scoop.store.db import Connection
from scoop.store.digests import DueTopic, RunMode, Snapshot
from scoop.store.work import Subject

log = structlog.get_logger()

SUMMARY_CHARACTERS = 400
MADE_UP_WITHIN = timedelta(hours=12)  # a digest whose time was missed, because the machine slept, is made until then
LATE_AFTER = timedelta(minutes=15)
ALARM = "digest_late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A digest that is wanted: live or shadow, and whether it shall be posted."""

    topic: Topic
    day: date
    mode: RunMode = "live"
    publish: bool = False


async def ordered(
    conn: Connection, slug: str, day: date | None, *, mode: RunMode, publish: bool, modes: Modes, now: datetime
) -> Order:
    """What is wanted of a topic, for a date or the last one due; UsageError where it cannot be."""
    topic = await topics.by_slug(conn, slug)
    if publish and not any(channel.enabled for channel in topic.channels):
        raise UsageError(
            f"{slug} has no channel to post to; add one: scoop topics channel add {slug} NAME --kind KIND, "
            f"or see what is wrong with those it has: scoop topics show {slug}"
        )
    if publish and not modes.of(topic).posts:
        raise UsageError(f"{slug} is posted by the older system; scoop legacy cutover {slug} lets Scoop post it")
    if publish and day is not None and day > now.astimezone(schedules.zone(topic.timezone)).date():
        raise UsageError(f"{day} has not come yet in {topic.timezone}; a digest is posted on its date")
    found = day or digest_windows.latest(topic.digest_cron, topic.timezone, now)
    return Order(topic=topic, day=found, mode=mode, publish=publish)


async def make(conn: Connection, order: Order, channels: Mapping[str, type[Any]]) -> int:
    """Make a digest in the caller's transaction; give its run. What is posted, or about to be, is not made anew."""
    topic = order.topic
    await digests.lock_topic(conn, topic.topic_id)
    if order.mode == "live" and (run_id := await digests.published_run_id(conn, topic.topic_id, order.day)) is not None:
        return run_id
    window = window_of(topic, order.day)
    late_since = await digests.last_made_at(conn, topic.topic_id, order.mode, order.day)
    found = await digests.candidates(conn, topic.topic_id, window, late_since=late_since)
    choices = choosing.choose(
        [candidate for candidate, _ in found],
        await _told(conn, order),
        window,
        max_entries=topic.max_entries,
        max_per_family=topic.max_per_family,
    )
    run_id = await digests.insert_run(
        conn,
        topic_id=topic.topic_id,
        day=order.day,
        mode=order.mode,
        window=window,
        choices=choices,
        snapshots={candidate.story_id: _snapshot(candidate, row) for candidate, row in found},
    )
    if order.publish and order.mode == "live":
        await _post(conn, topic, run_id, channels)
    return run_id


async def publish(conn: Connection, order: Order, run_id: int, channels: Mapping[str, type[Any]]) -> None:
    """Put a digest on its way, in the caller's transaction, as somebody looked at it; Conflict where it is outdated."""
    topic = order.topic
    await digests.lock_topic(conn, topic.topic_id)
    committed = await digests.published_run_id(conn, topic.topic_id, order.day)
    if committed == run_id:
        return
    if committed is not None:
        raise Conflict(f"the digest of {topic.topic_slug} for {order.day} is posted, or on its way, already")
    if await digests.latest_run(conn, topic.topic_id, order.day, "live") != run_id:
        raise Conflict("it has been made anew since you looked at it; look at it again")
    suppressed = await digests.suppressed(conn, topic.topic_id)
    if any(entry.rank and entry.story_id in suppressed for entry in await digests.entries(conn, run_id)):
        raise Conflict("something in it has been kept out since; make it again")
    await _post(conn, topic, run_id, channels)


async def _told(conn: Connection, order: Order) -> list[PublishedStory]:
    """What readers know; those of a live digest also from the older system that posted before."""
    ours = await digests.published_stories(conn, order.topic.topic_id, order.mode, order.day)
    return (
        ours
        if order.mode == "shadow"
        else [*ours, *await handover.published_before(conn, order.topic.topic_id, order.day)]
    )


def window_of(topic: Topic, day: date) -> DigestWindow:
    """The window of a date; UsageError where the topic has no digest on it."""
    window = digest_windows.window(topic.digest_cron, topic.timezone, day)
    if window is None:
        following = digest_windows.following(topic.digest_cron, day)
        raise UsageError(
            f"{topic.topic_slug} has no digest on {day}: its cron is {topic.digest_cron}; the next is on {following}"
        )
    return window


def _snapshot(candidate: DigestCandidate, row: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        title=candidate.title,
        url=row["url"],
        summary=text.one_line(row["lead"])[:SUMMARY_CHARACTERS],
        publishers=candidate.publishers,
        language=row["language"],
        memory=novelty.memory(candidate.versions),
    )


async def _post(conn: Connection, topic: Topic, run_id: int, channels: Mapping[str, type[Any]]) -> None:
    """Write a digest down for each of its channels; one that cannot be used does not hold up the others."""
    run = await digests.run(conn, run_id)
    digest = digests.digest(topic.topic_name, topic.timezone, run, await digests.entries(conn, run_id))
    desk_id = await posts.desk_id(conn)
    parts_by_channel: dict[str, tuple[ChannelSettings, list[tuple[str, DigestPart]]]] = {}
    for settings in (addressed(topic, each) for each in topic.channels if each.enabled):
        try:
            parts_by_channel[settings.name] = settings, rendered(digest, settings, desk_id, channels)
        except Reject as refusal:
            log.warning("channel switched off", topic=topic.topic_slug, channel=settings.name, error=str(refusal))
            await posts.close_channel(conn, topic.topic_id, settings.name, str(refusal))
    await posts.put(
        conn, digest_run_id=run_id, topic_id=topic.topic_id, day=run.run_date, parts_by_channel=parts_by_channel
    )


def addressed(topic: Topic, settings: ChannelSettings) -> ChannelSettings:
    """A bot's channel that names no Discord channel posts to the topic's."""
    if settings.kind != "discord_bot" or "channel_id" in settings.options or topic.discord_channel_id is None:
        return settings
    return replace(settings, options=settings.options | {"channel_id": topic.discord_channel_id})


async def correct(conn: Connection, topic: Topic, run_id: int, channels: Mapping[str, type[Any]]) -> int:
    """Let what was posted say what it would say now: without what was suppressed since; give how many posts change."""
    run = await digests.run(conn, run_id)
    suppressed = await digests.suppressed(conn, topic.topic_id)
    kept = [entry for entry in await digests.entries(conn, run_id) if entry.story_id not in suppressed]
    digest = digests.digest(topic.topic_name, topic.timezone, run, kept)
    desk_id, changed = await posts.desk_id(conn), 0
    for post in await posts.of_run(conn, run_id):
        settings = ChannelSettings(name=post.channel, kind=post.kind, options=post.options)
        parts = rendered(digest, settings, desk_id, channels)
        if post.part_no > len(parts):  # the digest became shorter: this part has nothing more to say
            parts = rendered(replace(digest, tellings=()), settings, desk_id, channels)
        _, part = parts[min(post.part_no, len(parts)) - 1]
        changed += await posts.correct(conn, post.post_id, part.payload)
    return changed


def rendered(
    digest: Digest, settings: ChannelSettings, desk_id: str, channels: Mapping[str, type[Any]]
) -> list[tuple[str, DigestPart]]:
    """The parts of a digest for a channel, each under its key."""

    def key(part_no: int) -> str:
        return delivery.key(desk_id, digest.topic_slug, digest.run_date, settings.name, part_no)

    kind = channels.get(settings.kind)
    if kind is None:
        raise Reject(f"channel {settings.name}: there is no kind {settings.kind!r}; there are {', '.join(channels)}")
    try:
        channel: ChannelPlugin = kind(msgspec.convert(settings.options, kind.Options))
    except msgspec.ValidationError as error:
        raise Reject(f"channel {settings.name}: {error}; change it by scoop topics channel") from error
    parts = channel.parts(digest, lambda part_no: delivery.marker(key(part_no)))
    return [(key(part_no), part) for part_no, part in enumerate(parts, start=1)]


def due_date(topic: DueTopic, modes: Modes, now: datetime) -> date | None:
    """The date whose digest is to be made now, if any; times before the topic was there are not made up."""
    held = modes.of(topic)
    if held.mode == "legacy":
        return None
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    # A digest that somebody only looked at does not keep that of the day from being posted.
    outgoing = max((made for made in (topic.last_outgoing, topic.last_posted) if made is not None), default=None)
    live = outgoing if held.posts and topic.has_open_channels else topic.last_live
    made = topic.last_shadow if held.mode == "shadow" else live
    if due is None or now - due > MADE_UP_WITHIN or due < topic.created_at or (made is not None and made >= day):
        return None
    return day


async def schedule(conn: Connection, modes: Modes, *, now: datetime) -> None:
    """Put the topics whose digest is due before the stage; those that wait there already stay as they are."""
    due = [topic.topic_id for topic in await digests.due(conn) if due_date(topic, modes, now) is not None]
    if due:
        await work.enqueue_missing(conn, StageName.DIGEST, due)


async def alert_late_digests(conn: Connection, modes: Modes, *, now: datetime) -> None:
    """Raise an alert for each digest that should have been posted by now, and resolve those that were."""
    topics = [topic for topic in await digests.due(conn) if topic.has_channels and modes.of(topic).posts]
    late: dict[tuple[str, str], str] = {}
    for topic in topics:
        day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
        due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
        is_posted = topic.last_posted is not None and topic.last_posted >= day
        if due is not None and due >= topic.created_at and now - due > LATE_AFTER and not is_posted:
            late[ALARM, topic.topic_slug] = (
                f"the digest of {topic.topic_slug} for {day} was due at {due:%Y-%m-%d %H:%M} UTC and is not posted; "
                "see scoop posts list and scoop work"
            )
    for _, subject, message in await alerts.settle(
        conn, late, subjects=[topic.topic_slug for topic in topics], kinds=[ALARM]
    ):
        log.warning(message, alert=ALARM, subject=subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestStage:
    """Makes the digests that are due, and writes down their posts where Scoop posts."""

    channels: Mapping[str, type[Any]]
    modes: Modes
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[Order]:
        now = self.clock()
        due = {topic.topic_id: topic for topic in await digests.due(conn) if topic.topic_id in set(ids)}
        orders: list[Order] = []
        for topic in (each for each in await topics.list_topics(conn) if each.topic_id in due):
            day, held = due_date(due[topic.topic_id], self.modes, now), self.modes.of(topic)
            if day is not None:
                mode: RunMode = "shadow" if held.mode == "shadow" else "live"
                orders.append(Order(topic=topic, day=day, mode=mode, publish=held.posts))
        return orders

    async def order(self, orders: list[Order]) -> Outcome[list[Order]]:
        told = [f"{each.topic.topic_slug} {each.day}: digest made ({each.mode})" for each in orders]
        return Outcome(output=orders, messages=told)

    async def save(self, conn: Connection, orders: list[Order]) -> list[Subject]:
        for order in orders:
            await make(conn, order, self.channels)
        return []


def stage(
    channels: Mapping[str, type[Any]], *, modes: Modes, clock: Callable[[], datetime]
) -> Stage[list[Order], list[Order]]:
    made = DigestStage(channels=channels, modes=modes, clock=clock)
    return Stage(name=StageName.DIGEST, load=made.load, work=made.order, save=made.save, batch=1)
