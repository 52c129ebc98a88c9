"""Decides the next step of a post, so that it arrives once: send it, look for it, wait, or hold it for a person."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from scoop.model import Post

MARKER_CHARACTERS = 20  # a Discord nonce has at most 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long the steps of a post may take."""

    settle: timedelta = timedelta(seconds=45)  # until an accepted post appears in a listing
    nonce_lasts: timedelta = timedelta(minutes=2)  # for which the other side recognises a repeated post
    between_looks: timedelta = timedelta(minutes=1)
    in_hand: timedelta = timedelta(minutes=4)  # a worker that was suspended for longer does not send
    stale: timedelta = timedelta(hours=24)  # a digest of yesterday is no longer sent by itself


Step = Literal["send", "look", "hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The next step of a post, and how long to wait before it."""

    step: Step
    after: timedelta = timedelta()
    reason: str = ""


def key(desk_id: str, topic_slug: str, day: date, channel: str, part_no: int) -> str:
    """The key that identifies a post in every attempt."""
    return f"{desk_id}/{topic_slug}/{day.isoformat()}/{channel}/{part_no}"


def alert_key(desk_id: str, topic_slug: str, moment: datetime, channel: str, part_no: int) -> str:
    """The key of a message about alerts."""
    return f"{desk_id}/{topic_slug}/alerts/{moment.isoformat()}/{channel}/{part_no}"


def marker(key: str) -> str:
    """A short hash of the key, to be shown in the post."""
    digest = hashlib.sha256(key.encode()).digest()
    return base64.b32encode(digest).decode().lower()[:MARKER_CHARACTERS]


def plan(post: Post, *, now: datetime, made_at: datetime, finds: bool, repeats: bool, pace: Pace) -> Plan:
    """The next step of a post that no worker is sending."""
    if post.sending_at is None or post.tried_at is None:  # no attempt of this desk can have arrived
        if now - made_at > pace.stale:
            return Plan(step="hold", reason="it could not be sent within a day; to send it now: scoop posts resend")
        return Plan(step="look" if finds else "send")
    if repeats:
        return Plan(step="send")
    if not finds:
        return Plan(step="hold", reason="it may have arrived; look into the channel, then decide: scoop posts held")
    if (quiet := now - post.tried_at) < pace.settle:
        return Plan(step="look", after=pace.settle - quiet)
    return Plan(step="look")


def plan_unfound(post: Post, *, now: datetime, pace: Pace) -> Plan:
    """The next step of a post that was looked for and not found."""
    if post.tried_at is None or now - post.tried_at < pace.nonce_lasts or post.looks > 0:
        return Plan(step="send")
    return Plan(step="look", after=pace.between_looks)
