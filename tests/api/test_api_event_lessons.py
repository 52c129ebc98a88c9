"""Lessons about events over HTTP: made on demand, with the place of each learner, as those of articles are."""

import asyncio
from datetime import timedelta

from lesson_articles import a_ferry, store
from web.visitor import NOW, visiting
from writing import a_desk


async def _event(visitor) -> str:
    [event] = (await visitor.get("/api/v1/events")).json["items"]
    return event["event_uuid"]


async def test_the_lesson_about_an_event_is_made_by_the_first_request_and_kept(database, tmp_path):
    await store(database)
    async with a_desk(database, tmp_path) as desk, visiting(database, role="reader") as visitor:
        path = f"/api/v1/events/{await _event(visitor)}/lessons/B1"
        asked = asyncio.create_task(visitor.get(path))
        while not asked.done():
            await desk.write(desk.writer("local"))
            await asyncio.sleep(0.05)
        made = await asked
        again = await visitor.get(path)
    assert (made.status, made.json["level"]) == (200, "B1")
    assert again.json["lesson_id"] == made.json["lesson_id"]


async def test_a_learner_hears_the_lesson_about_an_event_from_its_page_and_progress_is_kept(database, tmp_path):
    await store(database)
    async with a_desk(database, tmp_path) as desk, visiting(database, role="reader") as visitor:
        event = await _event(visitor)
        [link] = (await visitor.get(f"/events/{event}")).page.links("/listen/")
        pending = await visitor.get(link)
        await desk.write(desk.writer("local"))
        lesson = await visitor.get(link)
        [progress] = [tag["data-progress"] for tag in lesson.page.attributes("article") if tag.get("id") == "lesson"]
        heard = await visitor.ask("PUT", progress, {"is_heard": True})
        stats = (await visitor.get("/api/v1/learner/stats")).json
        level = await visitor.post("/listen/level", {"level": "A2", "back": link})
    assert link == f"/listen/{event}"
    assert "is being made" in pending.page.text
    assert "Ferry burns off Skarn" in lesson.page.text
    assert lesson.page.links(f"/events/{event}")
    assert (heard.status, heard.json["document_id"], stats["heard"], stats["streak"]) == (200, None, 1, 1)
    assert level.headers["Location"] == link


async def test_articles_and_the_reader_view_lead_to_their_lesson(database):
    ids = await store(database)
    async with visiting(database, role="reader") as visitor:
        [article_id] = ids.values()
        page = (await visitor.get(f"/articles/{article_id}")).page
        [story] = (await visitor.get("/api/v1/stories")).json["items"]
        event = (await visitor.get(f"/events/{await _event(visitor)}")).page
        [reader] = event.links(f"/stories/{story['story_uuid']}/read/")[:1]
        reading = (await visitor.get(reader)).page
    assert page.links("/listen/") == reading.links("/listen/") == [f"/listen/{article_id}"]


async def test_an_article_that_no_writer_simplifies_has_no_link_to_a_lesson(database):
    await store(database, a_ferry(language="ja"))
    async with visiting(database, role="reader") as visitor:
        event = await _event(visitor)
        assert (await visitor.get(f"/events/{event}")).page.links("/listen/") == []
        assert (await visitor.ask("PUT", f"/api/v1/events/{event}/lessons/B1/progress", {})).status == 404


async def test_a_place_that_is_sent_late_counts_for_its_own_day_and_replaces_no_newer_one(database, tmp_path):
    await store(database)
    async with a_desk(database, tmp_path) as desk, visiting(database, role="reader") as visitor:
        base = f"/api/v1/events/{await _event(visitor)}/lessons/B1"
        await visitor.ask("POST", base)
        await desk.write(desk.writer("local"))
        newer = {"sentence": 2, "position_ms": 900}
        await visitor.ask("PUT", f"{base}/progress", newer)
        late = {"sentence": 0, "is_heard": True, "at": (NOW - timedelta(days=1)).isoformat()}
        place = (await visitor.ask("PUT", f"{base}/progress", late)).json
        stats = (await visitor.get("/api/v1/learner/stats")).json
    assert {name: place[name] for name in newer} == newer
    assert place["heard_at"] is not None
    assert (stats["heard"], stats["heard_today"], stats["streak"]) == (1, 0, 1)
