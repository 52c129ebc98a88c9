"""The openai voice: a server with /v1/audio/speech."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from scoop.core.audio import SpokenSentence, mp3
from scoop.core.plugin_types import PluginOptions
from scoop.core.secrets import Secret
from scoop.errors import Retry
from scoop.fetch.client import Client
from scoop.fetch.model_server import ANSWERED, ModelServer, ServerSettings

DEADLINE = timedelta(seconds=60)
MAX_ANSWER_BYTES = 32 << 20  # of one sentence: minutes of uncompressed sound
FORMAT = "wav"
SETTINGS = ServerSettings(noun="voice openai", prefix="SCOOP_VOICES_OPENAI")


class SpeechServer:
    """Any server with `/v1/audio/speech`, as OpenAI, Kokoro-FastAPI, LocalAI and vLLM-Omni have.

    Each sentence is one request, so that its time in the recording is exact; words are not timed. The server may have a
    private address, since only the operator sets it.
    """

    name = "openai"
    access = "cli"
    waits = True
    peak_memory: int | None = None

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The server, its model and its voice.

        `base_url`: the address of the server, as http://127.0.0.1:8880/v1; its key is sent there.
        `model`: the model that the server uses, as tts-1.
        `voice`: a voice of that model, as alloy.
        `api_key`: the key of the server, if it needs one.
        """

        base_url: str = ""
        model: str = ""
        voice: str = ""
        api_key: Secret | None = None

    def __init__(self, options: Options, client: Client) -> None:
        SETTINGS.require(options, "base_url", "model", "voice")
        self.model = f"{options.model}/{options.voice}"
        self._options = options
        endpoint = SETTINGS.endpoint(options.base_url, "audio/speech")
        self._server = ModelServer(
            client=client,
            endpoint=endpoint,
            settings=SETTINGS,
            max_bytes=MAX_ANSWER_BYTES,
            key=SETTINGS.read_key(options.api_key, endpoint),
        )

    async def speak(self, sentences: Sequence[str], *, speed: float) -> list[SpokenSentence]:
        return [await self._speak(sentence, speed) for sentence in sentences]

    async def _speak(self, sentence: str, speed: float) -> SpokenSentence:
        payload = {
            "model": self._options.model,
            "voice": self._options.voice,
            "input": sentence,
            "response_format": FORMAT,
            "speed": round(speed, 2),
        }
        response = await self._server.post(payload, deadline=DEADLINE)
        if response.status != ANSWERED:
            raise self._server.failure(response)
        try:
            samples, sample_rate = await asyncio.to_thread(mp3.decode, response.body)
        except ValueError as error:
            raise Retry(f"{self._server.endpoint} did not send sound: {error}") from error
        return SpokenSentence(samples=samples, sample_rate=sample_rate)

    async def close(self) -> None:
        """Its connections are those of the client."""
