"""Translations on the reader view and over the API: asked for, shown beside the original, marked as what they are."""

from builders import FIRE, told
from scoop.task_settings import DEFAULTS, TaskSettings
from web.visitor import a_report, visiting
from writing import a_desk

TASKS = DEFAULTS | {"translation": TaskSettings(writer="openai")}
BODY = f"{FIRE['body_text']}\n\nOn 12 May, 41 people were brought to safety."


async def an_article(database, **changes):
    await told(database, [a_report(1, **(FIRE | {"body_text": BODY} | changes))])
    async with database.connection() as conn:
        row = await conn.fetchrow("SELECT document_id, story_uuid FROM story_members JOIN stories USING (story_id)")
    return row["document_id"], f"/stories/{row['story_uuid']}/read/{row['document_id']}"


async def translate(database, folder, document_id, *faults):
    async with a_desk(database, folder) as desk:
        desk.script.extend(faults)
        await desk.ask({document_id: "de"}, kind="translation")
        await desk.write()


async def test_without_a_writer_the_control_says_what_to_configure(database):
    _, path = await an_article(database)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(path)).page
        refused = await visitor.post(f"{path}/translate", {"language": "de"})
    assert "[tasks.translation]" in page.text
    assert "docs/howto/writers.md" in page.text
    assert refused.status == 409


async def test_a_reader_asks_for_a_translation_and_sees_it_beside_the_original(database, tmp_path):
    document_id, path = await an_article(database)
    async with visiting(database, role="reader", tasks=TASKS, summary_language="de") as visitor:
        asked = await visitor.post(f"{path}/translate", {"language": "de"})
        assert (asked.status, asked.headers["location"]) == (303, f"{path}?language=de")
        assert "is being made" in (await visitor.get(f"{path}?language=de")).page.text
        await translate(database, tmp_path, document_id)
        both = (await visitor.get(f"{path}?language=de")).page.text
        alone = (await visitor.get(f"{path}?language=de&view=translation")).page.text
        original = (await visitor.get(path)).page.text
    assert "Machine translation from English by newsstand-1-2026-01-01" in both
    assert ("41 people" in both, "Übersetzung" in both) == (True, True)
    assert ("41 people" in alone, "Übersetzung" in alone) == (False, True)
    assert ("Side by side" in both, "German" in original) == (True, True)


async def pages_of(database):
    """The pages of the event and of the article."""
    async with database.connection() as conn:
        event_uuid = await conn.fetchval("SELECT event_uuid FROM events WHERE status = 'active'")
        return f"/events/{event_uuid}", f"/articles/{await conn.fetchval('SELECT article_id FROM documents')}"


async def test_event_and_article_show_the_translated_headline_to_readers_of_another_language(database, tmp_path):
    document_id, path = await an_article(database)
    await translate(database, tmp_path, document_id)
    async with database.connection() as conn:
        title = await conn.fetchval("SELECT title FROM translations")
    async with visiting(database, role="reader", tasks=TASKS) as visitor:
        await visitor.post("/settings/account/language", {"language": "de"})
        german = [await visitor.get(each) for each in await pages_of(database)]
        await visitor.post("/settings/account/language", {"language": "en"})
        english = [await visitor.get(each) for each in await pages_of(database)]
    assert [(title in page.page.text, FIRE["title"] in page.page.text) for page in german] == [(True, True)] * 2
    assert [page.page.links(path) for page in german][1] == [f"{path}?language=de"]
    assert [title in page.page.text or "Translate" in page.page.text for page in english] == [False, False]


async def test_a_headline_that_changed_is_not_shown_in_its_old_translation(database, tmp_path):
    document_id, _ = await an_article(database)
    await translate(database, tmp_path, document_id)
    async with database.connection() as conn:
        title = await conn.fetchval("SELECT title FROM translations")
    await an_article(database, title="Library of Ostburg was saved after all")
    async with visiting(database, role="reader", tasks=TASKS, summary_language="de") as visitor:
        pages = [(await visitor.get(each)).page.text for each in await pages_of(database)]
    assert [title in text for text in pages] == [False, False]


async def test_event_and_article_offer_a_translation_or_say_what_to_configure(database):
    _, path = await an_article(database)
    async with visiting(database, role="reader", summary_language="de") as visitor:
        unconfigured = [(await visitor.get(each)).page.text for each in await pages_of(database)]
    async with visiting(database, role="reader", tasks=TASKS, summary_language="de") as visitor:
        offered = [(await visitor.get(each)).text for each in await pages_of(database)]
    assert ["[tasks.translation]" in text for text in unconfigured] == [True, True]
    assert [f'action="{path}/translate"' in text for text in offered] == [True, True]
    assert ['<option value="de" selected>' in text for text in offered] == [True, True]


async def test_a_translation_that_failed_says_why_and_when_it_is_tried_again(database, tmp_path):
    document_id, path = await an_article(database)
    await translate(database, tmp_path, document_id, "lost-paragraph", "lost-paragraph")
    async with visiting(database, tasks=TASKS) as visitor:
        text = (await visitor.get(f"{path}?language=de")).page.text
    assert "Not translated into German: unfaithful" in text
    assert "Next try:" in text


async def test_a_changed_article_marks_its_translation_as_outdated(database, tmp_path):
    document_id, path = await an_article(database)
    await translate(database, tmp_path, document_id)
    await an_article(database, body_text=f"Rain fell.\n\n{BODY}")
    async with visiting(database, tasks=TASKS) as visitor:
        text = (await visitor.get(f"{path}?language=de")).page.text
    assert "The article has changed since." in text


async def test_hostile_texts_in_a_translation_are_shown_as_text(database, tmp_path):
    document_id, path = await an_article(database)
    await translate(database, tmp_path, document_id)
    async with database.connection() as conn:
        await conn.execute("UPDATE translations SET title = '<script>alert(1)</script>', model = '<b>m</b>'")
    async with visiting(database, tasks=TASKS) as visitor:
        answer = await visitor.get(f"{path}?language=de")
    assert "<script>alert" not in answer.text
    assert "<b>m</b>" not in answer.text


async def test_somebody_without_an_account_cannot_spend_money(database):
    _, path = await an_article(database)
    async with visiting(database, role=None, tasks=TASKS, public_reading=True) as visitor:
        assert "Sign in to translate" in (await visitor.get(path)).page.text
        assert (await visitor.post(f"{path}/translate", {"language": "de"})).status in {303, 401}
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM briefs") == 0


async def test_programs_ask_for_translations_and_read_them(database, tmp_path):
    document_id, _ = await an_article(database)
    path = f"/api/v1/documents/{document_id}/translations"
    async with visiting(database, role="reader", tasks=TASKS) as visitor:
        asked = await visitor.ask("POST", path, {"language": "de"})
        assert (asked.status, asked.json["items"], asked.json["asked"][0]["is_waiting"]) == (202, [], True)
        assert (await visitor.ask("POST", path, {"language": "en"})).status == 409
        assert (await visitor.ask("POST", path, {"language": "xx"})).status in {400, 422}
        assert (await visitor.get("/api/v1/documents/999999/translations")).status == 404
        await translate(database, tmp_path, document_id)
        read = (await visitor.get(path)).json
    assert [each["language"] for each in read["items"]] == ["de"]
    assert len(read["items"][0]["paragraphs"]) == 2
