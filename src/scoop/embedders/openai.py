"""The openai embedder: a server with /v1/embeddings, or the simpler /embed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from scoop.core.plugin_types import PluginOptions
from scoop.core.secrets import Secret
from scoop.embedders import Model, Vectors, unit
from scoop.errors import Retry
from scoop.fetch.client import Client, Response
from scoop.fetch.model_server import ModelServer, ServerSettings

DEADLINE = timedelta(seconds=45)
MAX_ANSWER_BYTES = 64 << 20
MAX_TOKENS = 512  # of each text, sent to a server of the /embed kind
UNNAMED_VERSION = "v1"
SETTINGS = ServerSettings(noun="embedder openai", prefix="SCOOP_EMBEDDERS_OPENAI")


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
        SETTINGS.require(options, "base_url", "model")
        self.model = Model(name=options.model, version=options.version)
        self.endpoint = SETTINGS.endpoint(options.base_url, "embeddings")
        self._is_plain = self.endpoint.partition("?")[0].endswith("/embed")
        self._server = ModelServer(
            client=client,
            endpoint=self.endpoint,
            settings=SETTINGS,
            max_bytes=MAX_ANSWER_BYTES,
            key=SETTINGS.read_key(options.api_key, self.endpoint),
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        response = await self._server.post(self._payload(texts), deadline=DEADLINE)
        return unit(self._rows(response, len(texts)), count=len(texts), origin=self.endpoint)

    def _payload(self, texts: Sequence[str]) -> dict[str, Any]:
        if self._is_plain:
            return {"texts": list(texts), "max_length": MAX_TOKENS}
        return {"input": list(texts), "model": self.model.name, "encoding_format": "float"}

    def _rows(self, response: Response, count: int) -> list[list[float]]:
        """The vectors in the order of the texts, whatever the order of the response."""
        if self._is_plain:
            return self._server.decode(response, _Plain, content="vectors").embeddings
        rows = self._server.decode(response, _Listed, content="vectors").data
        vector_by_index = {row.index: row.embedding for row in rows}
        if len(rows) != count or vector_by_index.keys() != set(range(count)):
            raise Retry(f"{self.endpoint} got {count} texts and sent {len(rows)} vectors, not one for each")
        return [vector_by_index[index] for index in range(count)]
