"""Briefs: texts that a writer makes. One module per kind, with `prompt()`, `parse()` and `check()`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from scoop.core.interests import Interests
from scoop.core.relevance import RelevanceLabel
from scoop.errors import ScoopError

BriefKind = Literal["summary", "translation", "same_event", "evaluation", "lesson", "sentiment", "question"]
SubjectKind = Literal["document", "event", "pair", "evaluation", "mention", "question"]

MAX_PROMPT_TOKENS = 8_000  # by default: with its reply, a prompt fits into a context of 16,000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A document that a text may rest on. All its texts are untrusted: prompts fence them as data.

    `summary` is its current summary, only for a translation. `vector` is that of an article that the local scorer may
    evaluate, None if it has none yet.
    """

    document_id: int
    title: str
    body_text: str
    language: str
    publisher: str
    url: str | None = None
    published_at: datetime | None = None
    summary: str = ""
    vector: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a writer is asked for: a kind of text about one subject, in a language, from these documents.

    `documents` has the most important one first. `level` is that of a lesson, else empty. `interests` are those that an
    article is evaluated for, `labels` what the reader said of others. `is_final`: no better reply will come, so one
    that only misses the rules of its level is accepted. `is_local`: the local writer makes it, of sentences of the
    documents. `max_prompt_tokens`: about the most that the prompt may have.
    """

    kind: BriefKind
    language: str
    documents: tuple[SourceText, ...]
    level: str = ""
    interests: Interests | None = None
    labels: tuple[RelevanceLabel, ...] = ()
    is_final: bool = False
    is_local: bool = False
    max_prompt_tokens: int = MAX_PROMPT_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A rendered prompt; `schema` is the JSON Schema of the reply."""

    prompt_id: str
    prompt_version: str
    system: str
    user: str
    schema: Mapping[str, Any]
    max_output_tokens: int


ReplyProblem = Literal[
    "refused", "cut_off", "filtered", "not_json", "empty", "wrong_language", "unsupported", "too_long", "unfaithful",
    "outside_level", "inverted",
]  # fmt: skip


class BadReply(ScoopError):
    """A reply that cannot be used; its message is shown to people, and to the model in the next attempt."""

    def __init__(self, problem: ReplyProblem, finding: str) -> None:
        super().__init__(finding)
        self.problem = problem
