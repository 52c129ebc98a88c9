"""A model server with OpenAI's chat completions, and Azure's. A model's name, or a script, chooses how it is broken."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from scoop.newsstand import model_lessons, model_replies, model_texts, replies
from scoop.newsstand.context import SiteContext
from scoop.newsstand.model_replies import DEPTH, TEXTS, WRITTEN
from scoop.newsstand.model_texts import CHANGES
from scoop.newsstand.world import Edition

HOST = "models.example"
MODEL = "newsstand-1"
RETRY_SECONDS = 120
HUGE_MEBIBYTES = 100
MEBIBYTE = b" " * (1 << 20)
CHARACTERS_PER_TOKEN = 4
REFUSED = "I'm sorry, but I can't help with that."
FILTERED = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify "
    "your prompt and retry."
)


class ChatMessage(msgspec.Struct):
    role: str
    content: str


class ChatRequest(msgspec.Struct):
    """The parameters that Scoop sends; others are ignored, as a server does."""

    messages: list[ChatMessage]
    model: str = ""
    response_format: dict[str, Any] = {}
    max_tokens: int | None = None
    temperature: float | None = None

    @property
    def prompt(self) -> str:
        return "\n".join(message.content for message in self.messages)

    @property
    def schema(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.response_format.get("json_schema", {}).get("schema", {})
        return found


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {HOST: ModelsApi(context=context).routes()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsApi:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
            Route("/openai/deployments/{deployment}/chat/completions", self.complete_on_azure, methods=["POST"]),
            Route("/v1/models", list_models),
            Route("/calls", self.count_calls),
        ]

    async def complete(self, request: Request) -> Response:
        return await self._complete(request, "")

    async def complete_on_azure(self, request: Request) -> Response:
        """Azure's address: the deployment is in the path, the key in a header of its own."""
        if not request.headers.get("api-key"):
            return _refusal(401, "Access denied due to invalid subscription key or wrong API endpoint.", code="401")
        if not request.query_params.get("api-version"):
            return _refusal(404, "Resource not found", code="404")
        return await self._complete(request, request.path_params["deployment"])

    async def count_calls(self, _request: Request) -> Response:
        """How many completions were requested, for a test that runs in another process."""
        return JSONResponse({"calls": len(self.context.models.calls)})

    async def _complete(self, request: Request, deployment: str) -> Response:
        body = await request.body()
        try:
            question = msgspec.json.decode(body, type=ChatRequest)
        except msgspec.DecodeError as error:
            return _refusal(400, str(error))
        model = deployment or question.model
        fault = self.context.models.record(model, msgspec.json.decode(body))
        if fault not in MODELS:
            return _refusal(404, f"The model `{fault}` does not exist or you do not have access to it.", code=UNKNOWN)
        if refusal := REFUSALS.get(fault, _refuse_nothing)(question):
            return refusal
        completion = COMPLETIONS.get(fault, dict)(_completion(model, self._choice(question, fault)))
        return SENT.get(fault, _json)(msgspec.json.encode(completion))

    def _choice(self, question: ChatRequest, fault: str) -> dict[str, Any]:
        documents = model_replies.read_documents(question.prompt)
        content = model_texts.write(question.schema, documents, question.prompt, fault)
        if content is None:
            paragraphs = WRITTEN.get(fault, model_replies.summary)(documents, self._other(question))
            content = model_replies.as_json(paragraphs, question.schema)
        message = {"role": "assistant", "content": TEXTS.get(fault, str)(content), "refusal": None}
        return {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None, **CHOICES.get(fault, {})}

    def _other(self, question: ChatRequest) -> Edition | None:
        """The newest article that the prompt does not have."""
        return next((each for each in self.context.editions() if each.title not in question.prompt), None)


async def list_models(_request: Request) -> Response:
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "newsstand"} for name in MODELS]
    return JSONResponse({"object": "list", "data": rows})


def _completion(model: str, choice: Mapping[str, Any]) -> dict[str, Any]:
    written = len(choice["message"]["content"] or "") // CHARACTERS_PER_TOKEN
    usage = {"prompt_tokens": 1200, "completion_tokens": written, "total_tokens": 1200 + written}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": f"{model}-2026-01-01"}
    return head | {"choices": [choice], "usage": usage}


def _refusal(status: int, message: str, *, code: str | None = None, param: str | None = None) -> Response:
    detail = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    wait = {"retry-after": str(RETRY_SECONDS)} if status in {429, 500} and code != SPENT else None
    return JSONResponse({"error": detail}, status_code=status, headers=wait)


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _huge(_body: bytes) -> Response:
    async def flow() -> AsyncIterator[bytes]:
        for _ in range(HUGE_MEBIBYTES):
            yield MEBIBYTE

    return StreamingResponse(flow(), media_type="application/json")


def _refuse_nothing(_question: ChatRequest) -> None:
    return None


def _refuse_formats(*types: str) -> Callable[[ChatRequest], Response | None]:
    def refuse(question: ChatRequest) -> Response | None:
        named = question.response_format.get("type", "text")
        message = f"Invalid parameter: 'response_format' of type '{named}' is not supported with this model."
        return _refusal(400, message, param="response_format") if named in types else None

    return refuse


def _refuse_old_parameters(question: ChatRequest) -> Response | None:
    """The refusals of OpenAI's reasoning models."""
    if question.max_tokens is not None:
        message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
        return _refusal(400, f"{message}instead.", code="unsupported_parameter", param="max_tokens")
    if question.temperature not in {None, 1}:
        message = f"Unsupported value: 'temperature' does not support {question.temperature} with this model."
        return _refusal(400, message, code="unsupported_value", param="temperature")
    return None


def _refuse_prompt(_question: ChatRequest) -> Response:
    """Azure's refusal of a prompt that its content filter stops."""
    results = {"violence": {"filtered": True, "severity": "medium"}, "jailbreak": {"filtered": False, "detected": True}}
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": results}
    detail = {"message": FILTERED, "type": None, "param": "prompt", "code": "content_filter", "status": 400}
    return JSONResponse({"error": detail | {"innererror": inner}}, status_code=400)


UNKNOWN, SPENT = "model_not_found", "insufficient_quota"
REFUSALS: Mapping[str, Callable[[ChatRequest], Response | None]] = {
    "401": lambda _question: _refusal(401, "Incorrect API key provided.", code="invalid_api_key"),
    "429": lambda _question: _refusal(429, "Rate limit reached for requests.", code="rate_limit_exceeded"),
    "quota": lambda _question: _refusal(429, "You exceeded your current quota, please check your plan.", code=SPENT),
    "500": lambda _question: _refusal(500, "The server had an error while processing your request."),
    "503": lambda _question: _refusal(503, "The engine is currently overloaded, please try again later."),
    "too-long": lambda _question: _refusal(
        400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded", param="messages"
    ),
    "no-schema": _refuse_formats("json_schema"),
    "no-response-format": _refuse_formats("json_schema", "json_object"),
    "new-parameters": _refuse_old_parameters,
    "filtered-prompt": _refuse_prompt,
}
"""Faults that are a status."""
CHOICES: Mapping[str, Mapping[str, Any]] = {
    "cut-off": {"finish_reason": "length"},
    "filtered": {"finish_reason": "content_filter", "message": {"role": "assistant", "content": None}},
    "refusal": {"message": {"role": "assistant", "content": None, "refusal": REFUSED}},
    "null": {"message": {"role": "assistant", "content": None}},
}
"""Faults in the choice of a completion."""
COMPLETIONS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "no-choices": lambda usual: usual | {"choices": []},
    "no-usage": lambda usual: {name: value for name, value in usual.items() if name != "usage"},
    "wrong-usage": lambda usual: usual | {"usage": {"prompt_tokens": -5, "completion_tokens": "many"}},
    "error-in-200": lambda _usual: {"error": {"message": "The model is overloaded.", "code": 502}},
}
"""Faults in a completion."""
SENT: Mapping[str, Callable[[bytes], Response]] = {
    "slow": lambda _body: replies.drip("application/json"),
    "huge": _huge,
    "nan": lambda body: _json(body.replace(b'"index":0', b'"index":NaN')),
    "not-utf8": lambda body: _json(body.replace(b'"content":"', b'"content":"\xff\xfe')),
    "nested-body": lambda _body: _json(b'{"choices":' + b"[" * DEPTH + b"]" * DEPTH + b"}"),
    "broken-off": lambda body: Response(body[: len(body) // 2], headers={"content-length": str(len(body))}),
}
"""Faults on the wire."""
MODELS = (
    MODEL,
    *dict.fromkeys((*WRITTEN, *CHANGES, *model_lessons.CHANGES, *TEXTS, *REFUSALS, *CHOICES, *COMPLETIONS, *SENT)),
)
