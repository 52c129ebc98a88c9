"""Texts by writers: takes briefs, sends prompts within budgets, checks the replies and stores what passes.

A reply that fails its check is repaired once, in the next attempt. A request is written down before it is sent, so a
worker that dies costs at most one more request.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from scoop import metrics
from scoop.archive import objects as archives
from scoop.archive.objects import Archive
from scoop.core import budgets
from scoop.core.briefs import BadReply, BriefKind, Order, support
from scoop.core.budgets import Budget, Denied
from scoop.core.support import Embed
from scoop.errors import Deferred, Reject, Retry
from scoop.model import Citation
from scoop.stage_names import StageName
from scoop.stages import judging, services, texts
from scoop.stages.judging import Draft, Judging
from scoop.stages.services import ServiceStop
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.stages.texts import Job, Reader, Task, TextKind, WriteBatch, WriteOutput, Written
from scoop.store import briefs, model_calls
from scoop.store.briefs import Brief, BriefSource, Settled
from scoop.store.db import Connection
from scoop.store.model_calls import ClosedCall
from scoop.store.work import Subject
from scoop.writers import Reply, Writer, local

LOCAL_BATCH = 32
NEVER_GIVE_UP = 1_000_000  # attempts: a server that is down, or a budget, is not the text's fault
MAX_FAILURES = 8  # unusable replies for one text: four texts, each repaired once
TRY_AGAIN_AFTER = timedelta(hours=1)  # a text that failed although it was repaired
FINISH_PROBLEMS = {
    "cut_off": "The reply was cut off; write a shorter one.",
    "refused": "The model refused to answer.",
    "filtered": "The server's content filter stopped the reply.",
}


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
        admitted = await self._admit(conn, planned, failures)
        return WriteBatch(jobs=admitted, failures=failures, settled=planned.settled)

    async def plan(self, conn: Connection, ids: Sequence[int]) -> WriteBatch:
        """The texts that briefs would give, whatever the budgets say: those that exist already are settled."""
        loaded = await briefs.load(conn, ids)
        sources = await briefs.load_sources(conn, loaded, **local.MODEL)
        readers = await texts.load_readers(conn, loaded)
        ids_by_kind = {kind: [brief.brief_id for brief in loaded if brief.kind == kind] for kind in self.kinds}
        known = {kind: await self.kinds[kind].known_inputs(conn, of_kind) for kind, of_kind in ids_by_kind.items()}
        kept = {
            brief_id for kind, of_kind in ids_by_kind.items() for brief_id in await self.kinds[kind].kept(conn, of_kind)
        }
        jobs, settled, failures = [], [], dict[int, Failure]()
        planned = set[tuple[Any, ...]]()
        for brief in loaded:
            if brief.brief_id in kept:
                settled.append(Settled(brief_id=brief.brief_id))
                continue
            if (task := self.tasks.get(brief.kind)) is None:
                failures[brief.brief_id] = Reject(texts.no_writer(brief.kind))
                continue
            job = self._job(brief, sources[brief.brief_id], task.writer, readers.get(brief.brief_id))
            if job is None or brief.text_key in planned or (job.input_hash in known[brief.kind] and not brief.finding):
                problem = None if job is not None else "the text is missing or too short"
                settled.append(Settled(brief_id=brief.brief_id, problem=problem))
            else:
                jobs.append(job)
                planned.add(brief.text_key)
        return WriteBatch(
            jobs=jobs, failures=failures, settled=settled, known_inputs=frozenset().union(*known.values())
        )

    def _job(self, brief: Brief, sources: Sequence[BriefSource], writer: Writer, reader: Reader | None) -> Job | None:
        """The text to be written; None if there is nothing to write it from."""
        order = Order(
            kind=brief.kind,
            language=brief.language if writer.provider != "local" else "",  # an extract does not translate
            documents=tuple(source.text for source in sources),
            level=brief.level,
            interests=reader.interests if reader else None,
            labels=reader.labels if reader else (),
            is_final=bool(brief.finding) or writer.provider == "local",
            is_local=writer.provider == "local",
            max_prompt_tokens=writer.max_prompt_tokens,
        )
        if brief.public_id is None or not self.kinds[brief.kind].has_material(order):
            return None
        prompt = self.kinds[brief.kind].prompt(order, brief.finding)
        job = Job(
            brief=brief,
            order=order,
            prompt=prompt,
            writer=writer,
            input_hash=texts.input_hash(order, prompt, writer, [source.content_hash for source in sources]),
            source=sources[0].source if sources else None,
        )
        return replace(job, judging=judging.resume(brief.draft, order, job.input_hash, self._judge(brief.kind)))

    def _judge(self, kind: BriefKind) -> Writer | None:
        """The writer that judges sentences of this kind of text, if the operator set one."""
        task = self.tasks.get(support.TASK)
        return task.writer if task is not None and self.kinds[kind].judged is not None else None

    async def _admit(self, conn: Connection, planned: WriteBatch, failures: dict[int, Failure]) -> list[Job]:
        """The jobs that the budgets allow, each request written down; the others are put off, or written locally."""
        admitted: list[Job] = []
        for job in planned.jobs:
            if job.writer.provider == "local":
                admitted.append(job)
                continue
            async with conn.transaction():
                task = self.tasks[job.task]
                denied = self._stopped(job.asked[0]) or await self._deny(conn, job, task.budget)
                if denied is None:
                    admitted.append(texts.with_call(job, await model_calls.open_call(conn, texts.open_call(job))))
                    continue
            metrics.MODEL_WAITS.add(task=job.task, reason="day" if denied.is_spent else "minute")
            if denied.is_spent and job.judging is not None:
                admitted.append(job)  # without a call: nobody confirms its open sentences
            elif denied.is_spent and task.fallback is not None:
                by_fallback = texts.by_fallback(job, task.fallback, replaced_later=self._replaced_later(job, denied))
                if by_fallback.input_hash not in planned.known_inputs:
                    admitted.append(by_fallback)
                elif by_fallback.replaced_later is not None:
                    failures[job.brief.brief_id] = by_fallback.replaced_later
            else:
                failures[job.brief.brief_id] = Deferred(denied.reason, after=denied.after)
        return admitted

    def _replaced_later(self, job: Job, denied: Denied) -> Deferred | None:
        """When a text that the fallback writes is tried again; None if it was asked for too long ago."""
        asked_at, kept_for = job.brief.asked_at, self.kinds[job.brief.kind].replaced_for
        is_recent = asked_at is not None and self.clock() - asked_at < kept_for
        return Deferred(denied.reason, after=denied.after) if is_recent else None

    def _stopped(self, writer: Writer) -> Denied | None:
        """Why a server is not asked at present: it denied access, or its quota is used up."""
        stopped = self.stops[writer.endpoint].find(now=self.clock())
        if stopped is None or stopped.after is None:
            return None
        return Denied(reason=str(stopped), after=stopped.after, is_spent=stopped.error_class == "exhausted")

    async def _deny(self, conn: Connection, job: Job, budget: Budget) -> Denied | None:
        now = self.clock()
        since = budgets.day_start(now, self.timezone)
        used = await model_calls.take(conn, job.task, since=since, source=job.source)
        return budgets.deny(budget, used, now=now, timezone=self.timezone)

    async def work(self, batch: WriteBatch) -> Outcome[WriteOutput]:
        output = WriteOutput(settled=list(batch.settled))
        failures = dict(batch.failures)
        for job in batch.jobs:
            if (failure := await self._write(job, output)) is not None and not self._is_final(job, failure):
                failures[job.brief.brief_id] = failure
        return Outcome(output=output, failures=failures)

    def _is_final(self, job: Job, failure: Failure) -> bool:
        """Whether nobody can help: the local writer would refuse the same text again. Its brief has the reason."""
        return isinstance(failure, Reject) and self.tasks[job.brief.kind].writer.provider == "local"

    async def _write(self, job: Job, output: WriteOutput) -> Failure | None:
        """Write one text into the output; gives the reason if it failed."""
        if job.judging is not None:
            return await self._finish_draft(job, job.judging, output)
        sent = await self._send(job, output)
        if isinstance(sent, Failure):
            return _put_off(job, sent, output)
        reply, call = sent
        try:
            _check_finish(reply)
            if call is not None and (opened := await asyncio.to_thread(self._find_open, job, reply)):
                return _put_aside(job, reply, texts.closed(call, "accepted", None), opened, output)
            read = await asyncio.to_thread(self.kinds[job.brief.kind].read, reply.text, job.order, self.embed)
        except BadReply as bad:
            if call is not None:
                output.calls.append(texts.closed(call, "rejected", f"{bad.problem}: {bad}"))
            return _repair_or_fail(job, bad, output)
        closed = None if call is None else texts.closed(call, "accepted", None)
        output.calls.extend([closed] if closed is not None else [])
        output.written.append(_written(job, reply.model, read, closed))
        output.settled.append(Settled(brief_id=job.brief.brief_id))
        return job.replaced_later

    async def _send(self, job: Job, output: WriteOutput) -> tuple[Reply, ClosedCall | None] | Failure:
        """Ask the writer of a job; the reply, archived with its call, or why there is none."""
        called_at = self.clock()
        writer, prompt = job.asked
        try:
            reply = await writer.write(job.order, prompt)
        except (Retry, Reject) as error:
            self.stops[writer.endpoint].note(error, now=self.clock())
            if job.call_id is not None:
                output.answered[writer.name] = error
                output.calls.append(ClosedCall(call_id=job.call_id, outcome="failed", problem=str(error)))
            return error
        if job.call_id is not None:
            output.answered[writer.name] = None
            metrics.MODEL_TOKENS.add(reply.input_tokens, task=job.task, direction="input")
            metrics.MODEL_TOKENS.add(reply.output_tokens, task=job.task, direction="output")
        return reply, await self._archive(job, reply, called_at)

    def _find_open(self, job: Job, reply: Reply) -> Sequence[str]:
        """The sentences of a reply that a second model is to judge; none if the operator set no such model."""
        judged = self.kinds[job.brief.kind].judged
        if judged is None or self._judge(job.brief.kind) is None:
            return ()
        return judged.find_open(reply.text, job.order, self.embed)

    async def _finish_draft(self, job: Job, judging: Judging, output: WriteOutput) -> Failure | None:
        """Publish a draft with the sentences that a second model confirms; without it, none of them is."""
        confirmed: Mapping[str, Citation] = {}
        if job.call_id is not None:
            sent = await self._send(job, output)
            if isinstance(sent, Retry) and not services.is_stopping(sent):
                return _put_off(job, sent, output)
            if not isinstance(sent, Failure):
                confirmed = _confirmed(job, judging, *sent, output)
        judged, draft = self.kinds[job.brief.kind].judged, judging.draft
        assert judged is not None, job.brief.kind  # noqa: S101 - only such kinds have drafts
        try:
            read = await asyncio.to_thread(judged.read, draft.reply, job.order, self.embed, confirmed)
        except BadReply as bad:
            return _repair_or_fail(job, bad, output)
        output.written.append(_written(job, draft.model, read, draft.call))
        output.settled.append(Settled(brief_id=job.brief.brief_id))
        return None

    async def _archive(self, job: Job, reply: Reply, called_at: datetime) -> ClosedCall | None:
        """Store prompt and reply in the archive; nothing for a writer that costs nothing."""
        if job.call_id is None:
            return None
        writer, sent = job.asked
        cost = texts.price(writer.prices, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        subject = job.brief.public_id or str(job.brief.subject_id)
        prompt_key = archives.prompt_key(subject, called_at)
        response_key = archives.response_key(subject, called_at)
        address = job.order.documents[0].url if job.order.documents else None
        currency = writer.prices.currency
        prompt = {"call_id": job.call_id, "endpoint": writer.endpoint, "prompt": sent}
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
        refused: dict[int, Settled] = {}
        for kind, text_kind in self.kinds.items():
            outcomes = await text_kind.save(conn, [each for each in output.written if each.brief.kind == kind])
            refused |= {outcome.brief_id: outcome for outcome in outcomes or ()}
        await briefs.settle(conn, [refused.get(settled.brief_id, settled) for settled in output.settled])
        for writer, error in output.answered.items():
            await services.settle_alerts(conn, f"writer {writer}", error)
        return []


def _check_finish(reply: Reply) -> None:
    """BadReply if a reply did not end as it should."""
    if reply.finish != "complete":
        raise BadReply(reply.finish, FINISH_PROBLEMS[reply.finish])


def _put_off(job: Job, failure: Failure, output: WriteOutput) -> Failure:
    """Keep what the next attempt needs: what it must repair, or the draft that waits for its judge."""
    brief = job.brief
    output.settled.append(
        Settled(brief_id=brief.brief_id, problem=str(failure), finding=brief.finding, draft=brief.draft)
    )
    return failure


def _put_aside(job: Job, reply: Reply, call: ClosedCall, sentences: Sequence[str], output: WriteOutput) -> Failure:
    """Store a reply until its open sentences are judged, in the next attempt, at once."""
    draft = Draft(
        reply=reply.text,
        sentences=tuple(sentences),
        input_hash=job.input_hash.hex(),
        model=reply.model,
        call=call,
    )
    brief = job.brief
    output.calls.append(call)
    output.settled.append(
        Settled(brief_id=brief.brief_id, problem=draft.problem, finding=brief.finding, draft=draft.stored())
    )
    return Deferred(draft.problem, after=timedelta(0))


def _confirmed(
    job: Job, judging: Judging, reply: Reply, call: ClosedCall | None, output: WriteOutput
) -> Mapping[str, Citation]:
    """The sentences that the judge confirms; none if its reply cannot be used."""
    try:
        _check_finish(reply)
        confirmed = judging.confirmed(reply.text, job.order)
    except BadReply as bad:
        output.calls.extend([texts.closed(call, "rejected", f"{bad.problem}: {bad}")] if call is not None else [])
        return {}
    output.calls.extend([texts.closed(call, "accepted", None)] if call is not None else [])
    return confirmed


def _repair_or_fail(job: Job, bad: BadReply, output: WriteOutput) -> Failure:
    """Repair a text at once if this was the first attempt; else try it from the start, much later."""
    brief, problem = job.brief, f"{bad.problem}: {bad}"
    finding = "" if brief.finding else str(bad)
    output.settled.append(Settled(brief_id=brief.brief_id, problem=problem, finding=finding, is_unusable=True))
    if job.replaced_later is not None:
        return job.replaced_later
    if job.writer.provider == "local" or brief.failures + 1 >= MAX_FAILURES:
        return Reject(problem)
    if finding:
        return Retry(f"to be repaired: {problem}", after=timedelta(0))
    return Retry(problem, after=TRY_AGAIN_AFTER)


def _written(job: Job, model: str, read: Any, call: ClosedCall | None) -> Written:
    return Written(
        brief=job.brief,
        order=job.order,
        prompt=job.prompt,
        writer=job.writer,
        model=model,
        input_hash=job.input_hash,
        text=read,
        call=call,
        is_fallback=job.is_fallback,
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
