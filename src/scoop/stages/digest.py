"""Digests: when one is due, how it is drafted and recorded, and the posts that carry it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import structlog

from scoop.channels import ChannelMakers
from scoop.core import delivery, digest_windows, novelty, schedules, text
from scoop.core import digest as choosing
from scoop.core.alerts import AlertKind
from scoop.core.digest import DigestCandidate, DigestChoice, PublishedStory
from scoop.core.digest_windows import DigestWindow
from scoop.core.handover_modes import Modes
from scoop.errors import Conflict, Reject, UsageError
from scoop.model import ChannelSettings, Digest, DigestPart, Topic
from scoop.stage_names import StageName
from scoop.stages import curated_digest
from scoop.stages.curated_digest import ChosenStories, Curation
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, curators, digests, handover, posts, topics, work
from scoop.store.db import Connection
from scoop.store.digests import DueTopic, RunEntry, RunMode, Snapshot
from scoop.store.work import Subject

log = structlog.get_logger()

SUMMARY_CHARACTERS = 400
CATCH_UP_WITHIN = timedelta(hours=12)  # a digest that was missed, because the machine slept, is still made
LATE_AFTER = timedelta(minutes=15)
ALERT: AlertKind = "digest_late"

ChannelParts = tuple[ChannelSettings, list[tuple[str, DigestPart]]]
"""A channel and the parts of a digest for it, each with its key."""
PostKey = Callable[[str, int], str]
"""The key of a post, by the name of its channel and the number of the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOrder:
    """A digest to be made: live or shadow, and whether to post it."""

    topic: Topic
    day: date
    mode: RunMode = "live"
    publish: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestInput:
    """Everything that decides what a digest says; a curator chooses from `curation` instead of all candidates."""

    order: DigestOrder
    window: DigestWindow
    candidates: Sequence[tuple[DigestCandidate, Mapping[str, Any]]]
    published: Sequence[PublishedStory]
    desk_id: str
    curation: Curation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedPosts:
    """A digest rendered for each of its channels, and the channels that cannot be used, with the reason."""

    parts_by_channel: Mapping[str, ChannelParts]
    problem_by_channel: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestDraft:
    """A digest that is decided and not yet recorded; `posts` is None where it is not to be posted."""

    order: DigestOrder
    window: DigestWindow
    choices: Sequence[DigestChoice]
    snapshots: Mapping[int, Snapshot]
    posts: DraftedPosts | None
    introduction: str = ""


async def prepare_order(
    conn: Connection, slug: str, day: date | None, *, mode: RunMode, publish: bool, modes: Modes, now: datetime
) -> DigestOrder:
    """The order of a topic's digest, for a date or the last one due; UsageError if it cannot be made or posted."""
    topic = await topics.by_slug(conn, slug)
    if publish and not any(channel.enabled for channel in topic.channels):
        raise UsageError(
            f"{slug} has no channel to post to; add one: scoop topics channels add {slug} NAME --kind KIND, "
            f"or see what is wrong with those it has: scoop topics show {slug}"
        )
    if publish and not modes.of(topic).posts:
        raise UsageError(f"{slug} is posted by the older system; to post it by Scoop: scoop legacy cutover {slug}")
    if day is not None:
        _check_not_ahead(topic, day, publish=publish, now=now)
    resolved = day or digest_windows.latest(topic.digest_cron, topic.timezone, now)
    return DigestOrder(topic=topic, day=resolved, mode=mode, publish=publish)


def _check_not_ahead(topic: Topic, day: date, *, publish: bool, now: datetime) -> None:
    """UsageError for a date after that of the next digest, whose news is being gathered and may be previewed."""
    coming = digest_windows.coming(topic.digest_cron, topic.timezone, now)
    if day > coming:
        raise UsageError(
            f"{day} is in the future: {topic.topic_slug} has no news for it yet; its next digest is of {coming}"
        )
    if publish and day > now.astimezone(schedules.zone(topic.timezone)).date():
        raise UsageError(f"{day} is in the future in {topic.timezone}; post the digest on its date")


async def make(conn: Connection, order: DigestOrder, channels: ChannelMakers) -> int:
    """Make a digest in the caller's transaction and give its run; one with posts is not made again."""
    await digests.lock_topic(conn, order.topic.topic_id)
    if (run_id := await _published_run(conn, order)) is not None:
        return run_id
    return await _record(conn, draft(await read_input(conn, order), channels))


async def read_input(conn: Connection, order: DigestOrder) -> DigestInput:
    """Read what decides about a digest; UsageError where the topic has none on that date."""
    topic_id, window = order.topic.topic_id, window_of(order.topic, order.day)
    if (curator := await curators.find(conn, topic_id)) is not None:
        curation = await curated_digest.read(conn, curator, until=window.end)
        desk_id = await posts.get_desk_id(conn)
        return DigestInput(order=order, window=window, candidates=(), published=(), desk_id=desk_id, curation=curation)
    late_since = await digests.get_last_made(conn, topic_id, order.mode, order.day)
    return DigestInput(
        order=order,
        window=window,
        candidates=await digests.list_candidates(conn, topic_id, window, late_since=late_since),
        published=await _published_before(conn, order),
        desk_id=await posts.get_desk_id(conn),
    )


def draft(source: DigestInput, channels: ChannelMakers) -> DigestDraft:
    """Choose the stories of a digest and render its posts."""
    if source.curation is not None:
        return _draft_of(source, curated_digest.choose(source.curation), channels)
    return _draft_of(source, _choose(source), channels)


def _choose(source: DigestInput) -> ChosenStories:
    """Choose from the candidates of a topic without interests."""
    topic = source.order.topic
    choices = choosing.choose(
        [candidate for candidate, _ in source.candidates],
        source.published,
        source.window,
        max_entries=topic.max_entries,
        max_per_family=topic.max_per_family,
    )
    snapshots = {candidate.story_id: _snapshot(candidate, row) for candidate, row in source.candidates}
    candidates = {candidate.story_id: (candidate, row["story_uuid"]) for candidate, row in source.candidates}
    entries = [_entry(choice, snapshots[choice.story_id], *candidates[choice.story_id]) for choice in choices]
    return ChosenStories(choices=choices, snapshots=snapshots, entries=entries)


def _draft_of(source: DigestInput, chosen: ChosenStories, channels: ChannelMakers) -> DigestDraft:
    order = source.order
    is_posted = order.publish and order.mode == "live"
    digest = digests.make_digest(
        order.topic, order.day, chosen.entries, introduction=chosen.introduction, language=chosen.language
    )
    return DigestDraft(
        order=order,
        window=source.window,
        choices=chosen.choices,
        snapshots=chosen.snapshots,
        posts=draft_posts(order.topic, digest, channels, _post_key(source.desk_id, digest)) if is_posted else None,
        introduction=chosen.introduction,
    )


async def _record(conn: Connection, drafted: DigestDraft) -> int:
    """Write a draft as a run, with its posts; the caller holds the topic's lock."""
    topic_id, day = drafted.order.topic.topic_id, drafted.order.day
    run_id = await digests.insert_run(
        conn,
        topic_id=topic_id,
        day=day,
        mode=drafted.order.mode,
        window=drafted.window,
        choices=drafted.choices,
        snapshots=drafted.snapshots,
        introduction=drafted.introduction,
    )
    if drafted.posts is not None:
        await _post(conn, drafted.order.topic, day, run_id, drafted.posts)
    return run_id


async def publish(conn: Connection, order: DigestOrder, run_id: int, channels: ChannelMakers) -> None:
    """Post a run as it is, in the caller's transaction; Conflict where it is outdated."""
    topic = order.topic
    await digests.lock_topic(conn, topic.topic_id)
    published = await digests.published_run_id(conn, topic.topic_id, order.day)
    if published == run_id:
        return
    if published is not None:
        raise Conflict(f"the digest of {topic.topic_slug} for {order.day} is already posted, or on its way")
    if await digests.find_latest_run(conn, topic.topic_id, order.day, "live") != run_id:
        raise Conflict("the digest was made again since you looked at it; look at the new one")
    suppressed = await digests.list_suppressed(conn, topic.topic_id)
    entries = await digests.list_entries(conn, run_id)
    if any(entry.rank and entry.story_id in suppressed for entry in entries):
        raise Conflict("a story in it was suppressed since you looked at it; make the digest again")
    run = await digests.get_run(conn, run_id)
    digest = digests.make_digest(topic, order.day, entries, introduction=run.introduction, language=run.language)
    drafted = draft_posts(topic, digest, channels, _post_key(await posts.get_desk_id(conn), digest))
    await _post(conn, topic, order.day, run_id, drafted)


async def _published_run(conn: Connection, order: DigestOrder) -> int | None:
    """The run of a live order that has posts already."""
    if order.mode == "shadow":
        return None
    return await digests.published_run_id(conn, order.topic.topic_id, order.day)


async def _published_before(conn: Connection, order: DigestOrder) -> list[PublishedStory]:
    """The stories that readers know; those of a live digest also from the older system that posted before."""
    ours = await digests.list_published(conn, order.topic.topic_id, order.mode, order.day)
    if order.mode == "shadow":
        return ours
    return [*ours, *await handover.list_published_before(conn, order.topic.topic_id, order.day)]


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
        summary=text.one_line(row["summary"] or row["lead"])[:SUMMARY_CHARACTERS],
        publishers=candidate.publishers,
        language=row["language"],
        memory=novelty.remember(candidate.versions),
    )


def _entry(choice: DigestChoice, snapshot: Snapshot, candidate: DigestCandidate, story_uuid: str) -> RunEntry:
    return RunEntry(
        story_id=choice.story_id,
        story_uuid=story_uuid,
        status=choice.status,
        rank=choice.rank,
        score=choice.score,
        reason=choice.reason,
        change=choice.change,
        twin_of=choice.twin_of,
        score_parts=choice.score_parts,
        title=snapshot.title,
        url=snapshot.url,
        publishers=snapshot.publishers,
        publisher_names=[candidate.publisher_name(publisher) for publisher in snapshot.publishers],
        summary=snapshot.summary,
        language=snapshot.language,
        published_at=None,
    )


def draft_posts(topic: Topic, digest: Digest, channels: ChannelMakers, key: PostKey) -> DraftedPosts:
    """Render a digest for its enabled channels; one that cannot be used does not hold up the others."""
    parts_by_channel: dict[str, ChannelParts] = {}
    problem_by_channel: dict[str, str] = {}
    for settings in (with_topic_channel(topic, channel) for channel in topic.channels if channel.enabled):
        try:
            parts_by_channel[settings.name] = settings, _render(digest, settings, channels, key)
        except Reject as refusal:
            problem_by_channel[settings.name] = str(refusal)
    return DraftedPosts(parts_by_channel=parts_by_channel, problem_by_channel=problem_by_channel)


async def disable_unusable(conn: Connection, topic: Topic, drafted: DraftedPosts) -> None:
    """Disable the channels that cannot be used as they are configured."""
    for channel, problem in drafted.problem_by_channel.items():
        log.warning("channel disabled", topic=topic.topic_slug, channel=channel, error=problem)
        await posts.disable_channel(conn, topic.topic_id, channel, problem)


async def _post(conn: Connection, topic: Topic, day: date, run_id: int, drafted: DraftedPosts) -> None:
    await disable_unusable(conn, topic, drafted)
    await posts.put(
        conn, digest_run_id=run_id, topic_id=topic.topic_id, day=day, parts_by_channel=drafted.parts_by_channel
    )


def with_topic_channel(topic: Topic, settings: ChannelSettings) -> ChannelSettings:
    """The settings of a bot's channel; where they name no Discord channel, it posts to the topic's."""
    if settings.kind != "discord_bot" or "channel_id" in settings.options or topic.discord_channel_id is None:
        return settings
    return replace(settings, options=settings.options | {"channel_id": topic.discord_channel_id})


async def correct(conn: Connection, topic: Topic, run_id: int, channels: ChannelMakers) -> int:
    """Change the posts of a run to leave out stories that were suppressed since; give how many posts change."""
    run = await digests.get_run(conn, run_id)
    suppressed = await digests.list_suppressed(conn, topic.topic_id)
    entries = [entry for entry in await digests.list_entries(conn, run_id) if entry.rank is not None]
    kept = [entry for entry in entries if entry.story_id not in suppressed]
    # the introduction of a curator names articles
    introduction = run.introduction if len(kept) == len(entries) else ""
    digest = digests.make_digest(topic, run.run_date, kept, introduction=introduction, language=run.language)
    desk_id, changed = await posts.get_desk_id(conn), 0
    for post in await posts.list_run_posts(conn, run_id):
        settings = ChannelSettings(name=post.channel, kind=post.kind, options=post.options)
        parts = render_parts(digest, settings, desk_id, channels)
        if post.part_no > len(parts):  # the digest became shorter: nothing is left for this part
            parts = render_parts(replace(digest, tellings=()), settings, desk_id, channels)
        _, part = parts[min(post.part_no, len(parts)) - 1]
        changed += await posts.correct(conn, post.post_id, part.payload)
    return changed


def render_parts(
    digest: Digest, settings: ChannelSettings, desk_id: str, channels: ChannelMakers
) -> list[tuple[str, DigestPart]]:
    """The parts of a digest for a channel, each with its key; Reject for a channel that cannot be used."""
    return _render(digest, settings, channels, _post_key(desk_id, digest))


def _post_key(desk_id: str, digest: Digest) -> PostKey:
    return partial(delivery.key, desk_id, digest.topic_slug, digest.run_date)


def _render(
    digest: Digest, settings: ChannelSettings, channels: ChannelMakers, key: PostKey
) -> list[tuple[str, DigestPart]]:
    try:
        channel = channels[settings.kind](settings.options)
    except Reject as error:
        raise Reject(f"channel {settings.name}: {error}; change it by scoop topics channel") from error
    parts = channel.parts(digest, lambda part_no: delivery.marker(key(settings.name, part_no)))
    return [(key(settings.name, part_no), part) for part_no, part in enumerate(parts, start=1)]


def due_date(topic: DueTopic, modes: Modes, now: datetime) -> date | None:
    """The date whose digest is due and not made; a date before the topic existed is never due."""
    held = modes.of(topic)
    if held.mode == "legacy":
        return None
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    # A digest that somebody only looked at does not keep the day's from being posted.
    outgoing = max((made for made in (topic.last_outgoing, topic.last_posted) if made is not None), default=None)
    live = outgoing if held.posts and topic.has_open_channels else topic.last_live
    made = topic.last_shadow if held.mode == "shadow" else live
    if due is None or now - due > CATCH_UP_WITHIN or due < topic.created_at or (made is not None and made >= day):
        return None
    return day


async def schedule(conn: Connection, modes: Modes, *, now: datetime) -> None:
    """Enqueue the topics whose digest is due; those that wait already stay as they are."""
    due = [topic.topic_id for topic in await digests.list_due(conn) if due_date(topic, modes, now) is not None]
    if due:
        await work.enqueue_missing(conn, StageName.DIGEST, due)


async def alert_late_digests(conn: Connection, modes: Modes, *, now: datetime) -> None:
    """Raise an alert for each digest that should have been posted by now, and resolve those that were."""
    posting = [topic for topic in await digests.list_due(conn) if topic.has_channels and modes.of(topic).posts]
    late: dict[tuple[AlertKind, str], str] = {}
    for topic in posting:
        day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
        due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
        is_posted = topic.last_posted is not None and topic.last_posted >= day
        if due is not None and due >= topic.created_at and now - due > LATE_AFTER and not is_posted:
            late[ALERT, topic.topic_slug] = (
                f"the digest of {topic.topic_slug} for {day} was due at {due:%Y-%m-%d %H:%M} UTC and is not posted; "
                "see scoop posts list and scoop work"
            )
    await alerts.settle(conn, late, subjects=[topic.topic_slug for topic in posting], kinds=[ALERT])


async def _wait_for_evaluations(conn: Connection, topic: Topic, day: date, *, now: datetime) -> None:
    """Retry while the articles of a curator are being evaluated."""
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    if due is not None and (curator := await curators.find(conn, topic.topic_id)) is not None:
        await curated_digest.wait_until_evaluated(conn, curator, due=due, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestStage:
    """Makes the digests that are due, with their posts where Scoop posts."""

    channels: ChannelMakers
    modes: Modes
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[DigestInput]:
        now = self.clock()
        due = {topic.topic_id: topic for topic in await digests.list_due(conn) if topic.topic_id in set(ids)}
        days = {topic_id: due_date(topic, self.modes, now) for topic_id, topic in due.items()}
        inputs = []
        for topic in await topics.list_topics(conn):
            if (day := days.get(topic.topic_id)) is not None:
                await _wait_for_evaluations(conn, topic, day, now=now)
                inputs.append(await read_input(conn, self._order(topic, day)))
        return inputs

    def _order(self, topic: Topic, day: date) -> DigestOrder:
        held = self.modes.of(topic)
        return DigestOrder(topic=topic, day=day, mode="shadow" if held.mode == "shadow" else "live", publish=held.posts)

    async def draft(self, inputs: list[DigestInput]) -> Outcome[list[DigestDraft]]:
        drafts = [draft(source, self.channels) for source in inputs]
        orders = [drafted.order for drafted in drafts]
        messages = [f"{order.topic.topic_slug} {order.day}: digest made ({order.mode})" for order in orders]
        return Outcome(output=drafts, messages=messages)

    async def save(self, conn: Connection, drafts: list[DigestDraft]) -> list[Subject]:
        for drafted in drafts:
            await digests.lock_topic(conn, drafted.order.topic.topic_id)
            if await _published_run(conn, drafted.order) is None:  # else somebody posted it while this was drafted
                await _record(conn, drafted)
        return []


def stage(
    channels: ChannelMakers, *, modes: Modes, clock: Callable[[], datetime]
) -> Stage[list[DigestInput], list[DigestDraft]]:
    digest = DigestStage(channels=channels, modes=modes, clock=clock)
    return Stage(name=StageName.DIGEST, load=digest.load, work=digest.draft, save=digest.save, batch=1)
