"""How a chat completion is requested: servers and models differ in the parameters that they accept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from scoop.core.briefs import Prompt
from scoop.core.model_refusals import Refusal

JsonMode = Literal["schema", "object", "text"]
LimitName = Literal["max_tokens", "max_completion_tokens"]

WEAKER: Mapping[JsonMode, JsonMode] = {"schema": "object", "object": "text"}
MAX_SCHEMA_NAME = 64  # of OpenAI
_NOT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_UNSUPPORTED = re.compile(r"unsupported|not support|unrecognized|unknown|instead")
_FORMAT = re.compile(r"response_format|json_schema|json_object|structured output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The parameters that a server accepts; `temperature` is None where the model refuses any."""

    json_mode: JsonMode
    temperature: float | None
    limit_name: LimitName = "max_tokens"  # every server but the newest models of OpenAI knows this one


def payload(prompt: Prompt, dialect: Dialect, *, model: str) -> dict[str, Any]:
    """The body of a request. It never has tools: a model that follows an article's orders can call nothing."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": _system(prompt, dialect.json_mode)},
            {"role": "user", "content": prompt.user},
        ],
        dialect.limit_name: prompt.max_output_tokens,
    }
    if dialect.temperature is not None:
        body["temperature"] = dialect.temperature
    if dialect.json_mode != "text":
        body["response_format"] = _response_format(prompt, dialect.json_mode)
    return body


def adapted(dialect: Dialect, refusal: Refusal) -> Dialect | None:
    """The dialect without the parameter that the server refused; None if it refused for another reason."""
    reason = f"{refusal.param} {refusal.code} {refusal.message}".lower()
    is_unsupported = _UNSUPPORTED.search(reason) is not None
    # vLLM names both limits where the prompt is too long, hence the second condition.
    if dialect.limit_name == "max_tokens" and "max_completion_tokens" in reason and is_unsupported:
        return replace(dialect, limit_name="max_completion_tokens")
    if dialect.temperature is not None and "temperature" in reason and is_unsupported:
        return replace(dialect, temperature=None)
    if dialect.json_mode in WEAKER and _FORMAT.search(reason):
        return replace(dialect, json_mode=WEAKER[dialect.json_mode])
    return None


def _system(prompt: Prompt, json_mode: JsonMode) -> str:
    """The system message; without a response format that has the schema, the schema is a part of it."""
    if json_mode == "schema":
        return prompt.system
    schema = msgspec.json.encode(prompt.schema).decode()
    return f"{prompt.system}\n\nReply with one JSON object and nothing else. It conforms to this JSON Schema:\n{schema}"


def _response_format(prompt: Prompt, json_mode: JsonMode) -> dict[str, Any]:
    if json_mode == "object":
        return {"type": "json_object"}
    name = _NOT_IN_NAME.sub("_", prompt.prompt_id)[:MAX_SCHEMA_NAME] or "reply"
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(prompt.schema), "strict": True}}
