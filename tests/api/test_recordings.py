"""Recordings over HTTP: state and times, parts of the sound, the transcript."""

import pytest

from recorded import SENTENCES, Humming, a_lesson, speak_due
from web.visitor import visiting


@pytest.fixture
async def spoken(database):
    async with a_lesson(database) as (lesson_id, folder), visiting(database, archive_url=str(folder)) as visitor:
        base = f"/api/v1/lessons/{lesson_id}"
        assert (await visitor.ask("POST", f"{base}/audio")).status == 202
        await speak_due(database, folder)
        yield visitor, base, folder


async def test_a_recording_is_asked_for_and_polled_until_it_is_ready(database):
    async with a_lesson(database) as (lesson_id, folder), visiting(database, archive_url=str(folder)) as visitor:
        base = f"/api/v1/lessons/{lesson_id}"
        states = [(await visitor.get(f"{base}/audio")).json["state"]]
        assert (await visitor.get(f"{base}/audio.mp3")).status == 404
        assert (await visitor.get(f"{base}/transcript.vtt")).status == 404
        states.append((await visitor.ask("POST", f"{base}/audio")).json["state"])
        await speak_due(database, folder)
        ready = (await visitor.get(f"{base}/audio")).json
    assert [*states, ready["state"]] == ["none", "waiting", "ready"]
    assert [sentence["text"] for sentence in ready["sentences"]] == list(SENTENCES)
    assert ready["url"].partition("?")[0] == f"{base}/audio.mp3"


async def test_the_sound_is_given_whole_and_in_parts(spoken):
    visitor, base, _ = spoken
    url = f"{visitor.address}{base}/audio.mp3"
    async with visitor.session.get(url) as whole:
        body = await whole.read()
        headers = whole.headers
    assert (whole.status, headers["Content-Type"], headers["Accept-Ranges"]) == (200, "audio/mpeg", "bytes")
    assert "Content-Encoding" not in headers
    assert int(headers["Content-Length"]) == len(body)
    last = len(body) - 1
    for asked, first, end in (
        ("bytes=0-", 0, last),
        ("bytes=0-0", 0, 0),
        ("bytes=100-199", 100, 199),
        ("bytes=100-99999999", 100, last),
        ("bytes=-10", len(body) - 10, last),
        ("bytes=-99999999", 0, last),
    ):
        async with visitor.session.get(url, headers={"Range": asked}) as part:
            assert (part.status, await part.read()) == (206, body[first : end + 1]), asked
            assert part.headers["Content-Range"] == f"bytes {first}-{end}/{len(body)}"
            assert part.headers["ETag"] == headers["ETag"]


@pytest.mark.parametrize("asked", ["bytes={length}-", "bytes={length}-{length}", "bytes=-0", "bytes=9-3"])
async def test_bytes_beyond_the_end_are_refused_with_the_length(spoken, asked):
    visitor, base, _ = spoken
    length = (await visitor.get(f"{base}/audio")).json["byte_count"]
    refused = await visitor.get(f"{base}/audio.mp3", Range=asked.format(length=length))
    assert (refused.status, refused.headers["Content-Range"]) == (416, f"bytes */{length}")


@pytest.mark.parametrize("asked", ["bytes=0-1,5-6", "lines=0-1", "bytes=a-b", "bytes=", "bytes=-"])
async def test_other_ranges_are_answered_with_the_whole(spoken, asked):
    visitor, base, _ = spoken
    async with visitor.session.get(f"{visitor.address}{base}/audio.mp3", headers={"Range": asked}) as whole:
        assert whole.status == 200


async def test_a_range_of_another_version_is_answered_with_the_whole(spoken):
    visitor, base, _ = spoken
    url = f"{visitor.address}{base}/audio.mp3"
    async with visitor.session.get(url) as whole:
        tag = whole.headers["ETag"]
    for version, status in ((tag, 206), ('"older"', 200)):
        async with visitor.session.get(url, headers={"Range": "bytes=0-9", "If-Range": version}) as part:
            assert part.status == status
    async with visitor.session.get(url, headers={"If-None-Match": tag}) as unchanged:
        assert unchanged.status == 304


async def test_the_transcript_follows_the_text_within_the_sound(spoken):
    visitor, base, _ = spoken
    transcript = await visitor.get(f"{base}/transcript.vtt")
    assert transcript.headers["Content-Type"].startswith("text/vtt")
    cues = transcript.text.split("\n\n")[1:]
    assert [cue.splitlines()[2] for cue in cues] == list(SENTENCES)


async def test_a_recording_whose_file_is_gone_is_made_again(database, spoken):
    visitor, base, folder = spoken
    for path in folder.glob("audio/*.mp3"):
        path.unlink()
    assert (await visitor.get(f"{base}/audio.mp3")).status == 404
    await speak_due(database, folder)
    async with visitor.session.get(f"{visitor.address}{base}/audio.mp3") as whole:
        assert whole.status == 200


async def test_a_recording_is_made_again_by_another_voice_when_somebody_asks_for_it(database, spoken):
    visitor, base, folder = spoken
    before = (await visitor.ask("POST", f"{base}/audio")).json
    await speak_due(database, folder)
    same = (await visitor.ask("POST", f"{base}/audio")).json
    await speak_due(database, folder, Humming(model="a5"))
    other = (await visitor.get(f"{base}/audio")).json
    assert same == before
    assert (before["model"], other["model"]) == ("a4", "a5")


async def test_a_lesson_that_is_not_there_is_not_found_and_no_voice_is_a_conflict(database):
    async with a_lesson(database) as (lesson_id, _), visiting(database, voice="none") as visitor:
        assert (await visitor.get("/api/v1/lessons/4711/audio")).status == 404
        assert (await visitor.ask("POST", f"/api/v1/lessons/{lesson_id}/audio")).status == 409


async def test_who_is_not_signed_in_hears_nothing(database):
    async with a_lesson(database) as (lesson_id, _), visiting(database, role=None) as visitor:
        for end in ("audio", "audio.mp3", "transcript.vtt"):
            assert (await visitor.get(f"/api/v1/lessons/{lesson_id}/{end}")).status == 401
