"""Rate limits: every route counts, wrong API keys are few, and one caller's flood is not another's."""

import asyncio
from datetime import timedelta

from api.test_api_rights import asked, calls, credentials
from scoop.http import auth
from scoop.http.rate_limits import RateLimiter
from scoop.http.routes import PROBES
from web.visitor import NOW, signed_in, visiting

MINUTE = timedelta(minutes=1)
STORIES = "/api/v1/stories"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def with_key(number):
    return {"Authorization": f"Bearer scoop_guess_{number}"}


# Every route


async def test_no_route_escapes_the_limit_of_an_exhausted_key(database):
    guarded = [call for call in calls() if call.right is not None]
    async with visiting(database, role=None, requests_per_minute=1) as visitor:
        key = await credentials(database, "a key that reads")
        assert (await visitor.get(STORIES, **key)).status == 200
        statuses = {call.name: (await asked(visitor, call, **key))[0] for call in guarded}
        refused = await visitor.get("/reader/api/0/token", **key)
    assert [name for name, status in statuses.items() if status != 429] == []
    assert 0 < int(refused.headers["Retry-After"]) <= 60


async def test_no_open_route_but_the_probes_escapes_the_limit_of_an_address(database):
    open_calls = [call for call in calls() if call.right is None]
    async with visiting(database, role=None, requests_per_minute=1) as visitor:
        await visitor.get("/api/v1/health")
        statuses = {call.name: (await asked(visitor, call, Origin=visitor.address))[0] for call in open_calls}
    escaped = {name.partition(" ")[2] for name, status in statuses.items() if status != 429}
    assert escaped == PROBES


async def test_a_flood_of_one_user_does_not_slow_another_down(database):
    async with visiting(database, role=None, requests_per_minute=2) as visitor:
        flooding, other = [await credentials(database, "reader") for _ in range(2)]
        statuses = [(await visitor.get(STORIES, **flooding)).status for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        assert (await visitor.get(STORIES, **other)).status == 200


# Wrong API keys


async def test_of_a_hundred_parallel_wrong_keys_no_more_than_the_limit_are_tried(database):
    async with visiting(database, role=None) as visitor:
        answers = await asyncio.gather(*(visitor.get(STORIES, **with_key(number)) for number in range(100)))
        later = await visitor.get(STORIES, **with_key("later"))
    statuses = [answer.status for answer in answers]
    assert statuses.count(401) == auth.MAX_WRONG_KEYS
    assert statuses.count(429) == 100 - auth.MAX_WRONG_KEYS
    assert 0 < int(later.headers["Retry-After"]) <= 60


async def test_guessing_keys_locks_out_neither_sessions_nor_keys_in_use_at_the_same_address(database):
    async with visiting(database, role=None) as visitor:
        key, session = await credentials(database, "a key that reads"), await signed_in(database, "reader", now=NOW)
        assert (await visitor.get(STORIES, **key)).status == 200
        guesses = [(await visitor.get(STORIES, **with_key(number))).status for number in range(40)]
        assert guesses[-1] == 429
        await visitor.post("/sign-out", Cookie=f"{auth.COOKIE}=somebody")  # which empties the cache
        assert (await visitor.get(STORIES, **key)).status == 200
        assert (await visitor.get(STORIES, Cookie=f"{auth.COOKIE}={session}")).status == 200


async def test_a_hundred_parallel_requests_with_a_valid_key_are_not_taken_for_guesses(database):
    async with visiting(database, role=None) as visitor:
        key = await credentials(database, "a key that reads")
        answers = await asyncio.gather(*(visitor.get(STORIES, **key) for _ in range(100)))
    assert {answer.status for answer in answers} == {200}


# Token buckets


def test_a_bucket_refills_evenly():
    clock = Clock()
    limiter = RateLimiter(clock=clock)
    assert [limiter.take("ada", limit=2, window=MINUTE) for _ in range(3)] == [None, None, timedelta(seconds=30)]
    clock.now = 29.0
    assert limiter.take("ada", limit=2, window=MINUTE) == timedelta(seconds=1)
    clock.now = 30.0
    assert limiter.take("ada", limit=2, window=MINUTE) is None
    clock.now = 3600.0
    assert [limiter.take("ada", limit=2, window=MINUTE) is None for _ in range(3)] == [True, True, False]


def test_a_token_that_was_given_back_can_be_taken_again():
    limiter = RateLimiter(clock=Clock())
    limiter.take("ada", limit=1, window=MINUTE)
    limiter.give_back("ada")
    assert limiter.take("ada", limit=1, window=MINUTE) is None
