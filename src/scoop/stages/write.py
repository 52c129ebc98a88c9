"""Texts by writers: takes briefs, sends prompts within budgets, checks the replies and stores what passes.

A reply that fails its check is repaired once, in the next attempt. A request is written down before it is sent, so a
worker that dies costs at most one more request.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec

from scoop import metrics
from scoop.archive import objects as archives
from scoop.archive.objects import Archive
from scoop.core import budgets, hashes
from scoop.core.briefs import BadReply, BriefKind, Order, Prompt
from scoop.core.budgets import Budget, Denied
from scoop.core.interests import Interests
from scoop.core.relevance import RelevanceLabel
from scoop.core.support import Embed
from scoop.errors import Reject, Retry
from scoop.stage_names import StageName
from scoop.stages import services
from scoop.stages.services import ServiceStop
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.store import briefs, curators, evaluations, model_calls
from scoop.store.briefs import Brief, BriefSource, Settled
from scoop.store.db import Connection
from scoop.store.model_calls import ClosedCall, OpenCall
from scoop.store.work import Subject
from scoop.writers import Prices, Reply, Writer

LOCAL_BATCH = 32
NEVER_GIVE_UP = 1_000_000  # attempts: a server that is down, or a budget, is not the text's fault
MAX_FAILURES = 8  # unusable replies for one text: four texts, each repaired once
TRY_AGAIN_AFTER = timedelta(hours=1)  # a text that failed although it was repaired
PRICED_TOKENS = 1_000_000
FINISH_PROBLEMS = {
    "cut_off": "The reply was cut off; write a shorter one.",
    "refused": "The model refused to answer.",
    "filtered": "The server's content filter stopped the reply.",
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TextKind:
    """What the stage needs to know of a kind of text.

    `read` gives the text of a reply or raises BadReply; `known_inputs` gives the hashes of texts that exist.
    """

    prompt: Callable[[Order, str], Prompt]
    has_material: Callable[[Order], bool]
    read: Callable[[str, Order, Embed | None], Any]
    save: Callable[[Connection, Sequence[Written]], Awaitable[None]]
    known_inputs: Callable[[Connection, Sequence[int]], Awaitable[set[bytes]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The interests that an article is evaluated for, and what the reader said of other articles."""

    interests: Interests
    labels: tuple[RelevanceLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One text to write; `call_id` is the request that was written down, None for a writer that costs nothing."""

    brief: Brief
    order: Order
    prompt: Prompt
    writer: Writer
    input_hash: bytes
    source: str | None = None
    call_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBatch:
    """The texts of a batch: to be written, put off, or settled without a writer."""

    jobs: Sequence[Job]
    failures: Mapping[int, Failure]
    settled: Sequence[Settled]


@dataclass(slots=True, kw_only=True)
class WriteOutput:
    """What a batch gave: texts that passed, how briefs ended, and what the requests cost.

    `answered` has the error of each writer that was asked last, None if it replied.
    """

    written: list[Written] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    calls: list[ClosedCall] = field(default_factory=list)
    answered: dict[str, Failure | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Writes texts of all kinds; `embed` lets checks compare two languages, `timezone` is that of budgets."""

    kinds: Mapping[BriefKind, TextKind]
    tasks: Mapping[str, Task]
    archive: Archive
    embed: Embed | None
    clock: Callable[[], datetime]
    timezone: str = "UTC"
    stops: defaultdict[str, ServiceStop] = field(default_factory=lambda: defaultdict(ServiceStop))

    async def load(self, conn: Connection, ids: Sequence[int]) -> WriteBatch:
        """Read briefs and their documents, and write down the requests that the budgets allow."""
        planned = await self.plan(conn, ids)
        failures = dict(planned.failures)
        admitted = await self._admit(conn, planned.jobs, failures)
        return WriteBatch(jobs=admitted, failures=failures, settled=planned.settled)

    async def plan(self, conn: Connection, ids: Sequence[int]) -> WriteBatch:
        """The texts that briefs would give, whatever the budgets say: those that exist already are settled."""
        loaded = await briefs.load(conn, ids)
        sources = await briefs.load_sources(conn, loaded)
        readers = await load_readers(conn, loaded)
        known = {
            kind: await text_kind.known_inputs(conn, [brief.brief_id for brief in loaded if brief.kind == kind])
            for kind, text_kind in self.kinds.items()
        }
        jobs, settled, failures = [], [], dict[int, Failure]()
        for brief in loaded:
            if (task := self.tasks.get(brief.kind)) is None:
                failures[brief.brief_id] = Reject(no_writer(brief.kind))
                continue
            job = self._job(brief, sources[brief.brief_id], task.writer, readers.get(brief.brief_id))
            if job is None or (job.input_hash in known[brief.kind] and not brief.finding):
                problem = None if job is not None else "the text is missing or too short"
                settled.append(Settled(brief_id=brief.brief_id, problem=problem))
            else:
                jobs.append(job)
        return WriteBatch(jobs=jobs, failures=failures, settled=settled)

    def _job(self, brief: Brief, sources: Sequence[BriefSource], writer: Writer, reader: Reader | None) -> Job | None:
        """The text to be written; None if there is nothing to write it from."""
        order = Order(
            kind=brief.kind,
            language=brief.language if writer.provider != "local" else "",  # an extract does not translate
            documents=tuple(source.text for source in sources),
            level=brief.level,
            interests=reader.interests if reader else None,
            labels=reader.labels if reader else (),
        )
        if brief.public_id is None or not self.kinds[brief.kind].has_material(order):
            return None
        prompt = self.kinds[brief.kind].prompt(order, brief.finding)
        return Job(
            brief=brief,
            order=order,
            prompt=prompt,
            writer=writer,
            input_hash=input_hash(order, prompt, writer, [source.content_hash for source in sources]),
            source=sources[0].source if sources else None,
        )

    async def _admit(self, conn: Connection, jobs: Sequence[Job], failures: dict[int, Failure]) -> list[Job]:
        """The jobs that the budgets allow, each request written down; the others are put off, or written locally."""
        admitted: list[Job] = []
        for job in jobs:
            if job.writer.provider == "local":
                admitted.append(job)
                continue
            async with conn.transaction():
                task = self.tasks[job.brief.kind]
                denied = self._stopped(job.writer) or await self._deny(conn, job.brief.kind, task.budget)
                if denied is None:
                    admitted.append(_with_call(job, await model_calls.open_call(conn, _open(job))))
                    continue
            metrics.MODEL_WAITS.add(task=job.brief.kind, reason="day" if denied.is_spent else "minute")
            if denied.is_spent and task.fallback is not None:
                admitted.append(_by(job, task.fallback))
            else:
                failures[job.brief.brief_id] = Retry(denied.reason, after=denied.after)
        return admitted

    def _stopped(self, writer: Writer) -> Denied | None:
        """Why a server is not asked at present: it denied access, or its quota is used up."""
        stopped = self.stops[writer.endpoint].find(now=self.clock())
        if stopped is None or stopped.after is None:
            return None
        return Denied(reason=str(stopped), after=stopped.after, is_spent=stopped.error_class == "exhausted")

    async def _deny(self, conn: Connection, task: str, budget: Budget) -> Denied | None:
        now = self.clock()
        used = await model_calls.take(conn, task, since=budgets.day_start(now, self.timezone))
        return budgets.deny(budget, used, now=now, timezone=self.timezone)

    async def work(self, batch: WriteBatch) -> Outcome[WriteOutput]:
        output = WriteOutput(settled=list(batch.settled))
        failures = dict(batch.failures)
        for job in batch.jobs:
            if (failure := await self._write(job, output)) is not None:
                failures[job.brief.brief_id] = failure
        return Outcome(output=output, failures=failures)

    async def _write(self, job: Job, output: WriteOutput) -> Failure | None:
        """Write one text into the output; gives the reason if it failed."""
        called_at = self.clock()
        try:
            reply = await job.writer.write(job.order, job.prompt)
        except (Retry, Reject) as error:
            self.stops[job.writer.endpoint].note(error, now=self.clock())
            if job.call_id is not None:
                output.answered[job.writer.name] = error
                output.calls.append(ClosedCall(call_id=job.call_id, outcome="failed", problem=str(error)))
            output.settled.append(Settled(brief_id=job.brief.brief_id, problem=str(error), finding=job.brief.finding))
            return error
        if job.call_id is not None:
            output.answered[job.writer.name] = None
            metrics.MODEL_TOKENS.add(reply.input_tokens, task=job.brief.kind, direction="input")
            metrics.MODEL_TOKENS.add(reply.output_tokens, task=job.brief.kind, direction="output")
        call = await self._archive(job, reply, called_at)
        try:
            read = await asyncio.to_thread(self._read, job, reply)
        except BadReply as bad:
            if call is not None:
                output.calls.append(_closed(call, "rejected", f"{bad.problem}: {bad}"))
            return _repair_or_fail(job, bad, output)
        closed = None if call is None else _closed(call, "accepted", None)
        output.calls.extend([closed] if closed is not None else [])
        output.written.append(_written(job, reply, read, closed))
        output.settled.append(Settled(brief_id=job.brief.brief_id))
        return None

    def _read(self, job: Job, reply: Reply) -> Any:
        if reply.finish != "complete":
            raise BadReply(reply.finish, FINISH_PROBLEMS[reply.finish])
        return self.kinds[job.brief.kind].read(reply.text, job.order, self.embed)

    async def _archive(self, job: Job, reply: Reply, called_at: datetime) -> ClosedCall | None:
        """Store prompt and reply in the archive; nothing for a writer that costs nothing."""
        if job.call_id is None:
            return None
        cost = price(job.writer.prices, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        subject = job.brief.public_id or str(job.brief.subject_id)
        prompt_key = archives.prompt_key(subject, called_at)
        response_key = archives.response_key(subject, called_at)
        address = job.order.documents[0].url if job.order.documents else None
        currency = job.writer.prices.currency
        prompt = {"call_id": job.call_id, "endpoint": job.writer.endpoint, "prompt": job.prompt}
        response = {"call_id": job.call_id, "reply": reply, "cost": str(cost), "currency": currency}
        for key, content in ((prompt_key, prompt), (response_key, response)):
            data = msgspec.json.encode(content)
            await self.archive.put(key, data, source_url=address, content_type="application/json")
        return ClosedCall(
            call_id=job.call_id,
            outcome="accepted",
            model=reply.model,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=cost,
            currency=currency,
            latency_ms=reply.latency_ms,
            prompt_key=prompt_key,
            response_key=response_key,
        )

    async def save(self, conn: Connection, output: WriteOutput) -> list[Subject]:
        await model_calls.close_calls(conn, output.calls)
        for kind, text_kind in self.kinds.items():
            await text_kind.save(conn, [written for written in output.written if written.brief.kind == kind])
        await briefs.settle(conn, output.settled)
        for writer, error in output.answered.items():
            await services.settle_alerts(conn, f"writer {writer}", error)
        return []


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


def _open(job: Job) -> OpenCall:
    return OpenCall(
        brief_id=job.brief.brief_id,
        task=job.brief.kind,
        subject_kind=job.brief.subject_kind,
        subject_id=job.brief.subject_id,
        source=job.source,
        provider=job.writer.provider,
        model=job.writer.model,
        endpoint=job.writer.endpoint,
        prompt_id=job.prompt.prompt_id,
        prompt_version=job.prompt.prompt_version,
        input_hash=job.input_hash,
        is_repair=bool(job.brief.finding),
    )


def _with_call(job: Job, call_id: int) -> Job:
    return replace(job, call_id=call_id)


def _by(job: Job, writer: Writer) -> Job:
    """The same text by the fallback writer, in the language of the sources; its own writer may still replace it."""
    return replace(
        job,
        writer=writer,
        order=replace(job.order, language=""),
        input_hash=hashes.sha256(f"{job.input_hash.hex()}\0{writer.model}"),
    )


def price(prices: Prices, *, input_tokens: int, output_tokens: int) -> Decimal:
    """The price of so many tokens, exactly."""
    input_price, output_price = Decimal(str(prices.input_price)), Decimal(str(prices.output_price))
    return (input_tokens * input_price + output_tokens * output_price) / PRICED_TOKENS


def _closed(call: ClosedCall, outcome: model_calls.CallOutcome, problem: str | None) -> ClosedCall:
    return replace(call, outcome=outcome, problem=problem)


def _repair_or_fail(job: Job, bad: BadReply, output: WriteOutput) -> Failure:
    """Repair a text at once if this was the first attempt; else try it from the start, much later."""
    brief, problem = job.brief, f"{bad.problem}: {bad}"
    finding = "" if brief.finding else str(bad)
    output.settled.append(Settled(brief_id=brief.brief_id, problem=problem, finding=finding, is_unusable=True))
    if job.writer.provider == "local" or brief.failures + 1 >= MAX_FAILURES:
        return Reject(problem)
    if finding:
        return Retry(f"to be repaired: {problem}", after=timedelta(0))
    return Retry(problem, after=TRY_AGAIN_AFTER)


def _written(job: Job, reply: Reply, read: Any, call: ClosedCall | None) -> Written:
    return Written(
        brief=job.brief,
        order=job.order,
        prompt=job.prompt,
        writer=job.writer,
        model=reply.model,
        input_hash=job.input_hash,
        text=read,
        call=call,
    )


def stage(writing: Writing) -> Stage[Any, Any]:
    waiting = [task for task in writing.tasks.values() if task.writer.waits]
    return Stage(
        name=StageName.WRITE,
        load=writing.load,
        work=writing.work,
        save=writing.save,
        batch=1 if waiting else LOCAL_BATCH,
        max_attempts=NEVER_GIVE_UP,
        waits=bool(waiting),
        parallel=max((task.parallel for task in waiting), default=1),
        parallel_per_lane=max((task.parallel for task in waiting), default=1),
    )
