"""Texts as the stage `write` works on them: kinds, tasks and jobs, and what decides about a text."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from scoop.core import hashes
from scoop.core.briefs import Order, Prompt, support
from scoop.core.budgets import Budget
from scoop.core.interests import Interests
from scoop.core.relevance import RelevanceLabel
from scoop.core.support import Embed
from scoop.errors import Deferred
from scoop.stages.judging import JudgedKind, Judging
from scoop.stages.stage import Failure
from scoop.store import curators, evaluations
from scoop.store.briefs import Brief, Settled
from scoop.store.db import Connection
from scoop.store.model_calls import CallOutcome, ClosedCall, OpenCall
from scoop.writers import Prices, Writer

PRICED_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The writer of a kind of text and its limits; `fallback` writes when the budget is spent, if it is set."""

    writer: Writer
    budget: Budget
    parallel: int = 1
    fallback: Writer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text that passed its check, and what it was made from and by."""

    brief: Brief
    order: Order
    prompt: Prompt
    writer: Writer
    model: str
    input_hash: bytes
    text: Any
    call: ClosedCall | None
    is_fallback: bool = False


async def _nothing_kept(_conn: Connection, _brief_ids: Sequence[int]) -> set[int]:
    return set()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextKind:
    """What the stage needs to know of a kind of text.

    `read` gives the text of a reply or raises BadReply; `known_inputs` gives the hashes of texts that exist. `judged`
    is for kinds whose sentences the writer of the task `support` may judge. `kept` gives the briefs whose text is never
    written again. `save` gives the outcomes of texts that it did not store after all. A text that the fallback wrote is
    written again by its own writer when that may be asked, if it was asked for within `replaced_for`.
    """

    prompt: Callable[[Order, str], Prompt]
    has_material: Callable[[Order], bool]
    read: Callable[[str, Order, Embed | None], Any]
    save: Callable[[Connection, Sequence[Written]], Awaitable[Sequence[Settled] | None]]
    known_inputs: Callable[[Connection, Sequence[int]], Awaitable[set[bytes]]]
    judged: JudgedKind | None = None
    kept: Callable[[Connection, Sequence[int]], Awaitable[set[int]]] = _nothing_kept
    replaced_for: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The interests that an article is evaluated for, and what the reader said of other articles."""

    interests: Interests
    labels: tuple[RelevanceLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One text to write; `call_id` is the request that was written down, None for a writer that costs nothing.

    `judging` is the question about sentences of a text that is written already. `is_fallback`: its own writer may not
    be asked now; it is at the end of `replaced_later`, unless that is None.
    """

    brief: Brief
    order: Order
    prompt: Prompt
    writer: Writer
    input_hash: bytes
    source: str | None = None
    call_id: int | None = None
    judging: Judging | None = None
    is_fallback: bool = False
    replaced_later: Deferred | None = None

    @property
    def task(self) -> str:
        """The task whose writer is asked and whose budget pays."""
        return self.brief.kind if self.judging is None else support.TASK

    @property
    def asked(self) -> tuple[Writer, Prompt]:
        """The writer that is asked, and what."""
        return (self.writer, self.prompt) if self.judging is None else (self.judging.writer, self.judging.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBatch:
    """The texts of a batch: to be written, put off, or settled without a writer; `known_inputs`: of existing texts."""

    jobs: Sequence[Job]
    failures: Mapping[int, Failure]
    settled: Sequence[Settled]
    known_inputs: Set[bytes] = frozenset()


@dataclass(slots=True, kw_only=True)
class WriteOutput:
    """What a batch gave: texts that passed, how briefs ended, and what the requests cost.

    `answered` has the error of each writer that was asked last, None if it replied.
    """

    written: list[Written] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    calls: list[ClosedCall] = field(default_factory=list)
    answered: dict[str, Failure | None] = field(default_factory=dict)


async def load_readers(conn: Connection, loaded: Sequence[Brief]) -> dict[int, Reader]:
    """The readers of the evaluations among these briefs."""
    asked = {brief.subject_id: brief.brief_id for brief in loaded if brief.kind == "evaluation"}
    contexts = await evaluations.load_contexts(conn, list(asked)) if asked else {}
    labels = {
        topic_id: tuple(label.relevance() for label in await curators.list_labels(conn, topic_id))
        for topic_id in {context.topic_id for context in contexts.values()}
    }
    return {
        asked[evaluation_id]: Reader(interests=context.interests, labels=labels[context.topic_id])
        for evaluation_id, context in contexts.items()
    }


def input_hash(order: Order, prompt: Prompt, writer: Writer, contents: Sequence[bytes]) -> bytes:
    """What decides about a text: documents, language, prompt and model; the same gives the same again."""
    decisive = (
        order.kind,
        order.language,
        order.level,
        prompt.prompt_id,
        prompt.prompt_version,
        writer.provider,
        writer.model,
        *(f"{document.document_id}" for document in order.documents),
        *(document.summary for document in order.documents if document.summary),
        *(content.hex() for content in contents),
        *((repr(order.interests), repr(order.labels)) if order.interests else ()),
    )
    return hashes.sha256("\0".join(decisive))


def no_writer(kind: str) -> str:
    """Why a kind of text is not written, and which setting to change."""
    return f"no writer is set for the task {kind}: set writer in [tasks.{kind}] (SCOOP_TASKS_{kind.upper()}_WRITER)"


def open_call(job: Job) -> OpenCall:
    writer, prompt = job.asked
    return OpenCall(
        brief_id=job.brief.brief_id,
        task=job.task,
        subject_kind=job.brief.subject_kind,
        subject_id=job.brief.subject_id,
        source=job.source,
        provider=writer.provider,
        model=writer.model,
        endpoint=writer.endpoint,
        prompt_id=prompt.prompt_id,
        prompt_version=prompt.prompt_version,
        input_hash=job.input_hash,
        is_repair=bool(job.brief.finding),
    )


def with_call(job: Job, call_id: int) -> Job:
    return replace(job, call_id=call_id)


def by_fallback(job: Job, writer: Writer, *, replaced_later: Deferred | None) -> Job:
    """The same text by the fallback writer, in the language of the sources; its own writer may still replace it."""
    return replace(
        job,
        writer=writer,
        is_fallback=True,
        replaced_later=replaced_later,
        order=replace(job.order, language="", is_final=True, is_local=True),
        input_hash=hashes.sha256(f"{job.input_hash.hex()}\0{writer.model}"),
    )


def price(prices: Prices, *, input_tokens: int, output_tokens: int) -> Decimal:
    """The price of so many tokens, exactly."""
    input_price, output_price = Decimal(str(prices.input_price)), Decimal(str(prices.output_price))
    return (input_tokens * input_price + output_tokens * output_price) / PRICED_TOKENS


def closed(call: ClosedCall, outcome: CallOutcome, problem: str | None) -> ClosedCall:
    return replace(call, outcome=outcome, problem=problem)
