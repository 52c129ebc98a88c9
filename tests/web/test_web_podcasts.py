"""Podcasts: what a maintained parser and a player make of the feed, its sound, transcripts and chapters."""

import io
import re
from datetime import UTC, date, datetime
from urllib.parse import urlsplit

import aiohttp
import feedparser
import pytest
import soundfile

from builders import an_item
from recorded import choose, speak_due, teach
from scoop.store import users
from web.visitor import Visitor, visiting

NOW = datetime(2024, 5, 16, 12, tzinfo=UTC)
DAYS = (date(2024, 5, 14), date(2024, 5, 15), date(2024, 5, 16))
CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{3}) --> (\d\d):(\d\d):(\d\d)\.(\d{3})")


@pytest.fixture
async def library(database, tmp_path):
    """Two lessons on each of three days; the second of today is not recorded yet."""
    items = [an_item(number) for number in range(6)]
    ids = []
    for place, day in enumerate(DAYS):
        ids += await choose(database, items[2 * place : 2 * place + 2], day=day)
    for number, document_id in enumerate(ids):
        await teach(database, document_id, "B1", [f"Bridge {number} is closed.", "It opens in May & June."])
    async with visiting(database, archive_url=str(tmp_path), clock=lambda: NOW, lessons_per_day=2) as visitor:
        await visitor.get("/podcast/all/B1.xml")  # to subscribe asks for the recordings
        async with database.transaction() as conn:
            held = await conn.fetchval("SELECT max(subject) FROM work WHERE stage = 'speak'")
            await conn.execute("DELETE FROM work WHERE stage = 'speak' AND subject = $1", held)
        await speak_due(database, tmp_path)
        yield visitor


async def _read(visitor: Visitor, url: str) -> tuple[bytes, str]:
    parts = urlsplit(url)
    assert f"{parts.scheme}://{parts.netloc}" == visitor.address
    async with visitor.session.get(url) as response:
        assert response.status == 200, url
        return await response.read(), response.headers["Content-Type"]


async def test_the_feed_is_a_valid_podcast_with_an_episode_a_day(library):
    answer = await library.get("/podcast/all/B1.xml")
    feed = feedparser.parse(answer.text)
    assert answer.headers["Content-Type"] == "application/rss+xml; charset=utf-8"
    assert not feed.bozo
    assert feed.feed.title == "News in English, B1"
    assert feed.feed.language == "en"
    assert "<itunes:explicit>false</itunes:explicit>" in answer.text
    assert feed.feed.image.href == f"{library.address}/podcast-cover.png"
    assert {tag.term for tag in feed.feed.tags} == {"Education", "Language Learning"}
    assert [entry.title for entry in feed.entries] == ["Wednesday 15 May 2024, B1", "Tuesday 14 May 2024, B1"]
    assert len({entry.id for entry in feed.entries}) == 2
    assert all(entry.id.startswith("urn:uuid:") for entry in feed.entries)
    again = await library.get("/podcast/all/B1.xml", **{"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304


async def _private_address(visitor: Visitor, **form: str) -> str:
    made = await visitor.post("/listen/podcasts", form)
    assert (made.status, made.headers["Cache-Control"]) == (201, "no-store")
    [field] = [field for field in made.page.attributes("input") if field.get("id") == "secret"]
    return field["value"]


async def test_an_app_that_cannot_sign_in_hears_the_podcast_until_its_key_is_revoked(library, database):
    url = await _private_address(library, topic="all", level="B1")
    async with aiohttp.ClientSession() as app:
        async with app.get(url.partition("?")[0]) as without_key:
            assert without_key.status == 401
        async with app.get(url) as answer:
            feed = feedparser.parse(await answer.text())
        async with app.get(feed.entries[0].enclosures[0].href) as sound:
            assert (sound.status, sound.content_type) == (200, "audio/mpeg")
        async with database.connection() as conn:
            [key] = await users.list_keys(conn)
        assert (key.name, key.scopes, key.expires_at) == ("Podcast: News in English, B1", ["read"], None)
        assert key.name in (await library.get("/settings/keys")).page.text
        await library.post(f"/settings/keys/{key.api_key_id}/remove")
        async with app.get(url) as revoked:
            assert revoked.status == 401


async def test_every_topic_has_a_podcast_on_the_page_with_the_name_of_the_topic(library):
    page = (await library.get("/listen/podcasts")).page
    assert "All topics" in page.text
    assert "AI News" in page.text
    url = await _private_address(library, topic="ai_news", level="A2")
    assert urlsplit(url).path == "/podcast/ai_news/A2.xml"
    assert feedparser.parse((await library.get(urlsplit(url).path)).text).feed.title == "AI News in English, A2"
    wrong = await library.post("/listen/podcasts", {"topic": "nowhere", "level": "A2"})
    assert wrong.status == 404


async def test_podcasts_need_no_key_where_everybody_may_read(library, database, tmp_path):
    async with visiting(
        database, role=None, public_reading=True, archive_url=str(tmp_path), clock=lambda: NOW, lessons_per_day=2
    ) as anyone:
        page = (await anyone.get("/listen/podcasts")).page
        refused = await anyone.post("/listen/podcasts", {"topic": "all", "level": "B1"})
        [url, *_] = page.links(f"{anyone.address}/podcast/")
        feed = feedparser.parse((await anyone.get(urlsplit(url).path)).text)
    assert len(feed.entries) == 2
    assert "Create address" not in page.text
    assert refused.status == 401


async def test_every_enclosure_is_the_sound_it_says(library):
    feed = feedparser.parse((await library.get("/podcast/all/B1.xml")).text)
    for entry in feed.entries:
        [enclosure] = entry.enclosures
        sound, media_type = await _read(library, enclosure.href)
        assert (enclosure.type, media_type) == ("audio/mpeg", "audio/mpeg")
        assert int(enclosure.length) == len(sound)
        samples, rate = soundfile.read(io.BytesIO(sound))
        assert len(samples) / rate == pytest.approx(int(entry.itunes_duration), abs=1.1)
        async with library.session.get(enclosure.href, headers={"Range": "bytes=144-287"}) as part:
            assert (part.status, await part.read()) == (206, sound[144:288])


async def test_transcripts_and_chapters_lie_within_the_sound_and_follow_the_text(library):
    text = (await library.get("/podcast/all/B1.xml")).text
    [sound_url, *_] = [each.href for each in feedparser.parse(text).entries[0].enclosures]
    sound, rate = soundfile.read(io.BytesIO((await _read(library, sound_url))[0]))
    vtt, vtt_type = await _read(library, re.search(r'podcast:transcript url="([^"]+)"', text)[1])
    assert vtt_type.startswith("text/vtt")
    times = [_seconds(match) for match in CLOCK.finditer(vtt.decode())]
    flat = [moment for pair in times for moment in pair]
    assert flat == sorted(flat)
    assert flat[-1] <= len(sound) / rate
    for start, end in times:  # something is heard in each cue, and nothing right before it
        loud = abs(sound[int((start + 0.05) * rate) : int((end - 0.05) * rate)]).mean()
        before = abs(sound[max(0, int((start - 0.1) * rate)) : max(1, int((start - 0.03) * rate))]).mean()
        assert loud > 0.05 > 0.01 > before
    lines = [line for line in vtt.decode().splitlines() if line.endswith(".")]
    assert lines == [
        "Bridge 2 is closed.", "It opens in May &amp; June.", "Bridge 3 is closed.", "It opens in May &amp; June.",
    ]  # fmt: skip
    chapters = await library.get(urlsplit(re.search(r'podcast:chapters url="([^"]+)"', text)[1]).path)
    assert chapters.headers["Content-Type"] == "application/json+chapters"
    found = chapters.json["chapters"]
    assert [chapter["title"] for chapter in found] == ["Bridge number 2 stays closed", "Bridge number 3 stays closed"]
    assert found[0]["startTime"] == 0
    assert found[1]["startTime"] == pytest.approx(times[2][0], abs=0.06)


def _seconds(match: re.Match[str]) -> tuple[float, float]:
    parts = [int(part) for part in match.groups()]
    return tuple(h * 3600 + m * 60 + s + ms / 1000 for h, m, s, ms in (parts[:4], parts[4:]))


async def test_the_episode_of_today_appears_when_all_of_it_is_recorded(library, database, tmp_path):
    await library.get("/podcast/all/B1.xml")
    await speak_due(database, tmp_path)
    feed = feedparser.parse((await library.get("/podcast/all/B1.xml")).text)
    assert feed.entries[0].title == "Thursday 16 May 2024, B1"


async def test_a_lesson_that_failed_for_good_does_not_hold_back_the_episode_of_today(library, database):
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM work")
        await conn.execute(
            "UPDATE briefs SET written_at = NULL, problem = 'too short' WHERE brief_id = "
            "(SELECT max(brief_id) FROM briefs WHERE level = 'B1')"
        )
    feed = feedparser.parse((await library.get("/podcast/all/B1.xml")).text)
    assert feed.entries[0].title == "Thursday 16 May 2024, B1"


async def test_an_episode_that_may_become_longer_is_not_published_before_the_day_is_over(library, database, tmp_path):
    await library.get("/podcast/all/B1.xml")
    await speak_due(database, tmp_path)
    async with visiting(database, archive_url=str(tmp_path), clock=lambda: NOW, lessons_per_day=3) as visitor:
        feed = feedparser.parse((await visitor.get("/podcast/all/B1.xml")).text)
    assert feed.entries[0].title == "Wednesday 15 May 2024, B1"


async def test_a_subscriber_gets_the_lessons_of_a_level_that_nobody_else_has(library, database):
    answer = await library.get("/podcast/all/C1.xml")
    async with database.connection() as conn:
        asked = await conn.fetchval("SELECT count(*) FROM briefs WHERE kind = 'lesson' AND level = 'C1'")
    assert asked == 4  # of today and yesterday
    assert "lastBuildDate" not in answer.text


async def test_a_podcast_of_another_level_or_topic_has_its_own_episodes(library):
    assert feedparser.parse((await library.get("/podcast/all/A1.xml")).text).entries == []
    assert (await library.get("/podcast/nowhere/B1.xml")).status == 404
    assert (await library.get("/podcast/all/B3.xml")).status == 400
    assert (await library.get("/podcast/all/B1/2024-05-01.mp3")).status == 404


async def test_the_cover_is_a_square_that_apps_accept(library):
    cover, media_type = await _read(library, f"{library.address}/podcast-cover.png")
    width, height = (int.from_bytes(cover[place : place + 4]) for place in (16, 20))
    assert media_type == "image/png"
    assert width == height == 1400
