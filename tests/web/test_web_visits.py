"""What the pages mark as new and developed since a reader's last visit."""

from datetime import timedelta

from builders import group_into_events, told
from web.visitor import NOW, a_report, visiting

HALF_HOUR = timedelta(minutes=30)


class Clock:
    """A clock that stands until a test moves it."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


async def date_events(database, **hours_ago):
    """Set when the events of these titles were created and developed, in hours before NOW; others are a day old."""
    async with database.connection() as conn:
        await conn.execute("UPDATE events SET created_at = $1, developed_at = $1", NOW - timedelta(hours=24))
        for title, (created, developed) in hours_ago.items():
            await conn.execute(
                "UPDATE events SET created_at = $2, developed_at = $3 FROM stories"
                " WHERE story_id = lead_story_id AND canonical_title = $1",
                title,
                NOW - timedelta(hours=created),
                NOW - timedelta(hours=developed),
            )


async def visit_before(database, *, hours_ago):
    async with database.connection() as conn:
        await conn.execute("UPDATE users SET visited_at = $1", NOW - timedelta(hours=hours_ago))


async def test_events_since_the_last_visit_are_counted_and_marked(database):
    await told(database, [a_report(n, title=title) for n, title in enumerate(["Bridge", "Flood", "Museum"])])
    await group_into_events(database)
    await date_events(database, Bridge=(2, 2), Flood=(20, 1))
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        await visit_before(database, hours_ago=18)
        page = (await visitor.get("/")).page
    assert "1 new, 1 developed since yesterday 20:00" in page.text
    assert "New since your last visit: Bridge" in page.text
    assert "Developed since your last visit: Flood" in page.text
    assert page.text.count("since your last visit") == 2


async def versions_of_users(database):
    """The versions of the rows that visits are written to; the snapshot changes with every database of the server."""
    async with database.connection() as conn:
        return [tuple(row) for row in await conn.fetch("SELECT user_id, xmin::text FROM users ORDER BY user_id")]


async def test_a_reload_shows_the_same_marks_and_writes_nothing(database):
    await told(database, [a_report(1, title="Bridge")])
    await date_events(database, Bridge=(2, 2))
    clock = Clock()
    async with visiting(database, clock=clock) as visitor:
        await visit_before(database, hours_ago=5)
        first = (await visitor.get("/")).page
        written = await versions_of_users(database)
        texts = []
        for _ in range(4):  # longer than half an hour, but never half an hour without a request
            clock.now += timedelta(minutes=20)
            texts.append((await visitor.get("/")).page.text)
        assert await versions_of_users(database) == written
    assert "1 new since today 07:00" in first.text
    assert all("1 new since today 07:00" in text for text in texts)


async def test_after_half_an_hour_without_a_request_only_later_events_are_marked(database):
    await told(database, [a_report(1, title="Bridge"), a_report(2, title="Flood")])
    await group_into_events(database)
    await date_events(database, Bridge=(2, 2))
    clock = Clock()
    async with visiting(database, clock=clock) as visitor:
        await visit_before(database, hours_ago=5)
        await visitor.get("/")
        clock.now += timedelta(minutes=20)
        await visitor.get("/")
        clock.now += HALF_HOUR
        text = (await visitor.get("/")).page.text
    assert "Nothing new since today 12:20" in text
    assert "since your last visit" not in text


async def test_a_first_visit_marks_nothing(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert "since" not in text.partition("Digests of today")[0]


async def test_readers_without_an_account_have_no_visits(database):
    await told(database, [a_report(1)])
    async with visiting(database, role=None, public_reading=True) as visitor:
        answer = await visitor.get("/")
    assert answer.status == 200
    assert "since your last visit" not in answer.text
