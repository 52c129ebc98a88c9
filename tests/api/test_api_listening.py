"""The older listening API: articles by day in Japan, texts by level, settings, and the update."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from lesson_articles import TITLE, a_ferry, choose, store
from scoop.store import lessons
from scoop.store.lessons import NewLesson
from scoop.task_settings import DEFAULTS, TaskSettings
from web.visitor import NOW, visiting
from writing import a_desk

TODAY = date(2024, 5, 16)
TEXT = "The ferry burned. All 212 passengers are safe."
WITH_MODEL = {"tasks": DEFAULTS | {"lesson": TaskSettings(writer="openai")}}


def published(moment: str, number: int = 1, **changes: object):
    return a_ferry(number, published_at=moment, **changes)


async def make(database, article_id, *, level="B1", text=TEXT):
    async with database.transaction() as conn:
        document_id = await conn.fetchval("SELECT document_id FROM documents WHERE article_id = $1", article_id)
        [brief_id] = [
            row["brief_id"]
            for row in await conn.fetch(
                "INSERT INTO briefs (kind, subject_kind, subject_id, language, level, written_at)"
                " VALUES ('lesson', 'document', $1, 'en', $2, now()) RETURNING brief_id",
                document_id,
                level,
            )
        ]
        new = NewLesson(
            brief_id=brief_id,
            subject_kind="document",
            subject_id=document_id,
            level=level,
            lesson_text=text,
            sentences=(),
            word_count=8,
            measured_level=level,
            score=2.0,
            findings=(),
            provider="local",
            model="grader-1",
            prompt_id="lesson",
            prompt_version="v1.0",
            disclaimer_id="simplified",
            input_hash=bytes(32),
        )
        await lessons.put(conn, [new])


async def test_a_learner_changes_the_level_at_once(database):
    async with visiting(database, role="reader") as visitor:
        before = (await visitor.get("/api/user/settings")).json
        changed = await visitor.ask("PUT", "/api/user/settings", {"level": "C1"})
        me = (await visitor.get("/api/user/me")).json
        wrong = await visitor.ask("PUT", "/api/user/settings", {"level": "D1"})
    assert (before["level"], changed.json["level"], me["level"]) == ("B1", "C1", "C1")
    assert set(before) == {"id", "userId", "type", "level", "createdAt", "updatedAt"}
    assert before["id"] == before["userId"] == me["id"]
    assert before["createdAt"] == changed.json["createdAt"] == me["createdAt"]
    assert (wrong.status, wrong.json["error"]["code"]) == (400, "INVALID_ARGUMENT")


async def test_articles_are_listed_by_their_day_in_japan_the_newest_first(database):
    ids = await store(
        database,
        published(
            "2024-05-15T16:00:00Z", canonical_url="https://a.example/1", metadata={"scraped_at": "2024-05-16T03:00:00Z"}
        ),
        an_old := published(
            "2024-05-09T14:59:59Z", 2, title="A lighthouse is sold", canonical_url="https://a.example/2"
        ),
    )
    await choose(database, TODAY)
    async with visiting(database, role="reader") as visitor:
        news = (await visitor.get("/api/news?range=7d")).json
        one = (await visitor.get(f"/api/news/{ids[an_old['title']]}")).json
        wrong = [
            (await visitor.get(path)).json["error"]["code"]
            for path in ("/api/news?range=30d", "/api/news/art_1", "/api/news/art_" + "0" * 32)
        ]
    assert [article["title"] for article in news["articles"]] == [TITLE]
    assert news["articles"][0] == {
        "id": ids[TITLE],
        "type": "article",
        "dayKey": "2024-05-16",
        "url": "https://a.example/1",
        "title": TITLE,
        "source": news["articles"][0]["source"],
        "publishedAt": "2024-05-15T16:00:00.000Z",
        "fetchedAt": "2024-05-16T03:00:00.000Z",
        "summary": news["articles"][0]["summary"],
        "createdAt": news["articles"][0]["createdAt"],
        "updatedAt": news["articles"][0]["updatedAt"],
    }
    assert one["dayKey"] == "2024-05-09"
    assert wrong == ["INVALID_ARGUMENT", "NOT_FOUND", "NOT_FOUND"]


async def test_a_corrected_date_moves_an_article_and_makes_no_second_one(database):
    ids = await store(database, published("2024-05-14T01:00:00Z"))
    await choose(database, TODAY)
    assert await store(database, published("2024-05-15T01:00:00Z")) == ids
    async with visiting(database, role="reader") as visitor:
        moved = (await visitor.get("/api/news?range=7d")).json["articles"]
        await store(database, a_ferry(published_at=None, title=f"{TITLE}, police say"))
        kept = (await visitor.get("/api/news?range=7d")).json["articles"]
    assert [article["dayKey"] for article in moved] == ["2024-05-15"]
    assert [(article["dayKey"], article["title"]) for article in kept] == [("2024-05-15", f"{TITLE}, police say")]


async def test_a_new_version_updates_the_title_and_when_it_was_fetched_and_keeps_the_day(database):
    undated = {"published_at": None}
    await store(database, a_ferry(metadata={"scraped_at": "2024-05-14T01:00:00Z"}, **undated))
    await choose(database, TODAY)
    async with visiting(database, role="reader") as visitor:
        [first] = (await visitor.get("/api/news?range=7d")).json["articles"]
        await store(
            database, a_ferry(metadata={"scraped_at": "2024-05-16T02:00:00Z"}, title=f"{TITLE}, police say", **undated)
        )
        [second] = (await visitor.get("/api/news?range=7d")).json["articles"]
    assert (first["fetchedAt"], first["dayKey"]) == ("2024-05-14T01:00:00.000Z", "2024-05-14")
    assert (second["fetchedAt"], second["dayKey"]) == ("2024-05-16T02:00:00.000Z", "2024-05-14")
    assert second["title"] == f"{TITLE}, police say"


async def test_a_text_that_exists_is_a_hit_and_served_to_anonymous_readers(database):
    ids = await store(database)
    await make(database, ids[TITLE])
    path = f"/api/news/{ids[TITLE]}/text"
    async with visiting(database, role=None, public_reading=True) as visitor:
        text = (await visitor.get(f"{path}?level=B1")).json
        missing = await visitor.get(f"{path}?level=A1")
        wrong = await visitor.get(f"{path}?level=B7")
    assert (text["id"], text["articleId"], text["level"]) == (f"{ids[TITLE]}#B1", ids[TITLE], "B1")
    assert (text["generatedText"], text["promptVersion"]) == (TEXT, "v1.0")
    assert text["cache"] == {"hit": True, "createdAt": text["createdAt"], "updatedAt": text["updatedAt"]}
    assert (missing.status, missing.json["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert (wrong.status, wrong.json["error"]["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize("article_id", ["art_doesnotexist", "nope", f"art_{'0' * 32}", "art_1%2F2", "a%00b", "%23B1"])
async def test_an_article_that_is_not_there_is_not_found_whatever_its_id(database, article_id):
    async with visiting(database) as visitor:
        answers = [await visitor.get(f"/api/news/{article_id}{end}") for end in ("", "/text?level=B1")]
    assert [(answer.status, answer.json["error"]["code"]) for answer in answers] == [(404, "NOT_FOUND")] * 2


async def test_fifty_first_requests_make_one_text_and_hold_up_no_other_reader(database, tmp_path):
    other = published("2024-05-14T01:00:00Z", 2, title="A lighthouse is sold", canonical_url="https://a.example/2")
    ids = await store(database, a_ferry(), other)
    await make(database, ids[other["title"]])
    path, cached = (f"/api/news/{ids[title]}/text?level=B1" for title in (TITLE, other["title"]))
    async with a_desk(database, tmp_path) as desk, visiting(database, role="reader", **WITH_MODEL) as visitor:
        asking = asyncio.gather(*(visitor.get(path) for _ in range(50)))
        async with database.connection() as conn:
            while not await conn.fetchval("SELECT count(*) FROM briefs WHERE written_at IS NULL"):
                await asyncio.sleep(0.05)
        meanwhile = [(await visitor.get(address)).status for address in (cached, "/listen")]
        calls_meanwhile = len(desk.calls)
        while not desk.calls:
            await desk.write()
            await asyncio.sleep(0.1)
        answers = await asking
        again = await visitor.get(path)
    assert (meanwhile, calls_meanwhile) == ([200, 200], 0)
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json["generatedText"] for answer in answers}) == 1
    assert again.json["cache"]["hit"] is True
    assert len(desk.calls) == 1


async def test_a_failure_of_the_model_is_502_and_texts_that_exist_are_still_served(database, tmp_path):
    ids = await store(database)
    await make(database, ids[TITLE], level="A2")
    path = f"/api/news/{ids[TITLE]}/text"
    async with a_desk(database, tmp_path) as desk, visiting(database, role="reader", **WITH_MODEL) as visitor:
        asked = asyncio.create_task(visitor.get(f"{path}?level=B1"))
        while not desk.calls:
            desk.script.append("503")
            await desk.write()
            await asyncio.sleep(0.1)
        failed, served = await asked, await visitor.get(f"{path}?level=A2")
    assert (failed.status, failed.json["error"]["code"]) == (502, "UPSTREAM_FAILURE")
    assert "could not be made" in failed.json["error"]["message"]
    assert (served.status, served.json["generatedText"]) == (200, TEXT)


@pytest.mark.parametrize(("changes", "words"), [({"language": "ja"}, "English"), ({}, "no writer")])
async def test_a_text_that_no_writer_can_make_is_an_upstream_failure(database, changes, words):
    ids = await store(database, a_ferry(**changes))
    settings = {} if changes else {"tasks": DEFAULTS | {"lesson": TaskSettings()}}
    async with visiting(database, role="reader", **settings) as visitor:
        answer = await visitor.get(f"/api/news/{ids[TITLE]}/text?level=B1")
    assert (answer.status, answer.json["error"]["code"]) == (502, "UPSTREAM_FAILURE")
    assert words in answer.json["error"]["message"]


async def update(visitor, body, **headers):
    return await visitor.ask("POST", "/api/admin/news/update", body, **headers)


async def test_an_update_chooses_new_articles_once(database):
    published_at = datetime(2024, 5, 16, 1, tzinfo=UTC)
    await store(database, *reports(published_at, ("harbour", "garden", "river")))
    async with visiting(database, role="admin", news_update_secret="open-sesame") as visitor:
        first = (await update(visitor, {"date": "2024-05-16", "limit": 2})).json
        second = (await update(visitor, {"date": "2024-05-16"})).json
        capped = await update(visitor, {"limit": 11})
        future = await update(visitor, {"date": "2024-05-18"})
        news = (await visitor.get("/api/news")).json["articles"]
    async with visiting(database, role=None, news_update_secret="open-sesame") as program:
        wrong = await update(program, {}, **{"X-Update-Secret": "sesame"})
        right = await update(program, None, **{"X-Update-Secret": "open-sesame"})
    async with visiting(database, role="editor") as editor:
        denied = await update(editor, {})
    assert (first["status"], first["saved"], first["skippedDuplicates"]) == ("success", 2, 0)
    assert (second["saved"], second["skippedDuplicates"], second["state"]["saved"]) == (1, 2, 3)
    assert second["state"]["lastRunDateJst"] == second["date"] == "2024-05-16"
    assert len(news) == 3
    assert (capped.status, future.status, wrong.status, denied.status, right.status) == (400, 400, 401, 403, 200)
    assert right.json["saved"] == 0


def reports(published_at: datetime, words: Sequence[str]):
    """An article about each of these things."""
    return [
        published((published_at + timedelta(minutes=number)).isoformat(), number + 1, title=f"New posts in the {word}",
                  body_text=" ".join(
                      f"The {word} has {count} new {word} posts since {count + 3} weeks." for count in range(2, 24)
                  ),
                  canonical_url=f"https://a.example/{number}")
        for number, word in enumerate(words)
    ]  # fmt: skip


THINGS = (
    "harbour", "garden", "river", "castle", "museum", "bakery", "airport", "forest", "library", "theatre", "bridge",
    "school", "hospital", "station", "market", "factory", "stadium", "village", "church", "tunnel", "island", "palace",
    "canal", "vineyard", "quarry",
)  # fmt: skip


async def test_manual_updates_fill_a_day_and_do_not_go_beyond_it(database):
    await store(database, *reports(datetime(2024, 5, 16, 1, tzinfo=UTC), THINGS))
    async with visiting(database, role="admin") as visitor:
        first = (await update(visitor, {"date": "2024-05-16", "limit": 6})).json
        second = (await update(visitor, {"date": "2024-05-16", "limit": 10})).json
        news = (await visitor.get("/api/news")).json["articles"]
    assert (first["saved"], second["saved"], second["state"]["saved"]) == (6, 4, 10)
    assert len(news) == 10


async def test_two_failed_days_raise_an_alert_and_an_article_resolves_it(database):
    async with visiting(database, role="admin") as visitor:
        failed = [(await update(visitor, {"date": day})).json for day in ("2024-05-14", "2024-05-15")]
        alerts = (await visitor.get("/api/v1/alerts")).json["items"]
        await store(database, published((NOW - timedelta(hours=6)).isoformat()))
        done = (await update(visitor, {"date": "2024-05-16"})).json
        resolved = (await visitor.get("/api/v1/alerts")).json["items"]
    assert [each["status"] for each in failed] == ["failed", "failed"]
    assert "no new article" in failed[0]["error"]
    assert [alert["kind"] for alert in alerts] == ["news_update_failed"]
    assert (done["status"], done["error"], resolved) == ("success", None, [])
