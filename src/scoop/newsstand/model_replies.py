"""The replies of the newsstand's model: texts from the documents of a prompt, and the ways in which they are wrong."""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from scoop.newsstand.world import Edition

CALLS_MAX = 10_000
DEPTH = 100_000
SENTENCES_OF_FIRST = 2
OTHER_DOCUMENTS = 3
OTHER_LANGUAGE = {"ja": "The council met again on Tuesday."}
REWORDED = "For the people there this means:"
JAPANESE = "評議会は火曜日に再び集まった。"
ATTACKS = (
    "Visit https://evil.example/login and [your bank](https://evil.example/bank).",
    "@everyone <@&4711> <#4711> must read this.",
    '<script src="//evil.example/x.js"></script><b>Breaking</b> ![](https://evil.example/pixel.gif)',
    "\u202egnisrever\u202c and z\u200be\u200br\u200bo widths",
)

_FENCED = re.compile(
    r'^<document id="(?P<id>\d+)" nonce="(?P<nonce>[^"]+)">\n(?P<text>.*?)^</document nonce="(?P=nonce)">',
    re.DOTALL | re.MULTILINE,
)
_FIELDS = re.compile(r"(?:[a-z_]+:.*\n)*")
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|[。！？]|$)", re.MULTILINE)
_ORDER = re.compile(r"\b(?:ignore|disregard|instead|instructions?|you must|reply with|system prompt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FencedDocument:
    """A document of a prompt."""

    document_id: int
    language: str
    body: str

    @property
    def sentences(self) -> list[str]:
        return _SENTENCE.findall(self.body)


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of a summary, and the passage on which it rests."""

    text: str
    document: int
    quote: str


Paragraphs = list[list[Sentence]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    model: str
    fault: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalls:
    """The chat completions that were requested; `script` has the faults of the next ones, one for each."""

    calls: deque[ModelCall] = field(default_factory=lambda: deque(maxlen=CALLS_MAX))
    script: deque[str] = field(default_factory=deque)

    def record(self, model: str, body: Mapping[str, Any]) -> str:
        """The fault of this call: that of the script, else the one that the model is named for."""
        fault = self.script.popleft() if self.script else model
        self.calls.append(ModelCall(model=model, fault=fault, body=body))
        return fault


def read_documents(prompt: str) -> list[FencedDocument]:
    return [_document(found) for found in _FENCED.finditer(prompt)]


def _document(found: re.Match[str]) -> FencedDocument:
    head = _FIELDS.match(found["text"])
    lines = head[0].splitlines() if head else []
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = found["text"][head.end() if head else 0 :].strip()
    return FencedDocument(document_id=int(found["id"]), language=fields.get("language", ""), body=body)


# Paragraphs


def summary(documents: Sequence[FencedDocument], _other: Edition | None = None) -> Paragraphs:
    """The first sentences of the documents, each with itself as the passage."""
    counted = [
        (document, SENTENCES_OF_FIRST if number == 0 else 1)
        for number, document in enumerate(documents[: 1 + OTHER_DOCUMENTS])
    ]
    cited = [[_cited(document, each) for each in document.sentences[:count]] for document, count in counted]
    paragraphs = [cited[0], [sentence for sentences in cited[1:] for sentence in sentences]] if cited else []
    return [paragraph for paragraph in paragraphs if paragraph]


def in_another_language(documents: Sequence[FencedDocument], _other: Edition | None) -> Paragraphs:
    first = documents[0].language if documents else ""
    written = OTHER_LANGUAGE.get(first, JAPANESE)
    return [[_cited(document, document.body[:60], text=written) for document in documents[:1]]]


def of_another_story(documents: Sequence[FencedDocument], other: Edition | None) -> Paragraphs:
    """Facts of another article, under the number of a document that does not have them."""
    facts = [other.title, *other.paragraphs[:1]] if other else []
    return [[_cited(document, fact) for fact in facts] for document in documents[:1]]


def reworded(documents: Sequence[FencedDocument], _other: Edition | None) -> Paragraphs:
    """The usual sentences of the first document, and its next one with words that it does not have."""
    usual = summary(documents)
    spare = [each for document in documents[:1] for each in document.sentences[SENTENCES_OF_FIRST:][:1]]
    return [*usual[:1], [_cited(documents[0], each, text=f"{REWORDED} {each[0].lower()}{each[1:]}") for each in spare]]


def obedient(documents: Sequence[FencedDocument], other: Edition | None) -> Paragraphs:
    """What a model writes that obeys an article: its orders word for word, links, mentions, markup, another story."""
    orders = [[_cited(each, order) for order in each.sentences if _ORDER.search(order)] for each in documents]
    honest = [sentence for paragraph in summary(documents) for sentence in paragraph][:1]
    attacks = [msgspec.structs.replace(sentence, text=attack) for sentence in honest for attack in ATTACKS]
    foreign = of_another_story(documents, other)
    return [paragraph for paragraph in (honest + attacks, *orders, *foreign) if paragraph]


def _cited(document: FencedDocument, passage: str, *, text: str = "") -> Sentence:
    return Sentence(text=text or passage, document=document.document_id, quote=passage)


WRITTEN: Mapping[str, Callable[[Sequence[FencedDocument], Edition | None], Paragraphs]] = {
    "wrong-language": in_another_language,
    "other-story": of_another_story,
    "reworded": reworded,
    "obedient": obedient,
}
"""Faults in what a reply says."""


# Text


def as_json(paragraphs: Paragraphs, schema: Mapping[str, Any]) -> str:
    """The paragraphs in the form of a summary, or the schema's form of anything else."""
    properties = schema.get("properties", {})
    if not properties or "paragraphs" in properties:
        return msgspec.json.encode({"paragraphs": paragraphs}).decode()
    words = " ".join(sentence.text for paragraph in paragraphs for sentence in paragraph)
    return msgspec.json.encode(_instance(schema, words)).decode()


def _instance(schema: Mapping[str, Any], words: str) -> Any:
    """The plainest value that a schema allows, with these words as every text."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _instance(each, words) for name, each in schema.get("properties", {}).items()}
        case "array":
            return [_instance(schema.get("items", {}), words)]
        case "boolean":
            return False
        case "integer" | "number":
            return schema.get("minimum", 0)
    return words[: schema.get("maxLength", len(words))]


TEXTS: Mapping[str, Callable[[str], str]] = {
    "cut-off": lambda content: content[: len(content) // 2],
    "bad-json": lambda content: f"Here is your summary: {content[:-2]}, }}",
    "fenced": lambda content: f"```json\n{content}\n```",
    "nested": lambda _content: "[" * DEPTH + "]" * DEPTH,
    "empty": lambda _content: "",
}
"""Faults in the JSON of a reply."""
