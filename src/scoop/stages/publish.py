"""Sends posts to their channels, each exactly once; one that may have arrived is looked for, or held for a person."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec

from scoop import metrics
from scoop.channels import ChannelMakers, ChannelPlugin, DeliveryRefused, Errand, NotSent, Unknown
from scoop.core import delivery
from scoop.core.delivery import Pace, Plan
from scoop.core.secrets import Secret
from scoop.errors import LostLease, Reject, Retry
from scoop.faults import fault
from scoop.fetch.client import Client
from scoop.model import Post
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import posts
from scoop.store.db import Connection
from scoop.store.posts import OutgoingPost, PostOutcome
from scoop.store.work import Subject

LEASE = timedelta(minutes=15)  # an external program may take ten
NEVER_GIVE_UP = 1_000_000  # attempts: a post that cannot be sent is held after a day

SETTLED = frozenset({"sent", "held", "failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAttempt:
    """A post that was claimed at `since`; `begin` records an attempt before anything is sent."""

    outgoing: OutgoingPost
    since: float
    begin: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Sends posts through the channel plugins."""

    client: Client
    channels: ChannelMakers
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]
    pace: Pace = field(default_factory=Pace)
    cached: dict[bytes, ChannelPlugin] = field(default_factory=dict)  # reused: a bot looks up its own identity once

    async def load(self, conn: Connection, ids: Sequence[int]) -> PostAttempt:
        (post_id,) = ids
        # `work` calls `begin`, which writes: an attempt must be recorded before its first byte leaves.
        begin = partial(posts.start_sending, conn, post_id)
        return PostAttempt(outgoing=await posts.get_outgoing(conn, post_id), since=time.monotonic(), begin=begin)

    async def deliver(self, attempt: PostAttempt) -> Outcome[PostOutcome | None]:
        post = attempt.outgoing.post
        try:
            channel = self._channel(post)
            if post.state == "sent" and post.correction is not None:
                await channel.edit(post, self._errand(post))
                return _done(post, state="sent", is_corrected=True)
            if post.state not in {"waiting", "sending"} or attempt.outgoing.is_legacys:
                return Outcome(output=None)
            return await self._step(attempt, channel)
        except DeliveryRefused as refusal:
            if post.state == "sent":  # the correction was refused: the post stays as it is
                return _done(post, state="sent", error=str(refusal), is_uncorrectable=True)
            return _done(post, state="failed", error=str(refusal), is_dead=refusal.is_dead)
        except NotSent as failure:
            # Nothing of this attempt arrived, but something of an earlier one may have.
            is_open = post.sending_at is not None
            state = post.state if post.state == "sent" else "sending" if is_open else "waiting"
            return _retry(post, failure, state=state, looks=post.looks)
        except Unknown as failure:  # it was not looked for since this attempt
            return _retry(post, failure, state=post.state if post.state == "sent" else "sending", looks=0)

    async def _step(self, attempt: PostAttempt, channel: ChannelPlugin) -> Outcome[PostOutcome | None]:
        post, now = attempt.outgoing.post, attempt.outgoing.now
        plan = delivery.plan(
            post,
            now=now,
            made_at=attempt.outgoing.made_at,
            finds=channel.finds,
            repeats=channel.repeats,
            pace=self.pace,
        )
        if plan.after:
            return _wait(post, plan)
        if plan.step == "hold":
            return _done(post, state="held", error=plan.reason)
        if plan.step == "look":
            try:
                if message_id := await self._find(attempt, channel):
                    return _done(post, state="sent", message_id=message_id)
            except DeliveryRefused as refusal:
                if post.sending_at is not None:
                    return _done(
                        post, state="held", error=f"it may have arrived, and the channel cannot be read: {refusal}"
                    )
                # sending will be refused as well, with the reason
            plan = delivery.plan_unfound(post, now=now, pace=self.pace)
            if plan.step == "look":
                return _wait(post, plan, looks=post.looks + 1)
        return await self._send(attempt, channel)

    async def _find(self, attempt: PostAttempt, channel: ChannelPlugin) -> str | None:
        """The id of the message that the post became, if it is in the channel; looking changes nothing."""
        post = attempt.outgoing.post
        since = post.sending_at or min(attempt.outgoing.due_at, attempt.outgoing.now)
        try:
            return await channel.find(replace(post, sending_at=since), self._errand(post))
        except Unknown as failure:
            raise NotSent(str(failure), after=failure.after) from failure

    async def _send(self, attempt: PostAttempt, channel: ChannelPlugin) -> Outcome[PostOutcome | None]:
        await attempt.begin()
        fault("publish.sending")
        if time.monotonic() - attempt.since > self.pace.in_hand.total_seconds():
            raise LostLease(
                f"post {attempt.outgoing.post.post_id} was claimed for too long; another worker may send it"
            )
        message_id = await channel.send(attempt.outgoing.post, self._errand(attempt.outgoing.post))
        return _done(attempt.outgoing.post, state="sent", message_id=message_id)

    def _channel(self, post: Post) -> ChannelPlugin:
        name = msgspec.json.encode((post.kind, post.options), order="sorted")
        if name not in self.cached:
            try:
                self.cached[name] = self.channels[post.kind](post.options)
            except Reject as error:
                raise DeliveryRefused(f"the channel {post.channel} cannot be used: {error}") from error
        return self.cached[name]

    def _errand(self, post: Post) -> Errand:
        return Errand(channel=post.kind, client=self.client, secrets=self.secrets, clock=self.clock)

    async def save(self, conn: Connection, settled: PostOutcome | None) -> list[Subject]:
        if settled is None:
            return []
        following = await posts.settle(conn, settled)
        if settled.state in SETTLED and not (settled.is_corrected or settled.is_uncorrectable):
            metrics.POSTS.add(channel=settled.kind, outcome=settled.state)
        return following


def _done(post: Post, **outcome: Any) -> Outcome[PostOutcome | None]:
    settled = PostOutcome(post_id=post.post_id, kind=post.kind, **outcome)
    return Outcome(output=settled, messages=[_message(post, settled)])


def _message(post: Post, settled: PostOutcome) -> str:
    part = f" {post.part_no}/{post.parts}" if post.parts > 1 else ""
    why = f": {settled.error}" if settled.error else ""
    return f"{post.topic_slug} {post.run_date}{part} to {post.channel} {settled.state}{why}"


def _retry(post: Post, failure: Retry, *, state: Any, looks: int) -> Outcome[PostOutcome | None]:
    settled = PostOutcome(post_id=post.post_id, kind=post.kind, state=state, error=str(failure), looks=looks)
    return Outcome(output=settled, failures={post.post_id: failure})


def _wait(post: Post, plan: Plan, *, looks: int | None = None) -> Outcome[PostOutcome | None]:
    failure = Retry("waiting to see if it arrived", after=plan.after)
    settled = PostOutcome(
        post_id=post.post_id,
        kind=post.kind,
        state="sending",
        error=post.error,
        looks=post.looks if looks is None else looks,
    )
    return Outcome(output=settled, failures={post.post_id: failure})


def stage(
    client: Client,
    channels: ChannelMakers,
    *,
    secrets: Mapping[str, Secret],
    clock: Callable[[], datetime],
    pace: Pace | None = None,
    then: tuple[StageName, ...] = (StageName.PUBLISH,),
) -> Stage[PostAttempt, PostOutcome | None]:
    publish = Publish(client=client, channels=channels, secrets=secrets, clock=clock, pace=pace or Pace())
    return Stage(
        name=StageName.PUBLISH,
        load=publish.load,
        work=publish.deliver,
        save=publish.save,
        then=then,
        batch=1,
        lease=LEASE,
        max_attempts=NEVER_GIVE_UP,
        waits=True,
    )
