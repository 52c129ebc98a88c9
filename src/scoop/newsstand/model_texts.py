"""The newsstand model's replies to other prompts than summaries: translations, judgements and evaluations."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from scoop.newsstand import model_lessons
from scoop.newsstand.model_replies import ATTACKS, FencedDocument

Reply = dict[str, Any]

# What the model writes in a language: a sentence that keeps the numbers and the names of the original.
SENTENCES = {
    "Chinese": "这一段的译文保留了原文的数字和名称",
    "English": "This paragraph is the translation and it keeps what the original says about",
    "French": "Ce paragraphe est la traduction et il reprend ce que dit le texte original sur",
    "German": "Dieser Absatz ist die Übersetzung und er enthält, was der ursprüngliche Text sagt über",
    "Japanese": "この段落は翻訳であり、原文にある数字と名前をそのまま伝えている",
    "Spanish": "Este párrafo es la traducción y conserva lo que dice el texto original sobre",
}
_TARGET = re.compile(r" into ([A-Z][a-z]+)\.")
_NUMBERED = re.compile(r"^\[\d+\] ", re.MULTILINE)
_KEPT = re.compile(r"\d[\d.,:]*\d|\d")
_TITLE = re.compile(r"^title: (.*)$", re.MULTILINE)
_SUMMARY = re.compile(r"^summary: (.*)$", re.MULTILINE)
_WORDS = re.compile(r"\w+")
_SENTENCES = re.compile(r'^<sentences nonce="[^"]+">\n(.*?)^</sentences ', re.DOTALL | re.MULTILINE)
_QUESTION = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_TOPIC = re.compile(r"^- (.+?) \((?:high|medium|low)\)", re.MULTILINE)
SUMMARY_CHARACTERS = 180
SUPPORTING_WORDS = 5  # that a sentence shares with one of a document
SAME_SHARE = 0.25  # of the words of two headlines: then the model takes them for one event


def translation(documents: Sequence[FencedDocument], prompt: str) -> Reply:
    """A reply in the language that is asked for, with as many paragraphs and the same numbers."""
    target = _TARGET.search(prompt)
    sentence = SENTENCES.get(target[1] if target else "", SENTENCES["English"])
    summary = _SUMMARY.search(prompt)
    title = _TITLE.search(prompt)
    return {
        "title": _translated(title[1] if title else "", sentence),
        "summary": _translated(summary[1], sentence) if summary else "",
        "paragraphs": [_translated(each, sentence) for document in documents for each in _paragraphs(document)],
    }


def _paragraphs(document: FencedDocument) -> list[str]:
    return [paragraph for paragraph in _NUMBERED.split(document.body) if paragraph.strip()]


def _translated(original: str, sentence: str) -> str:
    return f"{sentence} {' '.join(_KEPT.findall(original))}.".replace(" .", ".")


def same_event(_documents: Sequence[FencedDocument], prompt: str) -> Reply:
    """`same` if the headlines share words, else `different`, with the first words of both as the difference."""
    one, other = _TITLE.findall(prompt)[:2]
    shared, both = _words(one) & _words(other), _words(one) | _words(other)
    is_same = len(shared) >= SAME_SHARE * len(both)
    return {
        "verdict": "same" if is_same else "different",
        "reason": "Both report the same occurrence." if is_same else "They report two occurrences.",
        "differences": [{"fact": "headline", "one": one, "other": other}],
    }


def _words(headline: str) -> set[str]:
    return set(_WORDS.findall(headline.lower()))


def sentiment(documents: Sequence[FencedDocument], _prompt: str) -> Reply:
    """Negative, whatever the passage says: so that a reader sees which score is the model's."""
    (document,) = documents
    return {"label": "negative", "compound": -0.6, "confidence": 0.9, "evidence": document.body.split()[0]}


def question(documents: Sequence[FencedDocument], _prompt: str) -> Reply:
    """The first sentence of the first fact."""
    return {"answer": documents[1].body.split(". ")[0] + ".", "facts": [1]}


def evaluation(documents: Sequence[FencedDocument], prompt: str) -> Reply:
    """Points for the topics of the prompt whose names the article has, and its beginning as the summary."""
    (document,) = documents
    written = f"{' '.join(_TITLE.findall(prompt))} {document.body}".lower()
    matching = [topic for topic in _TOPIC.findall(prompt) if topic.lower() in written]
    parts = {
        "topic_match": 27 if matching else 3,
        "concreteness": min(30, 10 + 2 * len(_KEPT.findall(document.body))),
        "practicality": 18,
        "depth": min(15, len(document.body) // 200),
    }
    return {
        "score": sum(parts.values()),
        "parts": parts,
        "matching_topics": matching,
        "summary": textwrap.shorten(document.body, SUMMARY_CHARACTERS, placeholder=""),
        "reasoning": f"It mentions {' and '.join(matching)}." if matching else "It mentions none of the topics.",
        "is_ai_generated": False,
    }


def support(documents: Sequence[FencedDocument], prompt: str) -> Reply:
    """Supported is a sentence that shares words with a sentence of a document, which is the passage."""
    return {"sentences": [_judged(int(number), _words(sentence), documents) for number, sentence in _asked(prompt)]}


def _asked(prompt: str) -> list[tuple[str, str]]:
    block = _SENTENCES.search(prompt)
    return _QUESTION.findall(block[1]) if block else []


def _judged(number: int, words: set[str], documents: Sequence[FencedDocument]) -> Reply:
    found = [(len(words & _words(each)), document, each) for document in documents for each in document.sentences]
    shared, document, quote = max(found, key=lambda one: one[0])
    is_supported = shared >= SUPPORTING_WORDS
    return {
        "number": number,
        "document": document.document_id,
        "quote": quote if is_supported else "",
        "supported": is_supported,
    }


def _credulous(reply: Reply, documents: Sequence[FencedDocument]) -> Reply:
    """Everything is supported, by the beginning of the first document."""
    first = {"document": documents[0].document_id, "quote": documents[0].sentences[0], "supported": True}
    return reply | {"sentences": [each | first for each in reply["sentences"]]} if "lesson" in reply else reply


def _misquoted(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    """Everything is supported, by words that no document has."""
    made_up = {"quote": "as everybody knows by now", "supported": True}
    return reply | {"sentences": [each | made_up for each in reply["sentences"]]} if "sentences" in reply else reply


def _untranslated(reply: Reply, documents: Sequence[FencedDocument]) -> Reply:
    return reply | {"paragraphs": [each.strip() for document in documents for each in _paragraphs(document)]}


def _without_numbers(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    return reply | {"paragraphs": [_KEPT.sub("", paragraph) for paragraph in reply.get("paragraphs", [])]}


def _shortened(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    return reply | {"paragraphs": reply.get("paragraphs", [])[:-1]}


def _obedient(reply: Reply, documents: Sequence[FencedDocument]) -> Reply:
    """Links, mentions and markup of strangers in every text, and a fact that no document has."""
    attack = {"paragraphs": [f"{each} {ATTACKS[0]}" for each in reply["paragraphs"]]} if "paragraphs" in reply else {}
    judged = {"reason": ATTACKS[1]} if "reason" in reply else {}
    confirmed = _credulous(reply, documents)
    evaluated = {"summary": f"{ATTACKS[0]} {ATTACKS[1]}", "reasoning": ATTACKS[2]} if "reasoning" in reply else {}
    return confirmed | attack | judged | evaluated


def _invented(reply: Reply, _documents: Sequence[FencedDocument]) -> Reply:
    """A judgement whose difference is in neither document."""
    return reply | {
        "verdict": "different",
        "differences": [{"fact": "colour", "one": "mauve ink", "other": "teal ink"}],
    }


CHANGES: Mapping[str, Callable[[Reply, Sequence[FencedDocument]], Reply]] = {
    "wrong-language": _untranslated,
    "lost-number": _without_numbers,
    "lost-paragraph": _shortened,
    "obedient": _obedient,
    "other-story": _invented,
    "same": lambda reply, _documents: reply | {"verdict": "same"},
    "wrong-sum": lambda reply, _documents: reply | {"score": 100},
    "foreign-topic": lambda reply, _documents: reply | {"matching_topics": ["Astrology"]},
    "long-summary": lambda reply, _documents: reply | {"summary": "Too long. " * 40},
    "by-machine": lambda reply, _documents: reply | {"is_ai_generated": True, "score": 0},
    "unsure": lambda reply, _documents: reply | {"verdict": "unsure"},
    "different": lambda reply, _documents: reply | {"verdict": "different"},
    "credulous": _credulous,
    "misquoted": _misquoted,
}
"""Faults in what a reply says, and answers that a test chooses."""
WRITERS: Mapping[str, Callable[[Sequence[FencedDocument], str], Reply]] = {
    "title": translation,
    "verdict": same_event,
    "matching_topics": evaluation,
    "sentences": support,
    "lesson": model_lessons.lesson,
    "compound": sentiment,
    "answer": question,
}
"""Replies by a property that only their schema has."""


def write(schema: Mapping[str, Any], documents: Sequence[FencedDocument], prompt: str, fault: str) -> str | None:
    """The reply to a prompt of these schemas as JSON; None for any other schema."""
    for name, writer in WRITERS.items():
        if name in schema.get("properties", {}):
            reply = writer(documents, prompt)
            change = (model_lessons.CHANGES if "lesson" in reply else CHANGES).get(fault)
            return msgspec.json.encode(change(reply, documents) if change else reply).decode()
    return None
