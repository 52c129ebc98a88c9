"""Replies of writers: JSON of a known form, wherever it is in the text."""

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from scoop.core.briefs import BadReply
from scoop.model import Citation

MAX_CHARACTERS = 1_000_000

T = TypeVar("T")

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # models that reason aloud put it before the answer


class QuotingSentence(msgspec.Struct):
    """A sentence of a reply, with the passage of a document that it rests on."""

    text: str
    document: int = 0
    quote: str = ""


def decode(reply: str, form: type[T]) -> T:
    """The object in a reply, which may have words before and after it; BadReply if there is none of this form."""
    if len(reply) > MAX_CHARACTERS:
        raise BadReply("too_long", f"The reply has {len(reply):,} characters.")
    answer = _THOUGHT.sub("", reply)
    enclosed = answer[answer.find("{") : answer.rfind("}") + 1]
    try:
        return msgspec.json.decode(enclosed.encode("utf-8", "replace"), type=form)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadReply("not_json", f"The reply is not JSON of the form that was asked for: {error}.") from error


def citations(sentence: QuotingSentence, bodies: Mapping[int, str]) -> tuple[Citation, ...]:
    """The range of the quoted passage; none if the document does not have it."""
    body, quote = bodies.get(sentence.document, ""), sentence.quote.strip()
    start = body.find(quote) if quote else -1
    if start < 0:
        return ()
    return (Citation(document_id=sentence.document, start=start, end=start + len(quote)),)
