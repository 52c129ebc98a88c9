"""The brief of sentences that the signs of support leave open: whether the documents say so, and where."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scoop.core import text
from scoop.core.briefs import Order, Prompt, prompts, replies
from scoop.model import Citation

PROMPT_ID = "support"
TASK = "support"
MIN_QUOTE, MAX_QUOTE = 5, 1_000  # characters: five Chinese signs are a clause
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sentences"],
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["number", "document", "quote", "supported"],
                "properties": {
                    "number": {"type": "integer"},
                    "document": {"type": "integer"},
                    "quote": {"type": "string"},
                    "supported": {"type": "boolean"},
                },
            },
        }
    },
}


class _JudgedSentence(msgspec.Struct):
    number: int
    supported: bool
    document: int = 0
    quote: str = ""


class _SupportReply(msgspec.Struct):
    sentences: list[_JudgedSentence]


def prompt(order: Order, sentences: Sequence[str]) -> Prompt:
    """The question about these sentences; they are fenced like the documents, since they quote them."""
    numbered = "\n".join(f"[{number}] {text.one_line(sentence)}" for number, sentence in enumerate(sentences, 1))
    return prompts.prompt_about(
        order.documents,
        template=prompts.template(PROMPT_ID),
        schema=SCHEMA,
        values={"sentences": numbered},
        max_tokens=order.max_prompt_tokens,
    )


def read(reply: str, order: Order, sentences: Sequence[str]) -> dict[str, Citation]:
    """The passage of each sentence that the model confirms; BadReply where the reply has another form.

    A sentence without an answer, with two different ones, or whose passage is in no document is not confirmed.
    """
    decoded = replies.decode(reply, _SupportReply)
    bodies = {document.document_id: document.body_text for document in order.documents}
    denied = {each.number for each in decoded.sentences if not each.supported}
    passages = {
        each.number: passage
        for each in decoded.sentences
        if each.number not in denied and (passage := _passage(each, bodies))
    }
    return {sentence: passages[number] for number, sentence in enumerate(sentences, 1) if number in passages}


def _passage(answer: _JudgedSentence, bodies: Mapping[int, str]) -> Citation | None:
    """Where the document has the words that the model names; None if it has not, or if they are too few."""
    quote = answer.quote.strip()
    start = bodies.get(answer.document, "").find(quote)
    if start < 0 or not MIN_QUOTE <= len(quote) <= MAX_QUOTE:
        return None
    return Citation(document_id=answer.document, start=start, end=start + len(quote))
