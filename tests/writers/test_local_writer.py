"""The local writer gives sentences of the documents, with the passage that each rests on."""

import asyncio
import json

import pytest

from scoop.core.briefs import Order, Prompt, SourceText
from scoop.errors import Reject
from scoop.fetch.client import open_client
from scoop.writers import Reply
from scoop.writers.local import LocalWriter

PROMPT = Prompt(prompt_id="summary", prompt_version="1", system="", user="", schema={}, max_output_tokens=0)
LONG = "\n".join(
    f"The council of Ostburg {verb} the {thing} of the old bridge over the river Lenn in the week of {month}."
    for verb in ("closed", "repaired", "painted", "inspected", "discussed")
    for thing, month in (("northern cables", "May"), ("eastern tower", "June"), ("stone arches", "July"))
)


def a_source(number: int, body: str, language: str = "en") -> SourceText:
    return SourceText(
        document_id=number, title="Bridge", body_text=body, language=language, publisher=f"paper {number}"
    )


def written(*documents: SourceText, kind="summary", language="en"):
    reply = asyncio.run(_reply(Order(kind=kind, language=language, documents=documents)))
    assert reply.finish == "complete"
    return json.loads(reply.text)["paragraphs"]


async def _reply(order: Order) -> Reply:
    async with open_client() as client:
        return await LocalWriter(LocalWriter.Options(), client).write(order, PROMPT)


def test_every_sentence_has_its_passage():
    source = a_source(7, "The old bridge\nover the Lenn stays closed. A ferry carries cars from Monday on.")
    for sentence in (one for paragraph in written(source) for one in paragraph):
        assert sentence["document"] == 7
        assert sentence["quote"] in source.body_text
        assert " ".join(sentence["quote"].split()) == sentence["text"]


def test_a_long_source_gives_two_paragraphs_of_two_or_three_sentences():
    paragraphs = written(a_source(1, LONG), a_source(2, LONG.replace("council", "mayor")))
    assert len(paragraphs) in {1, 2}
    assert all(2 <= len(paragraph) <= 3 for paragraph in paragraphs)
    assert sum(len(one["text"]) for paragraph in paragraphs for one in paragraph) <= 900


def test_a_short_source_gives_one_paragraph():
    assert len(written(a_source(1, "The old bridge stays closed. A ferry carries cars from Monday on."))) == 1


def test_documents_in_the_language_of_the_order_are_preferred():
    german = a_source(2, "Die alte Brücke über die Lenn bleibt bis zum Frühjahr geschlossen.", "de-AT")
    paragraphs = written(a_source(1, "The old bridge over the Lenn stays closed."), german, language="de")
    assert {one["document"] for paragraph in paragraphs for one in paragraph} == {2}


def test_without_a_document_in_that_language_the_first_document_decides():
    paragraphs = written(a_source(1, "The old bridge over the Lenn stays closed."), language="ja")
    assert paragraphs[0][0]["text"] == "The old bridge over the Lenn stays closed."


def test_other_kinds_are_rejected_with_the_setting_to_change():
    with pytest.raises(Reject, match=r"translation.*\[tasks\.translation\]"):
        written(a_source(1, "The bridge stays closed."), kind="translation")


def test_documents_without_text_are_rejected():
    with pytest.raises(Reject, match="no document has a text"):
        written(a_source(1, ""))
