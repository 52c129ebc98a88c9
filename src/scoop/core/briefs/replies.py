"""Replies of writers: JSON of a known form, wherever it is in the text."""

import re
from typing import TypeVar

import msgspec

from scoop.core.briefs import BadReply

MAX_CHARACTERS = 1_000_000

T = TypeVar("T")

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # models that reason aloud put it before the answer


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
