"""The openai embedder: a server with /v1/embeddings, or the simpler /embed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import can_ada
import msgspec

from scoop.core import urls
from scoop.core.plugin_types import PluginOptions
from scoop.core.secrets import Secret
from scoop.embedders import Model, Vectors, unit
from scoop.errors import ConfigError, FetchFailed, Retry
from scoop.fetch.client import Client, Request, Response, response_failure

DEADLINE = timedelta(seconds=45)
REST = timedelta(minutes=1)  # after a timeout: the next request would time out as well
MAX_ANSWER_BYTES = 64 << 20
MAX_TOKENS = 512  # of each text, sent to a server of the /embed kind
UNNAMED_VERSION = "v1"
ADDRESS_VARIABLE = "SCOOP_EMBEDDERS_OPENAI_BASE_URL"
ANSWERED = 200


class _EmbeddingRow(msgspec.Struct):
    index: int
    embedding: list[float]


class _Listed(msgspec.Struct):
    """The response of /v1/embeddings."""

    data: list[_EmbeddingRow]


class _Plain(msgspec.Struct):
    """The response of /embed."""

    embeddings: list[list[float]]


class OpenAI:
    """Any server with `/v1/embeddings`, as OpenAI, vLLM, llama.cpp and Ollama have, or with the simpler `/embed`.

    The server may have a private address, since only the operator sets it.
    """

    name = "openai"
    access = "cli"
    waits = True

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The server and its model.

        `base_url`: the address of the server, as http://127.0.0.1:8844/v1/embeddings; its key is sent there.
        `model`: the model that the server uses.
        `version`: tells two releases of that model apart; after a change all documents are embedded again.
        `api_key`: the key of the server, if it needs one.
        """

        base_url: str = ""
        model: str = ""
        version: str = UNNAMED_VERSION
        api_key: Secret | None = None

    def __init__(self, options: Options, client: Client) -> None:
        for name in ("base_url", "model"):
            if not getattr(options, name):
                variable = f"SCOOP_EMBEDDERS_OPENAI_{name.upper()}"
                raise ConfigError(f"the embedder openai needs the option {name}: set {variable}")
        url = _endpoint(options.base_url)
        self.model = Model(name=options.model, version=options.version)
        self.endpoint = url.href
        self._host = urls.host_and_port(url.href)
        self._is_plain = url.pathname.endswith("/embed")
        self._key = options.api_key.for_url(url.href) if options.api_key else None
        self._client = client

    async def embed(self, texts: Sequence[str]) -> Vectors:
        response = await self._send(texts)
        if response.status != ANSWERED:
            raise response_failure(response, now=datetime.now(UTC))
        return unit(self._rows(response.body, len(texts)), count=len(texts), origin=self.endpoint)

    async def _send(self, texts: Sequence[str]) -> Response:
        request = Request(
            url=self.endpoint,
            method="POST",
            json=self._payload(texts),
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            private_host=self._host,
            max_bytes=MAX_ANSWER_BYTES,
            deadline=DEADLINE,
        )
        try:
            return await self._client.send(request)
        except FetchFailed as failed:
            if failed.health == "timeout":
                self._client.rate_limits.pause(self._host, REST)
            raise

    def _payload(self, texts: Sequence[str]) -> dict[str, Any]:
        if self._is_plain:
            return {"texts": list(texts), "max_length": MAX_TOKENS}
        return {"input": list(texts), "model": self.model.name, "encoding_format": "float"}

    def _rows(self, body: bytes, count: int) -> list[list[float]]:
        """The vectors in the order of the texts, whatever the order of the response."""
        try:
            if self._is_plain:
                return msgspec.json.decode(body, type=_Plain).embeddings
            rows = msgspec.json.decode(body, type=_Listed).data
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Retry(f"{self.endpoint} did not send vectors as JSON: {error}") from error
        vector_by_index = {row.index: row.embedding for row in rows}
        if len(rows) != count or vector_by_index.keys() != set(range(count)):
            raise Retry(f"{self.endpoint} got {count} texts and sent {len(rows)} vectors, not one for each")
        return [vector_by_index[index] for index in range(count)]


def _endpoint(url: str) -> can_ada.URL:
    """The address of the endpoint; a server's address, or its /v1, is completed."""
    try:
        parsed = can_ada.parse(url)
    except ValueError as error:
        raise ConfigError(f"{ADDRESS_VARIABLE} is {url!r}, which is not an address") from error
    if parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        raise ConfigError(
            f"{ADDRESS_VARIABLE} must be an http or https address without a password; a key belongs into "
            "SCOOP_EMBEDDERS_OPENAI_API_KEY"
        )
    path = parsed.pathname.rstrip("/")
    if not path.strip("/"):
        path = "/v1"
    parsed.pathname = f"{path}/embeddings" if path.endswith("/v1") else path
    return parsed
