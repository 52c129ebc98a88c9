"""Sentences that the signs of support leave open: the text is put aside until a second model has judged them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from scoop.core.briefs import Order, Prompt, support
from scoop.core.support import Embed
from scoop.model import Citation
from scoop.store.model_calls import ClosedCall
from scoop.writers import Writer

PUT_ASIDE = "waits for the task support, which judges {count} of its sentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedKind:
    """A kind of text with open sentences: `find_open` names them, `read` gives the text with those that are confirmed.

    Both raise BadReply for a reply that cannot be used.
    """

    find_open: Callable[[str, Order, Embed | None], Sequence[str]]
    read: Callable[[str, Order, Embed | None, Mapping[str, Citation]], Any]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that was put aside: its open sentences, what it was made from, and the request that gave it."""

    reply: str
    sentences: tuple[str, ...]
    input_hash: str
    model: str
    call: ClosedCall

    @property
    def problem(self) -> str:
        """Why there is no text yet."""
        return PUT_ASIDE.format(count=len(self.sentences))

    def stored(self) -> str:
        return msgspec.json.encode(self).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The question about the open sentences of a draft, and the writer that is asked."""

    draft: Draft
    writer: Writer
    prompt: Prompt

    def confirmed(self, reply: str, order: Order) -> Mapping[str, Citation]:
        """The sentences that the reply confirms, and where; BadReply if it has another form."""
        return support.read(reply, order, self.draft.sentences)


def resume(stored: str, order: Order, input_hash: bytes, judge: Writer | None) -> Judging | None:
    """The question about a stored draft; None without one, without a judge, or if it was made from something else."""
    if not stored or judge is None:
        return None
    draft = msgspec.json.decode(stored, type=Draft)
    if draft.input_hash != input_hash.hex():
        return None
    question = support.prompt(replace(order, max_prompt_tokens=judge.max_prompt_tokens), draft.sentences)
    return Judging(draft=draft, writer=judge, prompt=question)
