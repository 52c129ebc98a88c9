"""Compares what the database says about spending with the archived responses of model servers."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import msgspec

from scoop.archive.objects import Archive, ArchiveDamaged
from scoop.errors import NotFound
from scoop.store import model_calls
from scoop.store.db import Connection
from scoop.store.model_calls import ArchivedCall

CALLS_AT_ONCE = 200
MAX_DIFFERENCES = 100  # that are listed; all are counted
STORED_DIGITS = Decimal("0.00000001")  # of a cost in the database


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendFigures:
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)

    def __str__(self) -> str:
        return f"{self.input_tokens:,} and {self.output_tokens:,} tokens, {self.cost.normalize():f}"


NOTHING = SpendFigures()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendDifference:
    """A call whose archived response is missing, or says something else than the database."""

    call_id: int
    response_key: str | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendVerification:
    """The sums of the database and of the archive; they agree if there is no difference.

    `unanswered` calls have no response: they failed, or their worker died.
    """

    calls: int
    unanswered: int
    stored: SpendFigures
    archived: SpendFigures
    difference_count: int
    differences: list[SpendDifference]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckedCall:
    call: ArchivedCall
    archived: SpendFigures
    problem: str | None


class _ArchivedReply(msgspec.Struct):
    input_tokens: int
    output_tokens: int


class _ArchivedResponse(msgspec.Struct):
    reply: _ArchivedReply
    cost: Decimal


async def verify(conn: Connection, archive: Archive, *, since: datetime, until: datetime) -> SpendVerification:
    """Add up the archived responses between two moments, and compare each with its row in the database."""
    checked = [await _check(archive, call) async for call in _list_calls(conn, since=since, until=until)]
    differences = [
        SpendDifference(call_id=each.call.call_id, response_key=each.call.response_key, problem=each.problem)
        for each in checked
        if each.problem is not None
    ]
    return SpendVerification(
        calls=len(checked),
        unanswered=sum(each.call.response_key is None for each in checked),
        stored=_sum(_stored(each.call) for each in checked),
        archived=_sum(each.archived for each in checked),
        difference_count=len(differences),
        differences=differences[:MAX_DIFFERENCES],
    )


async def _list_calls(conn: Connection, *, since: datetime, until: datetime) -> AsyncIterator[ArchivedCall]:
    after = 0
    while page := await model_calls.list_archived(conn, since=since, until=until, after=after, limit=CALLS_AT_ONCE):
        for call in page:
            yield call
        after = page[-1].call_id


async def _check(archive: Archive, call: ArchivedCall) -> _CheckedCall:
    stored = _stored(call)
    if call.response_key is None:
        problem = None if stored == NOTHING else f"the database has {stored}, but no response"
        return _CheckedCall(call=call, archived=NOTHING, problem=problem)
    try:
        response = msgspec.json.decode((await archive.get(call.response_key)).data, type=_ArchivedResponse)
    except (NotFound, ArchiveDamaged) as error:
        return _CheckedCall(call=call, archived=NOTHING, problem=str(error))
    except msgspec.DecodeError as error:
        return _CheckedCall(call=call, archived=NOTHING, problem=f"the archived response cannot be read: {error}")
    archived = SpendFigures(
        input_tokens=response.reply.input_tokens,
        output_tokens=response.reply.output_tokens,
        cost=response.cost.quantize(STORED_DIGITS),
    )
    differs = f"the database has {stored}; the archive has {archived}" if stored != archived else None
    return _CheckedCall(call=call, archived=archived, problem=differs)


def _stored(call: ArchivedCall) -> SpendFigures:
    return SpendFigures(input_tokens=call.input_tokens, output_tokens=call.output_tokens, cost=call.cost)


def _sum(figures: Iterable[SpendFigures]) -> SpendFigures:
    listed = list(figures)
    return SpendFigures(
        input_tokens=sum(each.input_tokens for each in listed),
        output_tokens=sum(each.output_tokens for each in listed),
        cost=sum((each.cost for each in listed), Decimal(0)),
    )
