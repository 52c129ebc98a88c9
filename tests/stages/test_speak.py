"""Recordings: made once, kept, made again only if something decisive changed; failures keep the text."""

from datetime import UTC, date, datetime, timedelta

import pytest

from builders import an_item
from recorded import SENTENCES, Humming, a_lesson, choose, speak_due, teach
from scoop.actions import recordings as actions
from scoop.archive.objects import Archive
from scoop.core.audio import mp3
from scoop.errors import Conflict, NotFound, Reject, Retry
from scoop.metrics import recording
from scoop.stages import speak
from scoop.store import lessons, metrics, recordings

NOW = datetime(2024, 5, 16, 12, tzinfo=UTC)


async def ask(database, *lesson_ids: int) -> None:
    async with database.transaction() as conn:
        await recordings.ask(conn, lesson_ids)


async def report(database, lesson_id: int) -> actions.RecordingReport:
    async with database.connection() as conn:
        return await actions.get_report(conn, lesson_id)


async def test_a_lesson_is_spoken_once_however_many_people_ask(database):
    voice = Humming()
    async with a_lesson(database) as (lesson_id, folder):
        for _ in range(50):
            async with database.transaction() as conn:
                asked = await actions.ask(conn, lesson_id, voice="hibari")
        assert asked.state == "waiting"
        await speak_due(database, folder, voice)
        ready = await report(database, lesson_id)
        stored = await Archive.open(str(folder), credentials={}).get(
            await database_value(database, "SELECT object_key FROM recordings")
        )
    assert voice.spoken == list(SENTENCES)
    assert (ready.state, ready.voice, ready.model, ready.byte_count) == ("ready", "humming", "a4", len(stored.data))
    assert [sentence.text for sentence in ready.sentences] == list(SENTENCES)
    assert ready.duration_ms == mp3.duration_ms(ready.byte_count)
    assert ready.sentences[-1].end_ms < ready.duration_ms
    assert all(len(sentence.words) == len(sentence.text.split()) for sentence in ready.sentences)


async def database_value(database, query: str):
    async with database.connection() as conn:
        return await conn.fetchval(query)


async def test_the_real_time_factor_of_each_new_recording_is_counted(database):
    async with a_lesson(database) as (lesson_id, folder):
        await ask(database, lesson_id)
        recording.take()
        await speak_due(database, folder, Humming())
    counted = [amount for (name, labels), amount in recording.take().items()
               if name == "scoop_voice_real_time_ratio_bucket" and ("voice", "humming") in labels]  # fmt: skip
    assert counted == [1]


async def test_the_memory_of_the_voice_is_measured_at_each_recording(database):
    async with a_lesson(database) as (lesson_id, folder):
        await ask(database, lesson_id)
        await speak_due(database, folder, Humming(peak_memory=3 << 20))
    async with database.connection() as conn:
        measured = [each for each in await metrics.list_samples(conn) if each.name == "scoop_voice_peak_memory_bytes"]
    assert [(each.labels, each.value) for each in measured] == [({"voice": "humming"}, 3 << 20)]


async def test_asking_again_makes_nothing_again_unless_the_voice_is_another_or_the_file_is_gone(database):
    first, other = Humming(), Humming(model="c5")
    async with a_lesson(database) as (lesson_id, folder):
        for voice in (first, first, other):
            await ask(database, lesson_id)
            await speak_due(database, folder, voice)
        assert (len(first.spoken), len(other.spoken)) == (3, 3)
        assert (await report(database, lesson_id)).model == "c5"
        (folder / await database_value(database, "SELECT object_key FROM recordings")).unlink()
        await ask(database, lesson_id)
        await speak_due(database, folder, other)
        assert len(other.spoken) == 6


async def test_beginners_hear_the_same_text_more_slowly_and_with_longer_pauses(database, tmp_path):
    [document_id] = await choose(database, [an_item(1)], day=date(2024, 5, 16))
    ids = [await teach(database, document_id, level) for level in ("A1", "B1", "C1")]
    await ask(database, *ids)
    await speak_due(database, tmp_path)
    lengths = [(await report(database, lesson_id)).duration_ms for lesson_id in ids]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 1.2 * lengths[2]


async def test_a_voice_that_fails_keeps_the_text_and_is_tried_again(database):
    voice = Humming(failures=[Retry("out of breath", after=timedelta(0))])
    async with a_lesson(database) as (lesson_id, folder):
        await ask(database, lesson_id)
        await speak_due(database, folder, Humming(failures=[Retry("out of breath", after=timedelta(hours=1))]))
        waiting = await report(database, lesson_id)
        assert (waiting.state, waiting.problem, waiting.next_try_at is not None) == ("waiting", "out of breath", True)
        async with database.connection() as conn:
            assert (await lessons.by_id(conn, lesson_id)).lesson_text == " ".join(SENTENCES)
        await ask(database, lesson_id)
        await speak_due(database, folder, voice)
        assert (await report(database, lesson_id)).state == "ready"


async def test_a_text_that_cannot_be_spoken_has_failed_with_its_reason_until_somebody_asks_again(database):
    async with a_lesson(database) as (lesson_id, folder):
        await ask(database, lesson_id)
        await speak_due(database, folder, Humming(failures=[Reject("no English word")]))
        failed = await report(database, lesson_id)
        assert (failed.state, failed.problem) == ("failed", "no English word")
        async with database.transaction() as conn:
            assert (await actions.ask(conn, lesson_id, voice="hibari")).state == "waiting"
        await speak_due(database, folder)
        assert (await report(database, lesson_id)).state == "ready"


async def test_without_a_voice_nobody_can_ask(database):
    async with a_lesson(database) as (lesson_id, _), database.transaction() as conn:
        with pytest.raises(Conflict, match="SCOOP_VOICE"):
            await actions.ask(conn, lesson_id, voice="none")
        with pytest.raises(NotFound):
            await actions.ask(conn, 4711, voice="hibari")


async def test_what_was_chosen_lately_is_spoken_ahead_at_the_levels_of_people_who_listen(database):
    day = date(2024, 5, 16)
    [new] = await choose(database, [an_item(1)], day=day)
    [old] = await choose(database, [an_item(2)], day=day - timedelta(days=7))
    made = {(one, level): await teach(database, one, level) for one in (new, old) for level in ("A2", "B1")}
    async with database.transaction() as conn:
        assert await speak.ask_ahead(conn, now=NOW) == 1  # B1, while there are no learners
        assert await speak.ask_ahead(conn, now=NOW) == 0
        due = [row["subject"] for row in await conn.fetch("SELECT subject FROM work WHERE stage = 'speak'")]
    assert due == [made[new, "B1"]]
