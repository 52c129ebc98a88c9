"""The response cache: one read serves many requests while nothing changes, and none after a change."""

import asyncio

from builders import told
from scoop.config import Config
from scoop.http.cache import ResponseCache
from scoop.http.deps import Desk
from scoop.store.reads import stories as story_reads
from web.visitor import NOW, a_report, visiting

LIST = "/api/v1/stories?limit=50"


class Count:
    """How often the list of stories was read from the database, all of it under one snapshot.

    Snapshots number the transactions of the whole server, so that writes of other tests would also expire the cache.
    """

    def __init__(self, monkeypatch):
        self.times = 0
        self.read = story_reads.list_stories
        self.snapshot = "1:1:"
        monkeypatch.setattr("scoop.store.reads.stories.list_stories", self)
        monkeypatch.setattr("scoop.store.db.snapshot", self.taken)

    async def taken(self, conn):
        return self.snapshot

    async def __call__(self, *arguments, **named):
        self.times += 1
        return await self.read(*arguments, **named)


async def titles(visitor, path=LIST):
    return {story["title"] for story in (await visitor.get(path)).json["items"]}


async def test_the_same_is_read_once_until_something_is_written(database, monkeypatch):
    await told(database, [a_report(1, title="Bridge closed")])
    count = Count(monkeypatch)
    async with visiting(database) as visitor:
        first, second = await visitor.get(LIST), await visitor.get(LIST)
        assert count.times == 1
        assert (first.text, first.headers["ETag"]) == (second.text, second.headers["ETag"])
        count.snapshot = "1:2:"
        assert await titles(visitor) == {"Bridge closed"}
        assert count.times == 2


async def test_what_is_written_is_told_at_once(database):
    await told(database, [a_report(1, title="Bridge closed")])
    async with visiting(database) as visitor:
        for number in range(5):
            async with database.transaction() as conn:
                await conn.execute("UPDATE stories SET canonical_title = $1", f"Bridge {number}")
            assert await titles(visitor) == {f"Bridge {number}"}


async def test_what_another_process_is_still_writing_is_seen_when_it_is_done(database):
    await told(database, [a_report(1, title="Bridge closed")])
    async with visiting(database) as visitor, database.connection() as conn:
        change = conn.transaction()
        await change.start()
        await conn.execute("UPDATE stories SET canonical_title = 'Bridge open'")
        assert await titles(visitor) == await titles(visitor) == {"Bridge closed"}
        await change.commit()
        assert await titles(visitor) == {"Bridge open"}


async def test_every_address_has_its_own_answer(database):
    await told(database, [a_report(1, title="Bridge closed"), a_report(2, metadata={"collection": "ai_news"})])
    async with visiting(database) as visitor:
        everything = await titles(visitor)
        of_one = await titles(visitor, f"{LIST}&collection=ai_news")
        assert len(everything) == 2
        assert of_one < everything
        assert await titles(visitor) == everything


async def test_many_at_once_are_all_answered_from_one_reading(database, monkeypatch):
    await told(database, [a_report(1, title="Bridge closed")])
    count = Count(monkeypatch)
    async with visiting(database) as visitor:
        await visitor.get(LIST)
        answers = await asyncio.gather(*(visitor.get(LIST) for _ in range(30)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert count.times == 1


async def test_the_front_page_is_told_anew_when_a_story_has_changed(database):
    await told(database, [a_report(1, title="Bridge closed")])
    async with visiting(database) as visitor:
        pages = await asyncio.gather(*(visitor.get("/") for _ in range(30)))  # more than there are connections
        async with database.transaction() as conn:
            await conn.execute("UPDATE stories SET canonical_title = 'Bridge open'")
        changed = await visitor.get("/")
    assert all("Bridge closed" in page.page.text for page in pages)
    assert "Bridge open" in changed.page.text


async def test_more_is_asked_for_than_is_kept(database, monkeypatch):
    monkeypatch.setattr("scoop.http.cache.MAX_ENTRIES", 3)
    await told(database, [a_report(1, title="Bridge closed")])
    async with visiting(database) as visitor:
        count = Count(monkeypatch)
        for limit in (1, 2, 3, 4, 4, 3, 2):
            assert await titles(visitor, f"/api/v1/stories?limit={limit}") == {"Bridge closed"}
        assert count.times == 4
        await titles(visitor, "/api/v1/stories?limit=1")
    assert count.times == 5


async def test_a_crowd_that_comes_while_something_is_read_shares_the_next_read(database):
    cache = ResponseCache(Desk(config=Config(), database=database, clock=lambda: NOW))
    gate, reads = asyncio.Event(), []

    async def make(conn):
        reads.append(await conn.fetchval("SELECT 1"))
        await gate.wait()
        return len(reads)

    first = asyncio.create_task(cache.find("key", make))
    while not reads:
        await asyncio.sleep(0.01)
    crowd = [asyncio.create_task(cache.find("key", make)) for _ in range(50)]
    left = asyncio.create_task(cache.find("key", make))
    await asyncio.sleep(0.1)
    left.cancel()
    gate.set()
    assert await first == 1
    assert {await reader for reader in crowd} <= {1, 2}  # 1: nothing was written in between
    assert len(reads) <= 2


async def test_an_error_is_shared_and_not_cached(database):
    await told(database, [a_report(1, title="Bridge closed")])
    nowhere = "/api/v1/stories/00000000-0000-0000-0000-000000000000"
    async with visiting(database) as visitor:
        answers = await asyncio.gather(*(visitor.get(nowhere) for _ in range(10)))
        assert {answer.status for answer in answers} == {404}
        assert await titles(visitor) == {"Bridge closed"}


async def test_a_rendered_page_is_given_again_to_its_reader_alone_and_never_after_a_change(database):
    await told(database, [a_report(1, title="Bridge closed")])
    async with visiting(database, role="editor") as editor, visiting(database, role="reader") as reader:
        uuid = (await reader.get("/api/v1/events")).json["items"][0]["event_uuid"]
        for path in ("/", f"/events/{uuid}"):
            first, again = await editor.get(path), await editor.get(path)
            assert first.text == again.text
        assert "Edit this event" in again.text
        assert "Edit this event" not in (await reader.get(f"/events/{uuid}")).text
        for number in range(3):
            async with database.transaction() as conn:
                await conn.execute("UPDATE stories SET canonical_title = $1", f"Bridge {number}")
            for visitor in (editor, reader):
                assert f"Bridge {number}" in (await visitor.get("/")).text
                assert f"Bridge {number}" in (await visitor.get(f"/events/{uuid}")).text
