"""Chat completions, shared by the writers that speak this protocol: options, requests, and replies."""

import time
from datetime import timedelta
from math import ceil
from typing import Annotated

import msgspec
import structlog

from scoop.core import chat_dialects, model_refusals, text
from scoop.core.briefs import MAX_PROMPT_TOKENS, Prompt
from scoop.core.chat_dialects import Dialect, JsonMode
from scoop.core.plugin_types import PluginOptions
from scoop.errors import Retry
from scoop.fetch.client import Response
from scoop.fetch.model_server import ANSWERED, ModelServer
from scoop.writers import Finish, Prices, Reply

OPERATION = "chat/completions"
MAX_REPLY_BYTES = 4 << 20  # a hundred times the longest text that is ordered
REFUSED_PARAMETERS = frozenset({400, 422})
MAX_MODEL_NAME = 200
BYTES_PER_TOKEN = 3  # English has about 4, Japanese about 3: an estimate that is too high keeps within a budget
FENCE = "```"
FINISHES: dict[str | None, Finish] = {"length": "cut_off", "content_filter": "filtered"}
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
Currency = Annotated[
    str, msgspec.Meta(pattern="^[A-Z]{3}$", extra_json_schema={"description": "text of three letters, as EUR"})
]

log = structlog.get_logger()


class ChatOptions(PluginOptions, frozen=True, kw_only=True):
    """The options of every writer that requests chat completions.

    `json_mode`: how JSON is requested: by its schema, as any JSON object, or only in words (text). If the server does
        not accept the schema, Scoop uses the next one until it is restarted.
    `temperature`: how much replies vary; it is left out for models that refuse it.
    `timeout`: the number of seconds after which a request is given up.
    `max_prompt_tokens`: about the most tokens of a prompt; articles that do not fit share the room. The context of the
        model must have room for the reply, too: at most 2,400 tokens, 8,000 for a translation.
    `input_price`: the price of a million tokens of the prompt, in `currency`.
    `output_price`: the price of a million tokens of the reply, in `currency`.
    `currency`: the currency of both prices.
    """

    json_mode: JsonMode = "schema"
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.2
    timeout: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 120
    max_prompt_tokens: Annotated[int, msgspec.Meta(ge=2_000, le=200_000)] = MAX_PROMPT_TOKENS
    input_price: NonNegative = 0.0
    output_price: NonNegative = 0.0
    currency: Currency = "USD"


def prices(options: ChatOptions) -> Prices:
    return Prices(input_price=options.input_price, output_price=options.output_price, currency=options.currency)


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] = []
    model: str | None = None
    usage: msgspec.Raw = msgspec.Raw()


class _Usage(msgspec.Struct):
    prompt_tokens: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
    completion_tokens: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class Chat:
    """The chat completions of one server and model; it remembers the parameters that they accept."""

    def __init__(self, server: ModelServer, *, model: str, options: ChatOptions) -> None:
        self._server = server
        self._model = model
        self._deadline = timedelta(seconds=options.timeout)
        self._dialect = Dialect(json_mode=options.json_mode, temperature=options.temperature)
        self._is_usage_known = True

    async def write(self, prompt: Prompt) -> Reply:
        """The reply to a prompt; a prompt or reply that a content filter stops is a reply, too."""
        began = time.monotonic()
        response = await self._send(prompt)
        latency_ms = round((time.monotonic() - began) * 1000)
        refusal = model_refusals.read_refusal(response.body) if response.status in REFUSED_PARAMETERS else None
        if refusal is not None and refusal.is_filtered:
            return Reply(text=refusal.message, model=self._model, finish="filtered", latency_ms=latency_ms)
        completion = self._server.decode(response, _Completion, content="a chat completion")
        return self._reply(completion, response, prompt, latency_ms)

    async def _send(self, prompt: Prompt) -> Response:
        """The response to the parameters that the server accepts; each one is left out or replaced at most once."""
        dialect: Dialect | None = self._dialect
        while dialect is not None:
            payload = chat_dialects.payload(prompt, dialect, model=self._model)
            response = await self._server.post(payload, deadline=self._deadline)
            if response.status == ANSWERED:
                self._dialect = dialect  # not before: the reason for a refusal may be misunderstood
            if response.status not in REFUSED_PARAMETERS:
                break
            dialect = chat_dialects.adapted(dialect, model_refusals.read_refusal(response.body))
        return response

    def _reply(self, completion: _Completion, response: Response, prompt: Prompt, latency_ms: int) -> Reply:
        written, finish = self._text(completion, response)
        usage = self._usage(completion, prompt, written)
        model = text.truncated(text.one_line(completion.model or ""), MAX_MODEL_NAME)
        return Reply(
            text=written,
            model=model or self._model,
            finish=finish,
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            latency_ms=latency_ms,
        )

    def _text(self, completion: _Completion, response: Response) -> tuple[str, Finish]:
        if not completion.choices:  # some servers send an error with the status of success
            reason = model_refusals.read_refusal(response.body).message
            raise Retry(f"{self._server.endpoint} sent no chat completion{f': {reason}' if reason else ''}")
        choice = completion.choices[0]
        if choice.message.refusal:
            return choice.message.refusal, "refused"
        finish = FINISHES.get(choice.finish_reason, "complete")
        written = without_fence(choice.message.content or "")
        if not written and finish == "complete":
            raise Retry(f"{self._server.endpoint} sent a chat completion without a text")
        return written, finish

    def _usage(self, completion: _Completion, prompt: Prompt, written: str) -> _Usage:
        try:
            return msgspec.json.decode(completion.usage, type=_Usage)
        except msgspec.DecodeError:
            if self._is_usage_known:
                log.warning("tokens are estimated", endpoint=self._server.endpoint, reason="the server sends no usage")
            self._is_usage_known = False
        return _Usage(
            prompt_tokens=estimated_tokens(prompt.system) + estimated_tokens(prompt.user),
            completion_tokens=estimated_tokens(written),
        )


def estimated_tokens(written: str) -> int:
    return ceil(len(written.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def without_fence(written: str) -> str:
    """The text inside a Markdown code fence, in which many models put JSON; any other text as it is, trimmed."""
    trimmed = written.strip()
    head, line_break, rest = trimmed.partition("\n")
    if head.startswith(FENCE) and line_break and rest.endswith(FENCE):
        return rest.removesuffix(FENCE).strip()
    return trimmed
