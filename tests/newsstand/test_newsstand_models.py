"""The newsstand's model server: models, documents in prompts, and the count of its calls."""

import json

import pytest
from newsstand_builders import a_world, an_article, visiting

from scoop.newsstand import model_replies
from scoop.newsstand.sites import models as site

FIRST = (
    '<document id="12" nonce="x">\ntitle: T\nlanguage: en\nVersion 3.1 came. It is new.\n</document nonce="y">\nMore.\n'
)
PROMPT = f'Read:\n{FIRST}</document nonce="x">\n<document id="13" nonce="x">\nlanguage: ja\n川が増水した。橋は閉鎖。\n</document nonce="x">'  # noqa: E501


def test_documents_end_only_at_their_own_fence():
    first, second = model_replies.read_documents(PROMPT)
    assert (first.document_id, first.language, first.sentences[:2]) == (12, "en", ["Version 3.1 came.", "It is new."])
    assert 'nonce="y"' in first.body
    assert (second.document_id, second.language, second.sentences) == (13, "ja", ["川が増水した。", "橋は閉鎖。"])


def test_every_passage_of_a_summary_is_in_its_document():
    documents = {document.document_id: document.body for document in model_replies.read_documents(PROMPT)}
    sentences = [
        each for paragraph in model_replies.summary(model_replies.read_documents(PROMPT)) for each in paragraph
    ]
    assert [sentence.document for sentence in sentences] == [12, 12, 13]
    assert all(sentence.quote in documents[sentence.document] for sentence in sentences)


def test_a_reply_has_the_form_of_any_schema():
    schema = {
        "type": "object",
        "properties": {
            "is_same": {"type": "boolean"},
            "reasons": {"type": "array", "items": {"type": "string", "maxLength": 7}},
            "confidence": {"type": "number", "minimum": 0.5},
            "kind": {"enum": ["a", "b"]},
        },
    }
    made = json.loads(model_replies.as_json(model_replies.summary(model_replies.read_documents(PROMPT)), schema))
    assert made == {"is_same": False, "reasons": ["Version"], "confidence": 0.5, "kind": "a"}


@pytest.mark.parametrize("fault", model_replies.WRITTEN)
def test_a_prompt_without_documents_gets_a_reply_too(fault):
    assert model_replies.as_json(model_replies.WRITTEN[fault]([], None), {}).startswith('{"paragraphs":[')


async def test_models_are_listed_and_calls_are_counted():
    async with visiting(a_world(an_article())) as visitor:
        listed = json.loads((await visitor.get(f"/{site.HOST}/v1/models")).text)
        body = {"model": site.MODEL, "messages": [{"role": "user", "content": PROMPT}]}
        for _ in range(2):
            async with visitor.session.post(f"/{site.HOST}/v1/chat/completions", json=body) as response:
                completion = await response.json()
        counted = json.loads((await visitor.get(f"/{site.HOST}/calls")).text)
    assert {site.MODEL, "obedient", "429", "huge"} <= {model["id"] for model in listed["data"]}
    assert json.loads(completion["choices"][0]["message"]["content"])["paragraphs"][0][0]["document"] == 12
    assert counted == {"calls": 2}


@pytest.mark.parametrize("body", ["", "[]", '{"messages": [{"role": "user", "content": 5}]}'])
async def test_a_wrong_request_is_refused_in_openais_form(body):
    async with (
        visiting(a_world(an_article())) as visitor,
        visitor.session.post(f"/{site.HOST}/v1/chat/completions", data=body) as response,
    ):
        assert (response.status, (await response.json())["error"]["type"]) == (400, "invalid_request_error")
