"""What is to be done with a post, so that it arrives once: send it, look for it, wait, or leave it to a person."""

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

    settle: timedelta = timedelta(seconds=45)  # until what was accepted shows in a listing
    nonce_lasts: timedelta = timedelta(minutes=2)  # for so long the other side knows a post that it had before
    between_looks: timedelta = timedelta(minutes=1)
    in_hand: timedelta = timedelta(minutes=4)  # who slept for longer before it began to send leaves it to others
    stale: timedelta = timedelta(hours=24)  # nobody wants yesterday's digest that could not be sent


Step = Literal["send", "look", "hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The next step with a post; to wait is a step that is not due yet."""

    step: Step
    after: timedelta = timedelta()
    reason: str = ""


def key(desk_id: str, topic_slug: str, day: date, channel: str, part_no: int) -> str:
    """What makes a post this one, at every try."""
    return f"{desk_id}/{topic_slug}/{day.isoformat()}/{channel}/{part_no}"


def marker(key: str) -> str:
    """The key in a few characters, to be shown in the post."""
    digest = hashlib.sha256(key.encode()).digest()
    return base64.b32encode(digest).decode().lower()[:MARKER_CHARACTERS]


def plan(post: Post, *, now: datetime, made_at: datetime, finds: bool, repeats: bool, pace: Pace) -> Plan:
    """What to do with a post that nobody is sending at this moment."""
    if post.sending_at is None or post.tried_at is None:  # it certainly did not arrive, as far as this desk knows
        if now - made_at > pace.stale:
            return Plan(step="hold", reason="it could not be sent in time; send it by hand if it is still wanted")
        return Plan(step="look" if finds else "send")
    if repeats:
        return Plan(step="send")
    if not finds:
        return Plan(step="hold", reason="it may have arrived; look into the channel, then say so: scoop posts held")
    if (quiet := now - post.tried_at) < pace.settle:
        return Plan(step="look", after=pace.settle - quiet)
    return Plan(step="look")


def plan_unfound(post: Post, *, now: datetime, pace: Pace) -> Plan:
    """What to do with a post that was looked for and not found."""
    if post.tried_at is None or now - post.tried_at < pace.nonce_lasts or post.looks > 0:
        return Plan(step="send")
    return Plan(step="look", after=pace.between_looks)
