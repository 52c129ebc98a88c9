"""The word list of a learner over HTTP: add, review, export and remove words."""

import csv
import io

from recorded import SENTENCES, a_lesson
from web.visitor import visiting

WORDS = "/api/v1/learner/words"


async def test_a_word_comes_with_its_meaning_and_is_due_later_after_a_review(database):
    async with visiting(database) as visitor:
        added = await visitor.ask("POST", WORDS, {"word": "ferries", "example": "Two ferries left."})
        assert (added.status, added.json["lemma"], added.json["word_class"]) == (201, "ferry", "noun")
        word_id = added.json["word_id"]
        reviewed = await visitor.ask("POST", f"{WORDS}/{word_id}/review", {"answer": "good"})
        assert reviewed.json["due_at"] > added.json["due_at"]
        assert (await visitor.get(f"{WORDS}?due=true")).json["items"] == []


async def test_another_form_of_a_word_is_no_second_word(database):
    async with visiting(database) as visitor:
        for word in ("ferry", "ferries"):
            await visitor.ask("POST", WORDS, {"word": word, "word_class": "noun"})
        assert len((await visitor.get(WORDS)).json["items"]) == 1


async def test_the_words_are_exported_with_their_examples(database):
    async with visiting(database) as visitor:
        await visitor.ask("POST", WORDS, {"word": "ferry", "example": "=A ferry, at last."})
        lines = (await visitor.get(f"{WORDS}.csv")).text.splitlines()
    [row] = list(csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#")))))
    assert (row[0], row[2]) == ("ferry", "'=A ferry, at last.")


async def test_all_words_of_a_lesson_are_explained_in_one_response(database):
    async with a_lesson(database) as (lesson_id, _), visiting(database) as visitor:
        entries = (await visitor.get(f"/api/v1/lessons/{lesson_id}/words")).json["items"]
        missing = await visitor.get(f"/api/v1/lessons/{lesson_id + 1}/words")
        tapped = (await visitor.get("/api/v1/words/look-up?word=repair")).json["items"]
    words = {word.strip(".") for sentence in SENTENCES for word in sentence.split()}
    assert {entry["word"] for entry in entries} == words
    assert [entry for entry in entries if entry["word"] == "repair"] == tapped
    assert missing.status == 404


async def test_a_word_of_a_lesson_that_does_not_exist_is_refused_with_the_field(database):
    async with a_lesson(database) as (lesson_id, _), visiting(database) as visitor:
        refused = await visitor.ask("POST", WORDS, {"word": "ferry", "lesson_id": lesson_id + 1})
        taken = await visitor.ask("POST", WORDS, {"word": "ferry", "lesson_id": lesson_id})
    assert (refused.status, taken.status) == (400, 201)
    assert "lesson_id: there is no lesson" in refused.text


async def test_a_word_is_gone_after_it_was_removed(database):
    async with visiting(database) as visitor:
        word_id = (await visitor.ask("POST", WORDS, {"word": "ferry"})).json["word_id"]
        assert (await visitor.ask("DELETE", f"{WORDS}/{word_id}")).status == 204
        assert (await visitor.ask("DELETE", f"{WORDS}/{word_id}")).status == 404
