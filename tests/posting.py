"""Posts on their way through troubles: a Discord that loses answers, and workers that die or sleep over their work.

A minute of the desk is a second here, in the same proportions, so that thousands of posts settle in minutes.
"""

import asyncio
import random
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, Literal

from scoop import channels, plugins
from scoop.channels import ChannelMakers
from scoop.core import delivery as delivery_rules
from scoop.core.delivery import Pace
from scoop.core.rendering import discord as rendering
from scoop.core.secrets import Secret
from scoop.fetch import client as fetching
from scoop.fetch.client import Client, open_client
from scoop.model import ChannelSettings, Digest, DigestPart, Post, Telling
from scoop.newsstand import server as newsstand
from scoop.newsstand.discord.state import DEMO_TOKEN, Discord, DiscordChannel, ReplyMode, StoredMessage, StoredWebhook
from scoop.newsstand.world import World
from scoop.serve import serving
from scoop.stage_names import StageName
from scoop.stages import publish
from scoop.stages import stage as stage_loop
from scoop.stages.publish import PostAttempt
from scoop.stages.stage import Outcome, Stage, Worker
from scoop.store import db, posts, topics, work
from scoop.store.db import Connection, Database
from scoop.store.posts import PostOutcome

HASTE = 60
PACE = Pace(
    settle=Pace().settle / HASTE,
    nonce_lasts=Pace().nonce_lasts / HASTE,
    between_looks=Pace().between_looks / HASTE,
    in_hand=timedelta(seconds=0.4),
)
DEADLINE = timedelta(seconds=fetching.DEADLINE_SECONDS) / HASTE
LEASE = PACE.in_hand + DEADLINE + timedelta(seconds=1)
OVERSLEPT = LEASE + timedelta(seconds=0.3)
LATE_YET_SETTLED = (PACE.settle - DEADLINE) * 0.6
LATE_BEYOND_SETTLING = PACE.settle * 2
SOON = timedelta(seconds=0.1)
LINES = 24
BATCHES_OF_A_LIFE = 30
HOUSE_SECONDS = 0.05
SECONDS_TO_REST = 240.0
TOPIC = "ai_news"
FIRST_DAY = date(2026, 1, 1)

Kind = Literal["discord_bot", "discord_webhook"]
Point = Literal["claimed", "loaded", "sending", "in_flight", "worked", "saved", "committed"]
POINTS: tuple[Point, ...] = ("claimed", "loaded", "sending", "in_flight", "worked", "saved", "committed")
BAD_MODES = tuple(mode for mode in ReplyMode if mode is not ReplyMode.ACCEPT)

RUN = """
INSERT INTO digest_runs (topic_id, run_date, mode, window_start_utc, window_end_utc, finished_at, status)
VALUES ($1, $2, 'live', now() - interval '1 day', now(), now(), 'completed') RETURNING digest_run_id
"""
STORIES = """
WITH made AS (
    INSERT INTO stories (story_id, coverage_id, collection, canonical_title, first_seen_at, last_seen_at, sources,
        publisher_families)
    SELECT id, id, 'ai_news', 'Story ' || number, now(), now(), '{tribune}', '{tribune}'
    FROM (
        SELECT number, nextval('stories_story_id_seq') AS id FROM generate_series(1, $2::int) AS number) AS numbered
    RETURNING *
), opened AS (
    INSERT INTO events (event_id, event_uuid, collection, lead_story_id, first_seen_at, last_seen_at, developed_at,
        sources, publisher_families)
    SELECT story_id, story_uuid, collection, story_id, first_seen_at, last_seen_at, now(), sources, publisher_families
    FROM made
)
INSERT INTO digest_entries (digest_run_id, story_id, status, rank)
SELECT $1, story_id, 'new', row_number() OVER (ORDER BY story_id) FROM made RETURNING story_id
"""
UNSETTLED = "SELECT count(*) FROM work WHERE stage = 'publish' AND state <> 'quarantined'"
PUBLISH_COUNTS = "SELECT story_id, publish_count FROM story_topic_state WHERE story_id = ANY ($1)"


class Killed(BaseException):
    """A worker is no more; no code of the stage may catch it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What befalls the worker that brings a post to this point: it dies, or sleeps until its lease is over."""

    point: Point
    sleeps: bool = False

    def __str__(self) -> str:
        return f"{'slept' if self.sleeps else 'killed'} at {self.point}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One channel of a digest: what becomes of each message sent there, and the troubles of each part."""

    kind: Kind
    modes: tuple[ReplyMode, ...] = ()
    troubles: tuple[tuple[Trouble, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A digest of some parts, and all that goes wrong with it."""

    parts: int
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """How long a new message is hidden from readers, and how long a nonce is known."""

    lateness: timedelta = timedelta()
    nonce_window: timedelta = timedelta(minutes=5) / HASTE


# What is hidden for longer than the desk waits is known by its nonce: one of the two must hold.
CONDITIONS = (
    Conditions(),
    Conditions(nonce_window=timedelta()),
    Conditions(lateness=LATE_YET_SETTLED, nonce_window=timedelta()),
    Conditions(lateness=LATE_BEYOND_SETTLING),
)


def schedule(chance: random.Random) -> Schedule:
    """A schedule by chance."""
    parts = chance.choices((1, 2, 3, 4), weights=(5, 3, 1, 1))[0]
    kinds: tuple[Kind, ...] = chance.choices(
        (("discord_bot",), ("discord_webhook",), ("discord_bot", "discord_webhook")), weights=(2, 1, 1)
    )[0]
    return Schedule(parts=parts, lanes=tuple(_lane(kind, parts, chance) for kind in kinds))


def _lane(kind: Kind, parts: int, chance: random.Random) -> Lane:
    modes = [chance.choice(BAD_MODES) if chance.random() < 0.3 else ReplyMode.ACCEPT for _ in range(parts + 2)]
    troubles = [tuple(_trouble(chance) for _ in range(chance.choice((0, 0, 0, 1, 2)))) for _ in range(parts)]
    return Lane(kind=kind, modes=tuple(modes), troubles=tuple(troubles))


def _trouble(chance: random.Random) -> Trouble:
    return Trouble(point=chance.choice(POINTS), sleeps=chance.random() < 0.15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A digest in one channel: its posts in order, where they go, and the story that each tells."""

    lane: Lane
    channel_id: str
    post_ids: tuple[int, ...]
    story_ids: tuple[int, ...]


@dataclass(kw_only=True)
class Desk:
    """Workers that publish to a Discord of their own."""

    database: Database
    discord: Discord
    address: str
    secrets: dict[str, Secret] = field(default_factory=lambda: {"discord_bot_token": Secret(DEMO_TOKEN)})
    troubles: dict[int, deque[Trouble]] = field(default_factory=lambda: defaultdict(deque))
    met: Counter[str] = field(default_factory=Counter)
    released: int = 0
    kinds: ChannelMakers = field(default_factory=lambda: plugins.makers(channels))
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def put(self, schedules: Iterable[Schedule]) -> list[Delivery]:
        """Write down the digests of schedules, as the stage before does, and prepare what will become of them."""
        async with self.database.transaction() as conn:
            topic_id = (await topics.by_slug(conn, TOPIC)).topic_id
            first = await conn.fetchval("SELECT count(*) FROM digest_runs")
            return [
                delivery
                for number, each in enumerate(schedules, start=first)
                for delivery in await self._put(conn, topic_id, FIRST_DAY + timedelta(days=number), each)
            ]

    async def _put(self, conn: Connection, topic_id: int, day: date, schedule: Schedule) -> list[Delivery]:
        run_id = await conn.fetchval(RUN, topic_id, day)
        story_ids = tuple(row["story_id"] for row in await conn.fetch(STORIES, run_id, schedule.parts))
        desk_id, made = await posts.get_desk_id(conn), []
        for lane in schedule.lanes:
            channel_id, options = self._channel(lane)
            settings = ChannelSettings(name=lane.kind, kind=lane.kind, options=options)
            parts = {settings.name: (settings, _parts(desk_id, day, lane.kind, story_ids))}
            await posts.put(conn, digest_run_id=run_id, topic_id=topic_id, day=day, parts_by_channel=parts)
            written = [post.post_id for post in await posts.list_run_posts(conn, run_id) if post.channel == lane.kind]
            for post_id, troubles in zip(written, lane.troubles, strict=False):
                self.troubles[post_id].extend(troubles)
            made.append(Delivery(lane=lane, channel_id=channel_id, post_ids=tuple(written), story_ids=story_ids))
        return made

    def _channel(self, lane: Lane) -> tuple[str, dict[str, Any]]:
        """A new Discord channel for a lane, and the options that lead there."""
        number = next(self.numbers)
        channel_id = str(1_290_000_000_000_000_000 + number)
        self.discord.add(DiscordChannel(channel_id=channel_id, name=f"channel-{number}"))
        self.discord.script(channel_id, lane.modes)
        if lane.kind == "discord_bot":
            return channel_id, {"connect_to": self.address, "channel_id": channel_id}
        webhook = StoredWebhook(webhook_id=channel_id, token="t" * 20, channel_id=channel_id, name="Scoop")
        self.discord.webhooks[channel_id] = webhook
        self.secrets[f"hook_{number}"] = Secret(webhook.url)
        return channel_id, {"connect_to": self.address, "url": f"hook_{number}"}

    async def run(self, *, lines: int = LINES) -> None:
        """Work with several workers, replaced when they die, until nothing is due or waits."""
        tasks = [asyncio.create_task(each) for each in (self._keep_house(), *(self._line() for _ in range(lines)))]
        try:
            done, _ = await asyncio.wait(tasks, timeout=SECONDS_TO_REST, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise TimeoutError(f"posts are still on their way after {SECONDS_TO_REST:g} seconds")
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_house(self) -> None:
        async with self.database.connection() as conn:
            while True:
                await work.release_orphans(conn)
                if not await conn.fetchval(UNSETTLED):
                    # on a busy machine a living worker may lose its lease more often than its post allows
                    released = await work.release(conn, stage=StageName.PUBLISH)
                    self.released += released
                    if not released:
                        return
                await asyncio.sleep(HOUSE_SECONDS)

    async def _line(self) -> None:
        while True:
            await self.live()

    async def live(self, *, batches: int = BATCHES_OF_A_LIFE) -> None:
        """One worker, for some batches or until it is killed."""
        async with self.database.connection() as conn, open_client() as client:
            life = Life(desk=self, conn=conn, asis=self._stage(client))
            try:
                await life.run(batches)
            except (Killed, db.DriverMisuse, *db.TROUBLE):
                if not life.is_killed:
                    raise

    def _stage(self, client: Client) -> Stage[PostAttempt, PostOutcome | None]:
        return publish.stage(client, self.kinds, secrets=self.secrets, clock=partial(datetime.now, UTC), pace=PACE)

    def modes_met(self, deliveries: Iterable[Delivery]) -> Counter[ReplyMode]:
        """What became of messages, as far as schedules said it."""
        met: Counter[ReplyMode] = Counter()
        for each in deliveries:
            unmet = len(self.discord._scripts[each.channel_id])
            met.update(each.lane.modes[: len(each.lane.modes) - unmet])
        return met

    async def posts(self, delivery: Delivery) -> list[Post]:
        async with self.database.connection() as conn:
            return [(await posts.get_outgoing(conn, post_id)).post for post_id in delivery.post_ids]


@dataclass(kw_only=True)
class Life:
    """A worker at the publish stage, and what befalls it with the post in hand."""

    desk: Desk
    conn: Connection
    asis: Stage[PostAttempt, PostOutcome | None]
    is_killed: bool = False
    post_id: int | None = None

    async def run(self, batches: int) -> None:
        worker = Worker(await work.register_worker(self.conn), self.conn)
        for _ in range(batches):
            self.post_id = None
            if not await stage_loop.run_batch(self._stage(), worker):
                await asyncio.sleep(HOUSE_SECONDS)
            elif self.post_id is not None:
                await self._meet("committed")

    def _stage(self) -> Stage[PostAttempt, PostOutcome | None]:
        """The stage as it is, with the points at which something may happen around each step."""
        return replace(self.asis, lease=LEASE, load=self._load, work=self._deliver, save=self._save)

    async def _load(self, conn: Connection, ids: Sequence[int]) -> PostAttempt:
        (self.post_id,) = ids
        await self._meet("claimed")
        case = await self.asis.load(conn, ids)
        await self._meet("loaded")
        return replace(case, begin=partial(self._begin, case.begin))

    async def _begin(self, begin: Callable[[], Awaitable[None]]) -> None:
        await begin()
        await self._meet("sending")

    async def _deliver(self, case: PostAttempt) -> Outcome[PostOutcome | None]:
        delivering = asyncio.ensure_future(self.asis.work(case))
        if self._next_trouble("in_flight"):
            await asyncio.wait({delivering}, timeout=random.uniform(0, 0.03))
        try:
            if not delivering.done():
                await self._meet("in_flight")
            outcome = await delivering
        except BaseException:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)
            raise
        await self._meet("worked")
        return outcome

    async def _save(self, conn: Connection, settled: PostOutcome | None) -> Any:
        handed_on = await self.asis.save(conn, settled)
        await self._meet("saved")
        return handed_on

    def _next_trouble(self, point: Point) -> Trouble | None:
        troubles = self.desk.troubles[self.post_id or 0]
        return troubles[0] if troubles and troubles[0].point == point else None

    async def _meet(self, point: Point) -> None:
        trouble = self._next_trouble(point)
        if trouble is None:
            return
        self.desk.troubles[self.post_id or 0].popleft()
        self.desk.met[str(trouble)] += 1
        if trouble.sleeps:
            await asyncio.sleep(OVERSLEPT.total_seconds())
            return
        self.is_killed = True
        self.conn.terminate()
        raise Killed


def _parts(desk_id: str, day: date, channel: str, story_ids: Sequence[int]) -> list[tuple[str, DigestPart]]:
    """One part for each story, as the channels render it."""
    keys = [delivery_rules.key(desk_id, TOPIC, day, channel, number) for number in range(1, len(story_ids) + 1)]
    return [
        (key, _part(delivery_rules.marker(key), day, story_id)) for key, story_id in zip(keys, story_ids, strict=True)
    ]


def _part(marker: str, day: date, story_id: int) -> DigestPart:
    telling = Telling(
        story_id=story_id,
        story_uuid=str(story_id),
        title=f"Story {story_id}",
        url=None,
        summary="It happened.",
        publishers=("tribune",),
    )
    digest = Digest(topic_slug=TOPIC, topic_name="AI News", run_date=day, timezone="Europe/Berlin", tellings=(telling,))
    (part,) = rendering.parts(digest, lambda _number: marker)
    return part


def carries(message: StoredMessage, marker: str) -> bool:
    return any(marker in embed.get("footer", {}).get("text", "") for embed in message.embeds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of deliveries: how many posts ended in each state, and what must not be."""

    states: Counter[str]
    lost: tuple[str, ...]
    double: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def violations(self) -> tuple[str, ...]:
        return (*self.lost, *self.double, *self.wrong)


async def verdict(desk: Desk, deliveries: Sequence[Delivery]) -> Verdict:
    """Compare what the desk knows with what is in the channels, now that all is at rest."""
    states: Counter[str] = Counter()
    lost, double, wrong = [], [], []
    told: set[int] = set()
    for delivery in deliveries:
        written = await desk.posts(delivery)
        states.update(f"{delivery.lane.kind} {post.state}" for post in written)
        told |= {story_id for post, story_id in zip(written, delivery.story_ids, strict=True) if post.state == "sent"}
        lost += [f"lost: {told_of(post, delivery)}" for post in _lost(desk, delivery, written)]
        double += [f"double: {told_of(post, delivery)}" for post in _double(desk, delivery, written)]
        wrong += [f"wrong: {told_of(post, delivery)}" for post in _wrong(desk, delivery, written)]
    wrong += await _miscounted(desk, deliveries, told)
    return Verdict(states=states, lost=tuple(lost), double=tuple(double), wrong=tuple(wrong))


def told_of(post: Post, delivery: Delivery) -> str:
    return f"post {post.post_id}, part {post.part_no}/{post.parts}, {post.state} ({post.error}), of {delivery.lane}"


def ids(desk: Desk, delivery: Delivery, post: Post) -> list[str]:
    """The messages that carry a post, oldest first."""
    return [each.message_id for each in desk.discord.messages(delivery.channel_id) if carries(each, post.marker)]


def _lost(desk: Desk, delivery: Delivery, written: Sequence[Post]) -> list[Post]:
    """Posts that are in no channel; by a webhook one may be held, and what follows it waits."""
    missing = [post for post in written if not ids(desk, delivery, post)]
    if delivery.lane.kind == "discord_bot":
        return missing
    first_held = min((post.part_no for post in written if post.state == "held"), default=len(written) + 1)
    return [post for post in missing if post.part_no < first_held or post.state not in {"held", "waiting"}]


def _double(desk: Desk, delivery: Delivery, written: Sequence[Post]) -> list[Post]:
    return [post for post in written if len(ids(desk, delivery, post)) > 1]


def _wrong(desk: Desk, delivery: Delivery, written: Sequence[Post]) -> list[Post]:
    """Posts whose record says something else than the channel, or that came before their turn."""
    wrong = [post for post in written if post.state == "sent" and post.message_id not in ids(desk, delivery, post)]
    if delivery.lane.kind == "discord_bot":
        wrong += [post for post in written if post.state != "sent"]
    else:
        wrong += [post for post in written if post.state not in {"sent", "held", "waiting"}]
    order = [int(found[0]) for post in written if (found := ids(desk, delivery, post))]
    return wrong + ([] if order == sorted(order) else [written[0]])


async def _miscounted(desk: Desk, deliveries: Sequence[Delivery], told: set[int]) -> list[str]:
    """Stories that do not count as told exactly once, or that count without having been told."""
    story_ids = sorted({story_id for delivery in deliveries for story_id in delivery.story_ids})
    async with desk.database.connection() as conn:
        counts = {row["story_id"]: row["publish_count"] for row in await conn.fetch(PUBLISH_COUNTS, story_ids)}
    return [
        f"wrong: story {story_id} counts as told {counts.get(story_id, 0)} times"
        for story_id in story_ids
        if counts.get(story_id, 0) != int(story_id in told)
    ]


@contextmanager
def _in_haste() -> Iterator[None]:
    """Be as impatient with a server as with all else, and try again sooner still: the tries are many here."""
    before = fetching.DEADLINE_SECONDS, stage_loop.FIRST_DELAYS, stage_loop.LONGEST_DELAY
    fetching.DEADLINE_SECONDS = DEADLINE.total_seconds()
    stage_loop.FIRST_DELAYS, stage_loop.LONGEST_DELAY = (SOON, SOON, SOON), timedelta(seconds=1)
    try:
        yield
    finally:
        fetching.DEADLINE_SECONDS, stage_loop.FIRST_DELAYS, stage_loop.LONGEST_DELAY = before


@asynccontextmanager
async def open_desk(database: Database, conditions: Conditions | None = None) -> AsyncIterator[Desk]:
    """A desk at a database, with a Discord that holds to these conditions."""
    now = partial(datetime.now, UTC)
    app = newsstand.create_app(World(outlets=(), articles=()), now(), now)
    discord: Discord = app.state.discord
    discord.limits.is_on = False
    discord.hang_seconds = DEADLINE.total_seconds() * 2
    discord.busy_seconds = 0.05
    if conditions:
        discord.lateness, discord.nonce_window = conditions.lateness, conditions.nonce_window
    with _in_haste():
        async with serving(app) as url:
            yield Desk(database=database, discord=discord, address=url.removeprefix("http://"))
