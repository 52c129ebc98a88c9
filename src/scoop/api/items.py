"""Push items over HTTP: they enter the ledger as those of a file do, within stated limits."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import IO, Any

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from scoop.api import document
from scoop.core import item_stream
from scoop.core import items as canonical
from scoop.errors import Conflict, InputError
from scoop.http import errors, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor
from scoop.http.errors import HttpProblem, UnsupportedMedia
from scoop.http.middleware import MAX_PUSHED
from scoop.http.routes import needs
from scoop.stages.push import ItemOutcome, PushResult, push
from scoop.stages.push_batches import PushLimits

router = routes.for_programs("Items")

MEDIA = ("application/json", "application/x-ndjson")
LIMITS = PushLimits(decoded_bytes=8 * MAX_PUSHED, items=250_000, refused=1_000)
IN_MEMORY = 1 << 20  # bytes of a body; a larger one is spooled to a file
SHOWN = 1000  # outcomes in the response, and as many refused items beyond them
DISCONNECTED = "the client disconnected"
SHUTTING_DOWN = "the server is shutting down"
UNREADABLE = (canonical.NOT_JSON, item_stream.BREAKS_OFF, item_stream.IS_ENDLESS)
ITEM = {"$ref": "#/components/schemas/Item"}
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": (
            "One item, an array of items, or one item a line; `Content-Encoding: gzip` is accepted. At most "
            f"{MAX_PUSHED >> 20} MiB as sent, {8 * MAX_PUSHED >> 20} MiB unzipped and {LIMITS.items:,} items."
        ),
        "content": {
            "application/json": {"schema": {"oneOf": [ITEM, {"type": "array", "items": ITEM, "minItems": 1}]}},
            "application/x-ndjson": {"schema": {"type": "string", "description": "One item a line."}},
        },
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResponse:
    """The counts of a push. `problem` says why the rest of the body was not read, if so.

    `results` has the first 1,000 items, and beyond them the first 1,000 refused ones.
    """

    run_id: int
    items: int
    new: int
    duplicates: int
    refused: int
    problem: str | None
    results: list[ItemOutcome]


@dataclass(slots=True)
class _Results:
    """The outcomes that the response shows, however large the push is."""

    shown: list[ItemOutcome] = field(default_factory=list)
    refused_beyond: int = 0
    is_readable: bool = False

    def add(self, outcomes: Iterator[ItemOutcome]) -> None:
        for outcome in outcomes:
            self.is_readable |= not _is_unreadable(outcome)
            if outcome.index < SHOWN:
                self.shown.append(outcome)
            elif outcome.status == "refused" and self.refused_beyond < SHOWN:
                self.refused_beyond += 1
                self.shown.append(outcome)


@dataclass(slots=True)
class _Interruption:
    """Why a push should end early; None while it should go on."""

    reason: str | None = None

    def __call__(self) -> str | None:
        return self.reason


@router.post(
    "/items", response_model=PushResponse, openapi_extra=BODY, responses=document.problems(HTTPStatus.CONFLICT)
)
@needs("push")
async def push_items(request: Request, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Push items. Valid ones enter the ledger, invalid ones are kept with their problems; nothing is duplicated.

    The status is 200 if at least one item is JSON, even if it is refused: see `refused` and `results`. After 1,000
    refused items the rest of the body is not read, and `problem` says so.
    """
    _check_media(request)
    if not desk.config.np_write_raw_ledger:
        raise Conflict("items are not accepted: the setting NP_WRITE_RAW_LEDGER is false")
    results = _Results()
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
        await _receive(request, body)
        async with desk.pushing, _watching(request) as interruption:
            result = await push(
                desk.database,
                body,
                name=f"pushed by {by.name}",
                now=desk.clock(),
                limits=LIMITS,
                report=results.add,
                interruption=interruption,
            )
    _check_result(result, results)
    return responses.json(request, _response(result, results))


def _check_media(request: Request) -> None:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in MEDIA:
        raise UnsupportedMedia(" or ".join(MEDIA))
    if _encoding(request) not in {"", "identity", "gzip"}:
        raise UnsupportedMedia("it is, or with Content-Encoding: gzip")


def _encoding(request: Request) -> str:
    return request.headers.get("content-encoding", "").strip().lower()


async def _receive(request: Request, body: IO[bytes]) -> None:
    """Receive the whole body first, so that a slow client holds no connection and an aborted one pushes nothing."""
    try:
        async for chunk in request.stream():
            body.write(chunk)
    except ClientDisconnect as error:
        raise InputError("the client disconnected before the end of the body") from error
    if not body.tell():
        raise errors.invalid("body", "is empty; send an item, an array of items, or one item a line")
    body.seek(0)
    is_zipped = body.read(len(item_stream.GZIP_MAGIC)) == item_stream.GZIP_MAGIC
    if _encoding(request) == "gzip" and not is_zipped:
        raise errors.invalid("body", "is not gzip, although Content-Encoding says so")
    body.seek(0)


@asynccontextmanager
async def _watching(request: Request) -> AsyncIterator[_Interruption]:
    """An interruption that is set when the client disconnects or the server shuts down."""
    interruption = _Interruption()
    watching = asyncio.create_task(_watch(request, interruption))
    try:
        yield interruption
    finally:
        watching.cancel()


async def _watch(request: Request, interruption: _Interruption) -> None:
    stopping = asyncio.create_task(request.state.stopping.wait())
    disconnect = asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait((stopping, disconnect), return_when=asyncio.FIRST_COMPLETED)
        interruption.reason = SHUTTING_DOWN if stopping.done() else DISCONNECTED
    finally:
        stopping.cancel()
        disconnect.cancel()


async def _disconnect(request: Request) -> None:
    """Wait until the client disconnects; its body has been received."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _is_unreadable(outcome: ItemOutcome) -> bool:
    return any(problem.reason.startswith(UNREADABLE) for problem in outcome.problems)


def _check_result(result: PushResult, results: _Results) -> None:
    if result.is_interrupted:
        message = f"{result.problem}; these are kept (run {result.run_id}). Push again: nothing is duplicated"
        raise HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, message, headers={"Retry-After": "5"})
    if not result.items:
        raise errors.invalid("body", result.problem or "holds no items")
    if not results.is_readable:
        first = results.shown[0]
        raise errors.invalid("body", f"line {first.line}: {first.problems[0].reason}")


def _response(result: PushResult, results: _Results) -> PushResponse:
    return PushResponse(
        run_id=result.run_id,
        items=result.items,
        new=result.new,
        duplicates=result.items - result.new - result.refused,
        refused=result.refused,
        problem=result.problem,
        results=results.shown,
    )
