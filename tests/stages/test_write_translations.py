"""Translations by the stage `write`: what is kept, what is refused, and what is never paid for twice."""

import pytest

from builders import FIRE, an_item, told
from scoop.store import briefs, translations
from summarised import FIRE_SENTENCES, summarise
from writing import a_desk

BODY = f"{FIRE['body_text']}\n\nOn 12 May, 1,041 people of Haarlem were brought to safety by 38 buses."


async def an_article(database, **changes):
    await told(database, [an_item(1, **(FIRE | {"body_text": BODY} | changes))])
    async with database.connection() as conn:
        return await conn.fetchval("SELECT document_id FROM documents")


async def current(desk, document_id):
    async with desk.database.connection() as conn:
        return await translations.list_current(conn, document_id)


async def translate(desk, document_id, language="de", **options):
    await desk.ask({document_id: language}, kind="translation")
    await desk.write(**options)


async def test_a_translation_keeps_paragraphs_and_numbers_and_says_who_made_it(database, tmp_path):
    document_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        await translate(desk, document_id)
        [made] = await current(desk, document_id)
    assert (made.language, made.from_language, made.provider) == ("de", "en", "openai")
    assert len(made.paragraphs) == made.paragraph_count == 2
    assert "1,041" in made.paragraphs[1]
    assert not made.is_cut
    assert made.model.startswith("newsstand-1")
    assert made.prompt_version == "v1"


async def test_the_same_article_is_translated_once_and_a_changed_one_again(database, tmp_path):
    document_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        for _ in range(3):
            await translate(desk, document_id)
        assert len(desk.calls) == 1
        await told(database, [an_item(1, **(FIRE | {"body_text": f"Rain fell.\n\n{BODY}"}))])
        await translate(desk, document_id)
        [made] = await current(desk, document_id)
    assert (made.version, made.paragraph_count) == (2, 3)


async def test_the_summary_of_an_article_is_translated_with_it(database, tmp_path):
    document_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        await desk.ask({document_id: "en"})
        await desk.write()
        await translate(desk, document_id)
        [made] = await current(desk, document_id)
    assert "Übersetzung" in made.summary


async def test_of_several_summaries_the_one_in_the_articles_own_language_is_translated(database, tmp_path):
    document_id = await an_article(database)
    for language, sentence in (("de", "Die Bibliothek brannte ab."), ("en", FIRE_SENTENCES[1])):
        await summarise(
            database, document_id, sentence, language=language, asked_language=language, subject_kind="document"
        )
    async with a_desk(database, tmp_path) as desk:
        await translate(desk, document_id, "ja")
        prompt = str(desk.calls[0].body)
    assert "Die Bibliothek brannte ab." not in prompt
    assert FIRE_SENTENCES[1] in prompt


@pytest.mark.parametrize("fault", ["wrong-language", "lost-number", "lost-paragraph", "obedient", "bad-json", "nested"])
async def test_a_translation_that_is_not_faithful_is_repaired_once_and_never_stored(database, tmp_path, fault):
    document_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        desk.script.extend([fault, fault])
        await translate(desk, document_id)
        assert await current(desk, document_id) == []
        assert "could not be used" in desk.calls[1].body["messages"][1]["content"]
        [state] = await desk.rows("SELECT brief_id FROM briefs")
        async with database.connection() as conn:
            found = await briefs.get_state(conn, state["brief_id"])
        assert found.work_state == "waiting"
        assert found.problem
        await translate(desk, document_id)
        assert len(await current(desk, document_id)) == 1


async def test_a_long_text_is_translated_up_to_a_whole_paragraph(database, tmp_path):
    paragraph = "The ferry sails at dawn and the harbour is quiet until the first bus comes. " * 20
    document_id = await an_article(database, body_text="\n\n".join(f"{paragraph}{n}" for n in range(12)))
    async with a_desk(database, tmp_path) as desk:
        await translate(desk, document_id)
        [made] = await current(desk, document_id)
    assert made.is_cut
    assert (len(made.paragraphs), made.paragraph_count) == (5, 12)


async def test_an_article_in_the_language_already_costs_nothing(database, tmp_path):
    document_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        await translate(desk, document_id, "en-GB")
        assert desk.calls == []
