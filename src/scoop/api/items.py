"""Items that programs hand in: they enter the ledger through the same door as a file does."""

import tempfile
from collections.abc import Iterator
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
from scoop.http.errors import UnsupportedMedia
from scoop.http.middleware import MAX_PUSHED
from scoop.http.routes import needs
from scoop.stages.push import ItemOutcome, PushResult, push

router = routes.for_programs("Items")

MEDIA = ("application/json", "application/x-ndjson")
MAX_UNZIPPED = 8 * MAX_PUSHED
IN_MEMORY = 1 << 20  # bytes of a body; what is larger waits in a file
SHOWN = 1000  # items whose fate is told, and as many refused ones beyond them
UNREADABLE = (canonical.NOT_JSON, item_stream.BREAKS_OFF, item_stream.IS_ENDLESS)
ITEM = {"$ref": "#/components/schemas/Item"}
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One item, an array of items, or one item a line; `Content-Encoding: gzip` may be used. At most "
        f"{MAX_PUSHED >> 20} MiB as it is sent, {MAX_UNZIPPED >> 20} MiB unzipped.",
        "content": {
            "application/json": {"schema": {"oneOf": [ITEM, {"type": "array", "items": ITEM, "minItems": 1}]}},
            "application/x-ndjson": {"schema": {"type": "string", "description": "One item a line."}},
        },
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResponse:
    """What became of a push: `items` is how many there were; `problem` is what kept the rest from being read, if so.

    `results` tells of the first 1,000 items, and beyond them of the first 1,000 that were refused.
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
    """What is told of a push, however large it is."""

    kept: list[ItemOutcome] = field(default_factory=list)
    refused_beyond: int = 0
    is_readable: bool = False

    def tell(self, handed: Iterator[ItemOutcome]) -> None:
        for each in handed:
            self.is_readable |= not _is_unreadable(each)
            if each.index < SHOWN:
                self.kept.append(each)
            elif each.status == "refused" and self.refused_beyond < SHOWN:
                self.refused_beyond += 1
                self.kept.append(each)


@router.post(
    "/items", response_model=PushResponse, openapi_extra=BODY, responses=document.problems(HTTPStatus.CONFLICT)
)
@needs("push")
async def push_items(request: Request, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Hand items in. Good ones enter the ledger, bad ones are kept apart with the reasons; nothing is ever doubled.

    The status is 200 as soon as an item can be read, even if it is refused: see `refused` and `results`.
    """
    _check_media(request)
    if not desk.config.np_write_raw_ledger:
        raise Conflict("nothing is taken in: NP_WRITE_RAW_LEDGER is false")
    results = _Results()
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
        await _receive(request, body)
        async with desk.pushing:
            pushed = await push(
                desk.database,
                body,
                name=f"pushed by {by.name}",
                now=desk.clock(),
                tell=results.tell,
                max_bytes=MAX_UNZIPPED,
            )
    _check_readable(pushed, results)
    return responses.json(request, _taken(pushed, results))


def _check_media(request: Request) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in MEDIA:
        raise UnsupportedMedia(" or ".join(MEDIA))
    if _encoding(request) not in {"", "identity", "gzip"}:
        raise UnsupportedMedia("it is, or with Content-Encoding: gzip")


def _encoding(request: Request) -> str:
    return request.headers.get("content-encoding", "").strip().lower()


async def _receive(request: Request, body: IO[bytes]) -> None:
    """Let the whole body arrive first: a slow sender then holds up nobody, and one who leaves hands nothing in."""
    try:
        async for chunk in request.stream():
            body.write(chunk)
    except ClientDisconnect as error:
        raise InputError("the sender left before the end") from error
    if not body.tell():
        raise errors.invalid("body", "is empty; send an item, an array of items, or one item a line")
    body.seek(0)
    is_zipped = body.read(len(item_stream.GZIP_MAGIC)) == item_stream.GZIP_MAGIC
    if _encoding(request) == "gzip" and not is_zipped:
        raise errors.invalid("body", "is not gzip, although Content-Encoding says so")
    body.seek(0)


def _is_unreadable(handed: ItemOutcome) -> bool:
    return any(problem.reason.startswith(UNREADABLE) for problem in handed.problems)


def _check_readable(pushed: PushResult, results: _Results) -> None:
    if not pushed.items:
        raise errors.invalid("body", pushed.problem or "holds no items")
    if not results.is_readable:
        first = results.kept[0]
        raise errors.invalid("body", f"line {first.line}: {first.problems[0].reason}")


def _taken(pushed: PushResult, results: _Results) -> PushResponse:
    return PushResponse(
        run_id=pushed.run_id,
        items=pushed.items,
        new=pushed.new,
        duplicates=pushed.items - pushed.new - pushed.refused,
        refused=pushed.refused,
        problem=pushed.problem,
        results=results.kept,
    )
