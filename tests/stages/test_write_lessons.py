"""Lessons by a model server and by the local grader: made once, checked, repaired, harder from level to level."""

import pytest

from lesson_articles import ALL, BODY, TITLE, a_ferry, store
from scoop.store import briefs, lessons
from writing import a_desk

BY_LEVEL = """SELECT level, lesson_text, measured_level, score, findings, provider, disclaimer_id, prompt_version
FROM lessons ORDER BY level"""
JAPANESE = "フェリーが水曜日の夜に火災を起こした。全員無事だった。" * 12
SHORT = f"{TITLE}. The ferry burned off Skarn on Wednesday, and all people on board are safe now, the police said."


async def a_document(database, **changes):
    await store(database, a_ferry(**changes))
    async with database.connection() as conn:
        return await conn.fetchval("SELECT document_id FROM documents")


async def ask(desk, document_id, *levels):
    for level in levels:
        await desk.ask({document_id: "en"}, kind="lesson", level=level)


async def problem(desk):
    [row] = await desk.rows("SELECT problem FROM briefs")
    return row["problem"]


async def test_a_lesson_of_each_level_is_stored_with_what_it_rests_on(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, *ALL[:4])
        await desk.write()
        async with database.connection() as conn:
            made = (await lessons.list_by_subject(conn, "document", [document_id]))[document_id]
    assert [lesson.level for lesson in made] == list(ALL[:4])
    assert [lesson.score for lesson in made] == sorted(lesson.score for lesson in made)
    for lesson in made:
        assert lesson.public_id == f"{lesson.article_id}#{lesson.level}"
        assert lesson.lesson_text == " ".join(sentence.text for sentence in lesson.sentences)
        assert all(sentence.citations for sentence in lesson.sentences)
        assert (lesson.prompt_version, lesson.disclaimer_id) == ("v1.0", "generated")


async def test_a_lesson_is_made_once_and_kept_whatever_changes(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "A2")
        await desk.write()
        before = await desk.rows(BY_LEVEL)
        await store(database, a_ferry(body_text=BODY + " The harbour is open again."))
        await ask(desk, document_id, "A2", "A2")
        await desk.write(desk.writer(model="newsstand-1"))
        after = await desk.rows(BY_LEVEL)
    assert len(desk.calls) == 1
    assert before == after


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("wrong-language", "not in English"),
        ("list", "markup"),
        ("invented-numbers", "4,711"),
        ("refusal", "refused"),
        ("bad-json", "not JSON"),
    ],
)
async def test_a_reply_that_may_not_be_shown_is_repaired_once_and_then_refused(database, tmp_path, fault, words):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "B1")
        desk.script.extend([fault, fault])
        await desk.write()
        assert words in await problem(desk)
        assert len(desk.calls) == 2
        assert await desk.rows(BY_LEVEL) == []


async def test_the_repair_names_what_was_wrong(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "A1")
        desk.script.append("whole-article")
        await desk.write()
        [row] = await desk.rows(BY_LEVEL)
    first, second = (str(call.body["messages"]) for call in desk.calls)
    assert "could not be used" not in first
    assert "A1 has at most" in second
    assert row["level"] == "A1"


async def test_a_text_that_stays_outside_its_level_is_shown_with_its_measured_level(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "A1")
        desk.script.extend(["whole-article", "whole-article"])
        await desk.write()
        [row] = await desk.rows(BY_LEVEL)
    assert row["measured_level"] > "A1"
    assert {"length", "sentence_length"} <= {finding["kind"] for finding in row["findings"]}
    assert "A1 has at most" in row["findings"][0]["message"]


async def test_a_lesson_that_is_easier_than_the_level_below_is_not_stored(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "A2")
        await desk.write()
        await ask(desk, document_id, "C1")
        desk.script.extend(["too-simple", "too-simple", "too-simple"])
        await desk.write()
        rows = await desk.rows(BY_LEVEL)
        finding = str(desk.calls[3].body["messages"])
    assert [row["level"] for row in rows] == ["A2", "C1"]
    assert rows[0]["score"] <= rows[1]["score"]
    assert "easier than the text of level A2" in finding


async def test_the_local_grader_simplifies_at_every_level(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, *ALL)
        await desk.write(desk.writer("local"))
        rows = await desk.rows(BY_LEVEL)
    assert [row["level"] for row in rows][:4] == list(ALL[:4])
    assert [row["score"] for row in rows] == sorted(row["score"] for row in rows)
    assert {(row["provider"], row["disclaimer_id"]) for row in rows} == {("local", "simplified")}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"language": "ja", "title": "フェリー火災", "body_text": JAPANESE}, "English"),
        ({"body_text": "Fire."}, "too short"),
        ({"body_text": SHORT}, "too short"),
    ],
)  # fmt: skip
async def test_an_article_that_cannot_become_a_lesson_says_why(database, tmp_path, changes, words):
    document_id = await a_document(database, **changes)
    async with a_desk(database, tmp_path) as desk:
        await ask(desk, document_id, "B2")
        await desk.write(desk.writer("local"))
        [row] = await desk.rows("SELECT problem, written_at FROM briefs")
    assert words in row["problem"]
    assert row["written_at"] is None


async def test_fifty_askers_wait_for_one_request(database, tmp_path):
    document_id = await a_document(database)
    async with a_desk(database, tmp_path) as desk:
        for _ in range(50):
            async with database.transaction() as conn:
                await briefs.ask(conn, "lesson", "document", {document_id: "en"}, level="B1")
        await desk.write()
    assert len(desk.calls) == 1
