"""Thirty days of five hundred feeds on a clock of our own: nobody is asked more often than planned."""

import itertools
import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta

from gathering import a_feed
from scoop import plugins
from scoop import sources as kinds
from scoop.archive.objects import Archive
from scoop.fetch.client import Client, Request, Response
from scoop.fetch.rate_limits import RateLimits
from scoop.fetch.sandbox import Sandbox
from scoop.model import SourceSettings
from scoop.stages import ingest
from scoop.stages import stage as stage_loop
from scoop.stages.ingest import Ingest
from scoop.stages.stage import Stage, Worker
from scoop.store import sources, work

START = datetime(2026, 11, 1, tzinfo=UTC)
DAYS = 30
FEEDS = 500
HOSTS = 40
STEP = timedelta(minutes=10)
RESTARTS = 50
INTERVALS = {"6h": timedelta(hours=6), "12h": timedelta(hours=12), "1d": timedelta(days=1)}
REST = timedelta(hours=30)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class FakeWeb(Client):
    """The network's seam: feeds that answer by their number, and a record of who was asked when."""

    def __init__(self, clock: Clock) -> None:
        self._now = clock
        self.rate_limits = RateLimits(lambda: 0.0)
        self.asked: dict[str, list[datetime]] = defaultdict(list)

    async def send(self, request: Request) -> Response:
        self.asked[request.url].append(self._now())
        number = int(request.url.rpartition("/")[2].replace("robots.txt", "0"))
        headers: dict[str, str] = {"ETag": '"1"'}
        if "robots.txt" in request.url:
            return Response(status=404, url=request.url, headers={}, body=b"")
        if number % 25 == 1:
            headers["Retry-After"] = str(int(REST.total_seconds()))
            return Response(status=503, url=request.url, headers=headers, body=b"")
        if number % 25 == 2:
            return Response(status=404, url=request.url, headers=headers, body=b"")
        if number % 25 == 3:
            headers["Cache-Control"] = "max-age=72000"
        if "If-None-Match" in request.headers:
            return Response(status=304, url=request.url, headers=headers, body=b"")
        return Response(status=200, url=request.url, headers=headers, body=bytes(a_feed(f"feed {number}").body))


def a_source(number: int) -> SourceSettings:
    # Those who ask for rest have a host of their own: a host rests as a whole.
    host = f"busy{number}.example" if number % 25 == 1 else f"h{number % HOSTS}.example"
    return SourceSettings(
        slug=f"feed_{number}",
        name="Feed",
        kind="rss",
        collection="world_news",
        base_url=f"http://{host}/{number}",
        schedule=list(INTERVALS)[number % 3],
    )


def a_stage(web: FakeWeb, clock: Clock, folder) -> Stage:
    """What a fresh process has: nothing in memory."""
    gather = Ingest(
        client=web,
        archive=Archive.open(str(folder), credentials={}),
        sandbox=Sandbox(),
        kinds=plugins.makers(kinds),
        clock=clock,
        trigger="schedule",
        force=False,
        pages="pages",
    )
    return Stage(
        name="ingest",
        load=gather.load,
        work=gather.work,
        save=gather.save,
        batch=200,
        max_attempts=ingest.NEVER_GIVE_UP,
    )


async def check_turns(conn) -> None:
    """What was just planned at one host is apart by the interval of its sources."""
    crowded = await conn.fetchval("""
        SELECT count(*) FROM (
            SELECT due_at - lag(due_at) OVER (PARTITION BY host ORDER BY due_at) AS gap
            FROM work JOIN sources ON source_id = subject WHERE attempts = 0 AND state = 'waiting') AS planned
        WHERE gap < interval '199 ms'""")
    assert crowded == 0


async def test_nobody_is_asked_more_often_than_planned_though_the_desk_restarts(database, tmp_path):
    clock = Clock()
    web = FakeWeb(clock)
    chance = random.Random(7)
    restarts = set(chance.sample(range(int(timedelta(days=DAYS) / STEP)), RESTARTS))
    async with database.connection() as conn:
        await conn.execute("""
            CREATE SCHEMA clock; CREATE TABLE clock.time (now TIMESTAMPTZ);
            CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now FROM clock.time';
            SET search_path = clock, news, public, pg_catalog;""")
        await conn.execute("INSERT INTO clock.time VALUES ($1)", START)
        for number in range(FEEDS):
            await sources.put(conn, a_source(number))
        await conn.execute("UPDATE sources SET next_visit_at = $1, health_since = $1", START)
        worker = Worker(await work.register_worker(conn), conn)
        stage = a_stage(web, clock, tmp_path)
        for step in range(int(timedelta(days=DAYS) / STEP)):
            if step in restarts:
                before = sum(map(len, web.asked.values()))
                stage = a_stage(web, clock, tmp_path)
                await sources.enqueue_due(conn)
                await stage_loop.run_batch(stage, worker)
                assert sum(map(len, web.asked.values())) == before
            clock.now += STEP
            await conn.execute("UPDATE clock.time SET now = $1", clock.now)
            await sources.enqueue_due(conn)
            await check_turns(conn)
            while await stage_loop.run_batch(stage, worker):
                pass
    for number in range(FEEDS):
        check_feed(number, web.asked[a_source(number).base_url])
    check_robots(web)


def check_feed(number: int, asked: list[datetime]) -> None:
    settings = a_source(number)
    interval = INTERVALS[settings.schedule]
    gaps = [later - earlier for earlier, later in itertools.pairwise(asked)]
    least = {1: REST, 2: timedelta(hours=1), 3: max(interval, timedelta(hours=20))}.get(number % 25, interval)
    assert all(gap >= least for gap in gaps)
    assert len(asked) <= timedelta(days=DAYS) / least + 1
    if number % 25 not in {1, 2, 3}:
        assert len(asked) >= 0.85 * (timedelta(days=DAYS) / interval)  # polite is not asleep
    if number % 25 == 2:
        assert len(asked) <= DAYS + 6  # an hour, two, four, ... and then once a day


def check_robots(web: FakeWeb) -> None:
    """Once a day at most, restarts or not."""
    for url, asked in web.asked.items():
        if url.endswith("robots.txt"):
            assert len(asked) <= DAYS + 1
