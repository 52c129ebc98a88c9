"""An embeddings server: texts that share words are close. One path for each way to be broken."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
import xxhash
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.core import text
from scoop.newsstand import replies
from scoop.newsstand.context import SiteContext

HOST = "embeddings.example"
DIMENSIONS = 64
OTHER_DIMENSIONS = 48
RETRY_SECONDS = 120
BEYOND_REASON = 1e308

Vector = list[float]


class EmbeddingRequest(msgspec.Struct):
    """The request of either API: `input` and `model` of /v1/embeddings, or `texts` of /embed."""

    input: list[str] = []
    texts: list[str] = []
    model: str = ""


def sites(_stand: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {
        HOST: [
            Route("/v1/embeddings", listed, methods=["POST"]),
            Route("/embed", plain, methods=["POST"]),
            Route("/{mode}/v1/embeddings", listed, methods=["POST"]),
            Route("/{mode}/embed", plain, methods=["POST"]),
        ]
    }


async def listed(request: Request) -> Response:
    """OpenAI's response: each vector with the index of its text."""
    question = await _question(request)
    mode = _mode(request)
    numbered = MISNUMBERED.get(mode, _numbered)(_vectors(question.input, mode))
    rows = [{"object": "embedding", "index": index, "embedding": made} for index, made in numbered]
    return _answer({"object": "list", "data": rows, "model": question.model}, mode)


async def plain(request: Request) -> Response:
    """The response of simple servers: vectors in the order of the texts."""
    question = await _question(request)
    mode = _mode(request)
    return _answer({"embeddings": _vectors(question.texts, mode), "elapsed_ms": 0.4}, mode)


def vector(of: str, dimensions: int = DIMENSIONS) -> Vector:
    """Each word moves the text one step along its own axis; the first axis is shared by all texts."""
    steps = np.zeros(dimensions)
    steps[0] = 0.1
    for word in text.words(text.normalized(of)):
        steps[1 + xxhash.xxh3_64_intdigest(word.encode()) % (dimensions - 1)] += 1
    return [float(step) for step in steps / np.linalg.norm(steps)]


async def _question(request: Request) -> EmbeddingRequest:
    try:
        return msgspec.json.decode(await request.body(), type=EmbeddingRequest)
    except msgspec.DecodeError as error:
        raise HTTPException(400, str(error)) from error


def _mode(request: Request) -> str:
    mode: str = request.path_params.get("mode", "")
    if mode and mode not in {*MISMADE, *MISNUMBERED, *MISANSWERED}:
        raise HTTPException(404)
    return mode


def _vectors(texts: Sequence[str], mode: str) -> list[Vector]:
    return MISMADE.get(mode, _made)(texts)


def _answer(body: object, mode: str) -> Response:
    return MISANSWERED.get(mode, _json)(msgspec.json.encode(body))


def _made(texts: Sequence[str]) -> list[Vector]:
    return [vector(each) for each in texts]


def _numbered(vectors: Sequence[Vector]) -> list[tuple[int, Vector]]:
    return list(enumerate(vectors))


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _busy(status: int) -> Response:
    return Response(status_code=status, headers={"retry-after": str(RETRY_SECONDS)})


MISMADE: Mapping[str, Callable[[Sequence[str]], list[Vector]]] = {
    "zero": lambda texts: [[0.0] * DIMENSIONS for _ in texts],
    "infinity": lambda texts: [[BEYOND_REASON] * DIMENSIONS for _ in texts],
    "short": lambda texts: _made(texts[1:]),
    "ragged": lambda texts: [vector(each, DIMENSIONS - place % 2) for place, each in enumerate(texts)],
    "empty": lambda texts: [[] for _ in texts],
    "other-dimension": lambda texts: [vector(each, OTHER_DIMENSIONS) for each in texts],
}
MISNUMBERED: Mapping[str, Callable[[Sequence[Vector]], list[tuple[int, Vector]]]] = {
    "shuffled": lambda vectors: _numbered(vectors)[::-1],
    "duplicate-index": lambda vectors: [(0, each) for each in vectors],
}
MISANSWERED: Mapping[str, Callable[[bytes], Response]] = {
    "nan": lambda body: _json(body.replace(b"[0.", b"[NaN,0.")),
    "dies-in-the-middle": lambda body: Response(body[: len(body) // 2], headers={"content-length": str(len(body))}),
    "429": lambda _body: _busy(429),
    "503": lambda _body: _busy(503),
    "slow": lambda _body: replies.drip("application/json"),
    "html": lambda _body: HTMLResponse("<!doctype html><title>Please log in</title><form method=post></form>"),
}
