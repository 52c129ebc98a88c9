"""Asks again for summaries that another prompt version or model made, and estimates what that costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from scoop.errors import Conflict
from scoop.stages import texts
from scoop.stages.write import Writing
from scoop.store import briefs, model_calls
from scoop.store.db import Connection
from scoop.store.reads import summary_briefs as summary_reads
from scoop.store.reads.summary_briefs import MadeSummary
from scoop.store.summaries import SummarySubject

PLANNED_AT_ONCE = 100  # briefs, with the texts of their documents
TYPICAL_SPAN = timedelta(days=30)  # of the calls that an estimate rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class RemakeEstimate:
    """How many summaries would be made again, and what that would cost; `past_requests` 0: nothing to estimate from."""

    looked_at: int
    to_make: int
    model: str
    past_requests: int
    input_tokens: int
    output_tokens: int
    cost: Decimal
    currency: str


async def list_outdated(
    conn: Connection, writing: Writing, *, since: datetime, prompt_version: str | None
) -> tuple[list[MadeSummary], int]:
    """The summaries made since a moment that today's prompt, model or documents would give again; and all of that time.

    With `prompt_version` only those that this version made.
    """
    if "summary" not in writing.tasks:
        raise Conflict(texts.no_writer("summary"))
    made = await summary_reads.list_made_since(conn, since, prompt_version=prompt_version)
    outdated: set[int] = set()
    for part in _parts(made):
        planned = await writing.plan(conn, [each.brief_id for each in part])
        outdated |= {job.brief.brief_id for job in planned.jobs}
    return [each for each in made if each.brief_id in outdated], len(made)


def _parts(made: Sequence[MadeSummary]) -> Iterator[Sequence[MadeSummary]]:
    return (made[start : start + PLANNED_AT_ONCE] for start in range(0, len(made), PLANNED_AT_ONCE))


async def estimate(
    conn: Connection, writing: Writing, outdated: Sequence[MadeSummary], *, looked_at: int, now: datetime
) -> RemakeEstimate:
    """What the summaries would cost, from the tokens of past requests and today's prices."""
    typical = await model_calls.get_typical_tokens(conn, "summary", since=now - TYPICAL_SPAN)
    writer = writing.tasks["summary"].writer
    is_free = writer.provider == "local"
    tokens = (0, 0) if is_free else (typical.input_tokens * len(outdated), typical.output_tokens * len(outdated))
    return RemakeEstimate(
        looked_at=looked_at,
        to_make=len(outdated),
        model=writer.model,
        past_requests=typical.requests,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost=texts.price(writer.prices, input_tokens=tokens[0], output_tokens=tokens[1]),
        currency=writer.prices.currency,
    )


async def ask_again(conn: Connection, outdated: Sequence[MadeSummary]) -> None:
    """Ask for summaries again, inside the caller's transaction."""
    kinds: tuple[SummarySubject, ...] = ("document", "event")
    for kind in kinds:
        for language in {each.asked_language for each in outdated}:
            subjects = [
                each.subject_id for each in outdated if (each.subject_kind, each.asked_language) == (kind, language)
            ]
            await briefs.ask(conn, "summary", kind, dict.fromkeys(subjects, language))
