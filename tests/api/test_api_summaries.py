"""Summaries over the API: the current one with its passages, all versions, and asking for one."""

import asyncio

import pytest

from builders import FIRE
from scoop.task_settings import TaskSettings
from summarised import FIRE_SENTENCES, INVENTED, document_ids, fail, queued, summarise
from web.test_web_summaries import WITH_MODEL, WITHOUT_WRITER, a_fire, path_of
from web.visitor import visiting

EMPTY = ("text", "language", "provider", "model", "prompt", "confidence", "disclaimer", "generated_at")


async def test_an_event_without_a_summary_says_that_nobody_asked(database):
    event_id = await a_fire(database)
    async with visiting(database, role="reader") as visitor:
        summary = (await visitor.get(f"/api/v1{await path_of(database, event_id)}")).json["summary"]
    assert {summary[name] for name in EMPTY} == {None}
    assert (summary["state"], summary["asked_at"], summary["sentences"]) == ("pending_summary", None, [])


async def test_a_summary_has_its_sentences_with_the_passages_that_they_rest_on(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    async with visiting(database, role="reader") as visitor:
        summary = (await visitor.get(f"/api/v1{await path_of(database, event_id)}")).json["summary"]
    first, *_ = summary["sentences"]
    (citation,) = first["citations"]
    assert (first["text"], first["paragraph"]) == (FIRE_SENTENCES[0], 0)
    assert citation["passage"] == FIRE_SENTENCES[0]
    assert FIRE["body_text"][citation["start"] : citation["end"]] == citation["passage"]
    assert (citation["url"], citation["number"]) == ("https://harbour.example/1", 1)
    assert citation["article_id"].startswith("art_")
    assert summary["state"] == "summarized"
    assert (summary["provider"], summary["prompt"], summary["confidence"]) == ("local", "summary@1", 0.9)
    assert summary["disclaimer"] == "These sentences are quoted from the articles."


async def test_editors_get_the_sentences_that_were_left_out_with_the_reasons(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES, left_out=(INVENTED,))
    path = f"/api/v1{await path_of(database, event_id)}/summaries"
    shown = {}
    for role in ("reader", "editor"):
        async with visiting(database, role=role) as visitor:
            [shown[role]] = (await visitor.get(path)).json["items"]
    assert shown["reader"]["left_out"] == []
    assert shown["editor"]["left_out"] == [
        {"text": INVENTED.text, "kind": "number", "reasons": ["the number 17 is not in the source"]}
    ]


async def test_fifty_requests_ask_for_one_summary(database):
    event_id = await a_fire(database)
    path = f"/api/v1{await path_of(database, event_id)}"
    async with visiting(database, role="reader") as visitor:
        answers = [await visitor.ask("POST", f"{path}/summary", {}) for _ in range(10)]
        answers += await asyncio.gather(*(visitor.ask("POST", f"{path}/summary", {}) for _ in range(40)))
    assert {answer.status for answer in answers} == {202}
    assert {answer.json["state"] for answer in answers} == {"pending_summary"}
    assert await queued(database) == [("", 1)]


async def test_a_failed_summary_has_its_reason_and_is_tried_again_for_editors_only(database):
    event_id = await a_fire(database)
    await fail(database, event_id, "refused: The model refused to answer.")
    path = f"/api/v1{await path_of(database, event_id)}"
    async with visiting(database, role="reader") as visitor:
        summary = (await visitor.ask("POST", f"{path}/summary", {})).json
    assert (summary["state"], summary["problem"]) == ("summary_failed", "refused: The model refused to answer.")
    assert summary["next_try_at"] is not None
    async with visiting(database, role="editor") as visitor:
        tried = (await visitor.ask("POST", f"{path}/summary", {})).json
    assert tried["state"] == "pending_summary"


async def test_versions_in_all_languages_are_listed_the_newest_first(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, FIRE_SENTENCES[0])
    await summarise(database, event_id, *FIRE_SENTENCES)
    await summarise(
        database, event_id, "図書館が全焼した。", language="ja", asked_language="ja", is_shown_in_lists=False
    )
    path = f"/api/v1{await path_of(database, event_id)}"
    async with visiting(database, role="reader") as visitor:
        versions = (await visitor.get(f"{path}/summaries")).json["items"]
        japanese = (await visitor.get(f"{path}?language=ja")).json["summary"]
        french = (await visitor.get(f"{path}?language=fr")).json["summary"]
    assert [(each["language"], each["version"]) for each in versions] == [("ja", 1), ("en", 2), ("en", 1)]
    assert (japanese["text"], french["language"]) == ("図書館が全焼した。", "en")


@pytest.mark.parametrize(
    ("settings", "language", "status"),
    [(WITH_MODEL, "ja", 202), (WITH_MODEL, "klingon!", 400), (WITH_MODEL, "qqqq", 400), (WITH_MODEL, "qaa", 400),
     ({}, "ja", 409), ({}, None, 202), (WITHOUT_WRITER, None, 409), ({"summary_language": "ja"}, "ja", 202),
     ({"tasks": {"summary": TaskSettings(writer="azure")}}, "DE", 202)],
)  # fmt: skip
async def test_a_language_needs_a_writer_that_can_write_it(database, settings, language, status):
    event_id = await a_fire(database)
    async with visiting(database, role="reader", **settings) as visitor:
        answer = await visitor.ask(
            "POST", f"/api/v1{await path_of(database, event_id)}/summary", {"language": language}
        )
    assert answer.status == status
    assert len(await queued(database)) == (status == 202)


async def test_variants_of_a_language_are_one_summary(database):
    event_id = await a_fire(database)
    async with visiting(database, role="reader", **WITH_MODEL) as visitor:
        path = f"/api/v1{await path_of(database, event_id)}"
        for language in ("de", "de-CH", "DE-at", "de-x-mine", "de-1996"):
            answer = await visitor.ask("POST", f"{path}/summary", {"language": language})
            assert (answer.status, answer.json["state"]) == (202, "pending_summary")
        assert len(await queued(database)) == 1
        await summarise(database, event_id, "Die Bibliothek brannte.", language="de", asked_language="de")
        shown = (await visitor.get(f"{path}?language=de-CH")).json["summary"]
    assert shown["text"] == "Die Bibliothek brannte."


async def test_anonymous_readers_cannot_ask(database):
    event_id = await a_fire(database)
    async with visiting(database, role=None, public_reading=True) as visitor:
        answer = await visitor.ask("POST", f"/api/v1{await path_of(database, event_id)}/summary", {})
    assert answer.status == 401


async def test_a_document_has_the_same(database):
    await a_fire(database)
    first, *_ = await document_ids(database)
    async with visiting(database, role="reader") as visitor:
        asked = await visitor.ask("POST", f"/api/v1/documents/{first}/summary", {})
        await summarise(database, first, *FIRE_SENTENCES, subject_kind="document")
        found = (await visitor.get(f"/api/v1/documents/{first}")).json
        versions = (await visitor.get(f"/api/v1/documents/{first}/summaries")).json["items"]
        missing = [
            (await visitor.get("/api/v1/documents/999/summaries")).status,
            (await visitor.ask("POST", "/api/v1/documents/999/summary", {})).status,
        ]
        article = (await visitor.get(f"/api/articles/{found['article_id']}")).json
    assert (asked.status, asked.json["state"]) == (202, "pending_summary")
    assert found["summary"]["text"] == " ".join(FIRE_SENTENCES) == versions[0]["text"]
    assert missing == [404, 404]
    assert article["status"] == "summarized"
    assert article["summaryId"]
