"""Posts leave for their channels, each exactly once: what may have arrived is looked for, or held for a person."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec

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
NEVER_GIVE_UP = 1_000_000  # what cannot be sent is held after a day


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAttempt:
    """A post in hand since `since`; `begin` notes that a try begins, before anything leaves."""

    outgoing: OutgoingPost
    since: float
    begin: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Sends posts by the channels there are."""

    client: Client
    channels: ChannelMakers
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]
    pace: Pace = field(default_factory=Pace)
    made: dict[bytes, ChannelPlugin] = field(default_factory=dict)  # a bot asks once who it is

    async def load(self, conn: Connection, ids: Sequence[int]) -> PostAttempt:
        (post_id,) = ids
        # `begin` is called in the middle of the work: a try must be on record before its first byte leaves.
        begin = partial(posts.begin, conn, post_id)
        return PostAttempt(outgoing=await posts.outgoing(conn, post_id), since=time.monotonic(), begin=begin)

    async def deliver(self, case: PostAttempt) -> Outcome[PostOutcome | None]:
        post = case.outgoing.post
        try:
            channel = self._channel(post)
            if post.state == "sent" and post.correction is not None:
                await channel.edit(post, self._errand)
                return _done(post, state="sent", is_corrected=True)
            if post.state not in {"waiting", "sending"} or case.outgoing.is_legacys:
                return Outcome(output=None)
            return await self._step(case, channel)
        except DeliveryRefused as refusal:
            if post.state == "sent":  # a correction that nobody wants: what was posted stays as it is
                return _done(post, state="sent", error=str(refusal), is_uncorrectable=True)
            return _done(post, state="failed", error=str(refusal), is_dead=refusal.is_dead)
        except NotSent as failure:
            # Nothing of this try arrived, but of one before it something may have.
            is_open = post.sending_at is not None
            state = post.state if post.state == "sent" else "sending" if is_open else "waiting"
            return _again(post, failure, state=state, looks=post.looks)
        except Unknown as failure:  # nobody has looked for it since this try
            return _again(post, failure, state=post.state if post.state == "sent" else "sending", looks=0)

    async def _step(self, case: PostAttempt, channel: ChannelPlugin) -> Outcome[PostOutcome | None]:
        post, now = case.outgoing.post, case.outgoing.now
        plan = delivery.plan(
            post, now=now, made_at=case.outgoing.made_at, finds=channel.finds, repeats=channel.repeats, pace=self.pace
        )
        if plan.after:
            return _wait(post, plan)
        if plan.step == "hold":
            return _done(post, state="held", error=plan.reason)
        if plan.step == "look":
            try:
                if message_id := await self._found(case, channel):
                    return _done(post, state="sent", message_id=message_id)
            except DeliveryRefused as refusal:
                if post.sending_at is not None:
                    return _done(post, state="held", error=f"it may have arrived, and we may not look: {refusal}")
                # what is sent there will be refused, too, and it will be said why
            plan = delivery.plan_unfound(post, now=now, pace=self.pace)
            if plan.step == "look":
                return _wait(post, plan, looks=post.looks + 1)
        return await self._send(case, channel)

    async def _found(self, case: PostAttempt, channel: ChannelPlugin) -> str | None:
        """The message that the post became, if it shows; to look sends nothing: who cannot look knows no less."""
        post = case.outgoing.post
        since = post.sending_at or min(case.outgoing.due_at, case.outgoing.now)
        try:
            return await channel.find(replace(post, sending_at=since), self._errand)
        except Unknown as failure:
            raise NotSent(str(failure), after=failure.after) from failure

    async def _send(self, case: PostAttempt, channel: ChannelPlugin) -> Outcome[PostOutcome | None]:
        await case.begin()
        fault("publish.sending")
        if time.monotonic() - case.since > self.pace.in_hand.total_seconds():
            raise LostLease(f"post {case.outgoing.post.post_id} was in hand for too long; somebody else may send it")
        message_id = await channel.send(case.outgoing.post, self._errand)
        return _done(case.outgoing.post, state="sent", message_id=message_id)

    def _channel(self, post: Post) -> ChannelPlugin:
        name = msgspec.json.encode((post.kind, post.options), order="sorted")
        if name not in self.made:
            try:
                self.made[name] = self.channels[post.kind](post.options)
            except Reject as error:
                raise DeliveryRefused(f"the channel {post.channel} cannot be used: {error}") from error
        return self.made[name]

    @property
    def _errand(self) -> Errand:
        return Errand(client=self.client, secrets=self.secrets, clock=self.clock)

    async def save(self, conn: Connection, settled: PostOutcome | None) -> list[Subject]:
        return await posts.settle(conn, settled) if settled else []


def _done(post: Post, **what: Any) -> Outcome[PostOutcome | None]:
    settled = PostOutcome(post_id=post.post_id, kind=post.kind, **what)
    return Outcome(output=settled, messages=[_line(post, settled)])


def _line(post: Post, settled: PostOutcome) -> str:
    part = f" {post.part_no}/{post.parts}" if post.parts > 1 else ""
    why = f": {settled.error}" if settled.error else ""
    return f"{post.topic_slug} {post.run_date}{part} to {post.channel} {settled.state}{why}"


def _again(post: Post, failure: Retry, *, state: Any, looks: int) -> Outcome[PostOutcome | None]:
    settled = PostOutcome(post_id=post.post_id, kind=post.kind, state=state, error=str(failure), looks=looks)
    return Outcome(output=settled, failures={post.post_id: failure})


def _wait(post: Post, plan: Plan, *, looks: int | None = None) -> Outcome[PostOutcome | None]:
    failure = Retry("waiting to see whether it arrived", after=plan.after)
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
