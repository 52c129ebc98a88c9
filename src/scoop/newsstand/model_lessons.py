"""The newsstand model's lessons: sentences of the documents, cut to the lengths that a prompt asks for, and faults."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scoop.newsstand.model_replies import JAPANESE, FencedDocument

Reply = dict[str, Any]

FREE = (10, 60)  # words a sentence of a level that sets no length
SHORT = (4, 6)
INVENTED = "The whole plan costs 4,711 million dollars."
_TOTAL = re.compile(r"^- (\d+) to (\d+) words in all", re.MULTILINE)
_SENTENCE = re.compile(r"^- (\d+) to (\d+) words a sentence", re.MULTILINE)
_BREAK = re.compile(r"[,;:]$|^(?:and|but|which|who|while|after|before|because|when|as|with|to|in|on|at|by|for)$")


def lesson(documents: Sequence[FencedDocument], prompt: str) -> Reply:
    """Sentences of the documents from the first on, each cut at a pause, until the length is reached."""
    total = _range(_TOTAL, prompt, (60, 80))
    length = _range(_SENTENCE, prompt, FREE)
    sentences, words = [], 0
    for document, passage in _passages(documents):
        text = _cut(passage, length)
        count = len(text.split())
        if not text or words + count > total[1]:
            continue
        sentences.append({"text": text, "document": document.document_id, "quote": passage[:300]})
        words += count
    return {"lesson": sentences}


def _range(pattern: re.Pattern[str], prompt: str, default: tuple[int, int]) -> tuple[int, int]:
    match = pattern.search(prompt)
    return (int(match[1]), int(match[2])) if match else default


def _passages(documents: Sequence[FencedDocument]) -> Iterator[tuple[FencedDocument, str]]:
    for document in documents:
        yield from ((document, sentence) for sentence in document.sentences)


def _cut(passage: str, length: tuple[int, int]) -> str:
    """The beginning of a sentence up to its last pause within the length; empty if it would be too short."""
    words = passage.split()
    if any(sign in passage for sign in '?"“”'):
        return ""
    if len(words) > length[1]:
        pauses = [
            at for at in range(length[0], length[1] + 1) if _BREAK.search(words[at]) or words[at - 1][-1] in ",;:"
        ]
        words = words[: pauses[-1] if pauses else length[1]]
    return f"{' '.join(words).rstrip(',;:. ')}." if len(words) >= length[0] else ""


# Faults


def _listed(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    return {"lesson": [sentence | {"text": f"- {sentence['text']}"} for sentence in reply["lesson"]]}


def _in_japanese(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    return {"lesson": [sentence | {"text": JAPANESE} for sentence in reply["lesson"]]}


def _invented(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    first = reply["lesson"][0]
    return {"lesson": [sentence | {"text": INVENTED} for sentence in (first, first)] + reply["lesson"][1:2]}


def _asking(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    return {"lesson": [*reply["lesson"], {"text": "What do you think?", "document": 0, "quote": ""}]}


def _long(_reply: Reply, documents: Sequence[FencedDocument]) -> Reply:
    """The articles themselves, whatever the level."""
    return {"lesson": _quoted(_passages(documents))}


def _simple(_reply: Reply, documents: Sequence[FencedDocument]) -> Reply:
    """A few words of each sentence, whatever the level."""
    cut = ((document, _cut(passage, SHORT)) for document, passage in _passages(documents))
    return {"lesson": _quoted((document, text) for document, text in cut if text)}


def _quoted(passages: Iterator[tuple[FencedDocument, str]]) -> list[Reply]:
    return [{"text": text, "document": document.document_id, "quote": text.rstrip(".")} for document, text in passages]


CHANGES: Mapping[str, Callable[[Reply, Sequence[FencedDocument]], Reply]] = {
    "wrong-language": _in_japanese,
    "list": _listed,
    "invented-numbers": _invented,
    "question": _asking,
    "whole-article": _long,
    "too-simple": _simple,
}
"""Faults of lessons."""
