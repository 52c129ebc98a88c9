"""Digests: listed by date, shown as posted beside what became of every candidate, made and published by hand."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, run_all, told
from scoop.model import ChannelSettings
from scoop.stages import digest
from scoop.store import digests, posts, topics
from web.visitor import a_report, visiting

TODAY = "/digests/world_news/2024-05-16"  # due at 07:00 UTC, which is 09:00 in Berlin
NEXT = "/digests/world_news/2024-05-17"
CHESS = {"title": "Chess club wins the cup", "body_text": "Four teenagers beat the champions after a long night."}
WINE = {"title": "Vineyards expect a late harvest", "body_text": "Growers blame a cold spring and hope for the autumn."}
HOSTILE = "<img src=x onerror=alert(1)>"


async def a_morning(database, *items):
    """Stories of the digest that was due today."""
    await told(database, [a_report(number, hours_ago=6, **item) for number, item in enumerate(items, start=1)])


async def change_topic(database, **changes):
    async with database.transaction() as conn:
        await topics.put(conn, replace(await topics.by_slug(conn, "world_news"), **changes))


async def add_channel(database, name="folder", kind="file", **options):
    async with database.transaction() as conn:
        topic = await topics.by_slug(conn, "world_news")
        await topics.put_channel(conn, topic.topic_id, ChannelSettings(name=name, kind=kind, options=options))


async def runs(database):
    async with database.connection() as conn:
        return await digests.list_runs(conn)


async def outbox(database):
    async with database.connection() as conn:
        return await posts.list_posts(conn)


async def story_ids(database):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT story_id, canonical_title FROM stories WHERE status = 'active'")
    return {row["canonical_title"]: row["story_id"] for row in rows}


def run_of(page):
    (run,) = [each["value"] for each in page.attributes("input") if each.get("name") == "run"]
    return run


def readers_part(page):
    """What readers of the digest see."""
    return page.text.partition("As readers see it")[2].partition("Outcome of")[0]


async def test_the_list_tells_what_comes_next_in_each_topics_own_time(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/digests")).page
        one = (await visitor.get("/digests?topic=china_news")).page
        unknown = await visitor.get("/digests?topic=nobody")
    assert "World News Fri 17 May 2024, 09:00 Europe/Berlin · in 19 h not previewed yet" in page.text
    assert "China News Fri 17 May 2024, 10:00 Europe/Berlin" in page.text
    assert "No digest yet" in page.text
    assert "World News Fri" not in one.text
    assert unknown.status == 404


async def test_a_digest_is_made_shown_as_posted_and_listed(database):
    await a_morning(database, CHESS, WINE)
    async with visiting(database, role="editor") as visitor:
        unmade = (await visitor.get(TODAY)).page
        done = await visitor.post(f"{TODAY}/make", {"mode": "live"})
        page = (await visitor.get(TODAY)).page
        listed = (await visitor.get("/digests")).page
    assert "Not made" in unmade.text
    assert (done.status, done.headers["Location"]) == (303, TODAY)
    assert "made 2 stories, not posted" in page.text
    assert "Due Thu 16 May 2024, 09:00 (5 h ago), Europe/Berlin time." in page.text
    assert "World News Thursday 16 May 2024 · 2 new" in readers_part(page)
    assert CHESS["body_text"] in readers_part(page)
    assert "tribune.example" in readers_part(page)
    assert "Berlin 2024-05-16" in readers_part(page)
    assert "Outcome of 2 candidates Published 2" in page.text
    assert "new, covered by 1 publisher score" in page.text
    assert {"number of publishers", "recency"} <= {each["aria-label"] for each in page.attributes("meter")}
    assert len(page.links("/stories/")) == 4
    assert "World News Thursday 16 May 2024 made 2 stories, not posted 2 2" in listed.text
    assert await outbox(database) == []


async def test_every_candidate_stands_under_what_became_of_it(database):
    await change_topic(database, max_entries=2)
    await a_morning(
        database, FIRE, {**FIRE_AGAIN, "source": "post", "canonical_url": "https://post.example/2"}, CHESS, WINE
    )
    ids = await story_ids(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/suppress", {"story": ids[CHESS["title"]], "reason": "an advertisement"})
        await visitor.post(f"{TODAY}/make")
        await change_topic(database, max_entries=1)
        await visitor.post(f"{TODAY}/make")
        page = (await visitor.get(TODAY)).page
    assert "Probably the same:" in readers_part(page)
    ledger = page.text.partition("Outcome of")[2]
    for group in (
        "Published 1",
        "Probably the same event, listed beside the lead 1",
        "Left out: no room 1",
        "Suppressed by hand 1",
    ):
        assert group in ledger
    assert "left out: 1 others matter more" in ledger
    assert "suppressed: an advertisement" in ledger
    assert "live 2" in ledger  # both attempts can be looked at
    assert len(page.links(f"{TODAY}?run=")) == 2


async def test_what_was_told_yesterday_is_told_to_have_been(database, tmp_path):
    await add_channel(database, folder=str(tmp_path))
    await told(database, [a_report(1, hours_ago=6, **CHESS)])
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        run = run_of((await visitor.get(f"{TODAY}/publish")).page)
        await visitor.post(f"{TODAY}/publish", {"run": run})
        await run_all(database)
        await told(database, [a_report(1, hours_ago=2, source="echo", canonical_url="https://echo.example/1", **CHESS)])
        await visitor.post(f"{NEXT}/make")
        page = (await visitor.get(NEXT)).page
        before = page.links(TODAY)
    assert "Nothing new today." in readers_part(page)
    assert "Published before, nothing new since 1" in page.text
    assert "published on 2024-05-16; nothing new since" in page.text
    assert before == [TODAY]


async def test_the_next_digest_can_be_looked_at_before_it_is_due(database):
    await told(database, [a_report(1, hours_ago=2, **CHESS)])
    async with visiting(database, role="editor") as visitor:
        early = (await visitor.get(NEXT)).page
        await visitor.post(f"{NEXT}/make")
        page = (await visitor.get(NEXT)).page
        listed = (await visitor.get("/digests")).page
        too_early = await visitor.post("/digests/world_news/2024-05-18/make")
        publish = (await visitor.get(f"{NEXT}/publish")).page
    assert "Not due yet" in early.text
    assert "preview 1 story" in page.text
    assert CHESS["title"] in readers_part(page)
    assert "in 19 h preview 1 story" in listed.text
    assert listed.text.partition("No digest yet")[1]
    assert (too_early.status, "is in the future" in too_early.page.text) == (400, True)
    assert [each for each in publish.attributes("input") if each.get("name") == "run"] == []


async def test_what_was_looked_at_before_its_time_is_still_made_when_the_time_comes(database):
    async with database.transaction() as conn:
        topic = await topics.by_slug(conn, "world_news")
        for day in (date(2024, 5, 16), datetime.now(UTC).date() + timedelta(days=2)):
            await digest.make(conn, digest.DigestOrder(topic=topic, day=day), {})
        made = {each.topic_slug: each.last_live for each in await digests.list_due(conn)}
    assert made["world_news"] == date(2024, 5, 16)


async def test_a_story_that_is_kept_out_is_gone_from_the_preview_and_can_come_back(database):
    await a_morning(database, CHESS, WINE)
    ids = await story_ids(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        await visitor.post(f"{TODAY}/make", {"mode": "shadow"})
        done = await visitor.post(f"{TODAY}/suppress", {"story": ids[CHESS["title"]], "reason": HOSTILE})
        without = await visitor.get(TODAY)
        shadow = (await visitor.get(f"{TODAY}?view=shadow")).page
        await visitor.post(f"{TODAY}/unsuppress", {"story": ids[CHESS["title"]]})
        again = (await visitor.get(TODAY)).page
    assert done.status == 303
    assert "Story suppressed in this topic. The digest was made again." in without.page.text
    assert CHESS["title"] not in readers_part(without.page)
    assert WINE["title"] in readers_part(without.page)
    assert f"suppressed: {HOSTILE}" in without.page.text
    assert HOSTILE not in without.text
    assert "Suppressed by hand 1" in shadow.text
    assert CHESS["title"] in readers_part(again)


async def test_shadow_and_live_are_compared_with_their_differences_marked(database):
    await a_morning(database, CHESS, WINE)
    ids = await story_ids(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make", {"mode": "shadow"})
        only = (await visitor.get(TODAY)).page
        async with database.transaction() as conn:
            await topics.suppress(conn, await topics.by_slug(conn, "world_news"), ids[CHESS["title"]], "")
        await visitor.post(f"{TODAY}/make")
        page = (await visitor.get(f"{TODAY}?view=compare")).page
        listed = (await visitor.get("/digests")).page
    assert "shadow" in only.text
    live, shadow = page.text.partition("Compare")[2].partition("Shadow")[::2]
    assert CHESS["title"] not in live
    assert f"{CHESS['title']} 1. new, covered by 1 publisher only here there: suppressed: no reason given" in shadow
    assert f"{TODAY}?view=compare" in listed.links(TODAY)


async def test_it_is_published_as_it_was_looked_at_and_only_once(database, tmp_path):
    await a_morning(database, CHESS, WINE)
    await add_channel(database, folder=str(tmp_path))
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        asked = (await visitor.get(f"{TODAY}/publish")).page
        done = await visitor.post(f"{TODAY}/publish", {"run": run_of(asked)})
        waiting = (await visitor.get(TODAY)).page
        await run_all(database)
        page = (await visitor.get(TODAY)).page
        twice = await visitor.post(f"{TODAY}/publish", {"run": run_of(asked)})
        anew = await visitor.post(f"{TODAY}/make")
        late = (await visitor.get(f"{TODAY}/publish")).page
    assert "folder file 1" in asked.text
    assert "Publish to 1 channel now" in asked.text
    assert CHESS["title"] in asked.text
    assert (done.status, done.headers["Location"]) == (303, TODAY)
    assert "Sending to folder." in waiting.text
    assert "folder file 1 of 1 waiting" in waiting.text
    assert "folder file 1 of 1 sent" in page.text
    assert "posted" in page.text
    assert CHESS["title"] in (tmp_path / "world_news-2024-05-16.md").read_text()
    assert twice.status == 303
    assert (anew.status, "not made again" in anew.page.text) == (409, True)
    assert "it is already posted or being posted" in late.text.lower()
    assert len(await outbox(database)) == 1
    assert len(await runs(database)) == 1


async def test_what_changed_since_one_looked_is_not_published(database, tmp_path):
    await a_morning(database, CHESS, WINE)
    await add_channel(database, folder=str(tmp_path))
    ids = await story_ids(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        old = run_of((await visitor.get(f"{TODAY}/publish")).page)
        await visitor.post(f"{TODAY}/make")
        outdated = await visitor.post(f"{TODAY}/publish", {"run": old})
        async with database.transaction() as conn:
            await topics.suppress(conn, await topics.by_slug(conn, "world_news"), ids[CHESS["title"]], "")
        run = run_of((await visitor.get(f"{TODAY}/publish")).page)
        kept_out = await visitor.post(f"{TODAY}/publish", {"run": run})
    assert (outdated.status, "made again since you looked" in outdated.page.text) == (409, True)
    assert (kept_out.status, "was suppressed since" in kept_out.page.text) == (409, True)
    assert await outbox(database) == []


async def test_what_was_posted_can_be_corrected(database, tmp_path):
    await a_morning(database, CHESS, WINE)
    await add_channel(database, folder=str(tmp_path))
    ids = await story_ids(database)
    async with visiting(database, role="editor") as visitor:
        nothing_yet = await visitor.post(f"{TODAY}/correct")
        await visitor.post(f"{TODAY}/make")
        await visitor.post(f"{TODAY}/publish", {"run": run_of((await visitor.get(f"{TODAY}/publish")).page)})
        await run_all(database)
        await visitor.post(f"{TODAY}/suppress", {"story": ids[CHESS["title"]]})
        page = (await visitor.get(TODAY)).page
        done = await visitor.post(f"{TODAY}/correct")
        told_of_it = (await visitor.get(TODAY)).page
        await run_all(database)
    written = (tmp_path / "world_news-2024-05-16.md").read_text()
    assert nothing_yet.status == 409
    assert "The posted digest stays as it is until you correct it." in page.text
    assert "suppressed since" in page.text
    assert "Correct the posts" in page.text
    assert done.status == 303
    assert "1 post will be edited." in told_of_it.text
    assert (CHESS["title"] in written, WINE["title"] in written) == (False, True)


async def test_a_post_that_is_held_leads_to_where_it_is_decided_on(database, tmp_path):
    await a_morning(database, CHESS)
    await add_channel(database, folder=str(tmp_path))
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        await visitor.post(f"{TODAY}/publish", {"run": run_of((await visitor.get(f"{TODAY}/publish")).page)})
        async with database.transaction() as conn:
            await conn.execute("UPDATE posts SET state = 'held', error = 'nobody knows whether it arrived'")
        (post,) = await outbox(database)
        page = (await visitor.get(TODAY)).page
        listed = (await visitor.get("/digests")).page
    assert "held Decide nobody knows whether it arrived" in page.text
    assert page.links("/posts/") == [f"/posts/{post.post_id}"]
    assert "held needs a decision" in listed.text


@pytest.mark.parametrize(
    ("channel", "hint"),
    [
        (None, "has no channel to post to"),
        ({"kind": "file", "folder": "nowhere"}, "give the option folder"),
        ({"kind": "telegraph"}, "there is no kind"),
    ],
)
async def test_where_it_cannot_be_posted_is_said_before(database, channel, hint):
    await a_morning(database, CHESS)
    if channel:
        await add_channel(database, **channel)
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        page = (await visitor.get(f"{TODAY}/publish")).page
    assert hint in page.text
    assert "Publish to" not in page.text


async def test_what_is_no_digest_is_not_found(database):
    await change_topic(database, digest_cron="0 9 * * 1")
    async with visiting(database, role="editor") as visitor:
        answers = [
            await visitor.get(f"/digests/{path}")
            for path in (
                "nobody/2024-05-16",
                "world_news/2024-05-16",
                "world_news/today",
                "world_news/2024-13-01",
                "a%00b/2024-05-16",
                "ai_news/2024-05-16?run=4711",
            )
        ]
        wrong = [
            await visitor.get("/digests/ai_news/2024-05-16?run=0"),
            await visitor.get("/digests/ai_news/2024-05-16?view=sideways"),
            await visitor.get("/digests?after=nonsense"),
            await visitor.post("/digests/ai_news/2024-05-16/make", {"mode": "loud"}),
            await visitor.post("/digests/ai_news/2024-05-16/publish", {"run": str(2**63)}),
            await visitor.post("/digests/ai_news/2024-05-16/suppress", {"story": "x"}),
        ]
        no_story = await visitor.post("/digests/ai_news/2024-05-16/suppress", {"story": "4711"})
        no_run = await visitor.post("/digests/ai_news/2024-05-16/publish", {"run": "4711"})
    assert {each.status for each in answers} == {404}
    assert {each.status for each in wrong} == {400}
    assert no_story.status == 404
    assert no_run.status == 400
    assert await runs(database) == []


async def test_readers_read_and_only_editors_change(database):
    await a_morning(database, CHESS)
    async with visiting(database, role="editor") as editor:
        await editor.post(f"{TODAY}/make")
    async with visiting(database, role="reader") as reader:
        page = (await reader.get(TODAY)).page
        refused = [
            await reader.get(f"{TODAY}/publish"),
            *[
                await reader.post(f"{TODAY}/{each}")
                for each in ("make", "publish", "correct", "suppress", "unsuppress")
            ],
        ]
    async with visiting(database, role=None) as nobody:
        door, stranger = await nobody.get("/digests"), await nobody.post(f"{TODAY}/make")
    assert CHESS["title"] in readers_part(page)
    assert not [each for each in page.attributes("form") if each.get("action", "").startswith("/digests")]
    assert {each.status for each in refused} == {403}
    assert door.headers["Location"].startswith("/sign-in")
    assert stranger.status == 401


async def test_the_list_goes_on_after_a_page(database, monkeypatch):
    monkeypatch.setattr("scoop.web.digests.PAGE", 1)
    async with visiting(database, role="editor") as visitor:
        for day in ("2024-05-14", "2024-05-15"):
            await visitor.post(f"/digests/world_news/{day}/make")
        (more,) = (await visitor.get("/digests")).page.links("/digests?after=")
        rest = (await visitor.get(more)).page
    assert "Tuesday 14 May 2024" in rest.text
    assert "Wednesday 15 May 2024" not in rest.text
    assert rest.links("/digests?after=") == []


async def test_hostile_headlines_stay_words(database):
    await a_morning(database, {**CHESS, "title": f"{HOSTILE} {'very ' * 60}long", "body_text": f"{HOSTILE} 試験。"})
    async with visiting(database, role="editor") as visitor:
        await visitor.post(f"{TODAY}/make")
        answers = [await visitor.get(TODAY), await visitor.get(f"{TODAY}/publish")]
    for answered in answers:
        assert HOSTILE not in answered.text
        assert HOSTILE in answered.page.text
