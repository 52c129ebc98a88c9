"""The client of model servers, under embedders and writers: addresses, keys, limits, and what their failures mean."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import can_ada
import msgspec

from scoop import metrics
from scoop.core import model_refusals, retry_after, service_errors, urls
from scoop.core.plugin_types import PluginOptions
from scoop.core.secrets import Secret
from scoop.errors import ConfigError, FetchFailed, Retry
from scoop.fetch.client import Client, Request, Response, response_failure

PAUSE = retry_after.FIRST_WAITS[0]  # after a timeout or an outage, for all that wait: the next would fail as well
ANSWERED = 200
BEARER = "Authorization"
UNAUTHENTICATED, FORBIDDEN, NOT_FOUND = 401, 403, 404

DecodedT = TypeVar("DecodedT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of the plugin that uses a server, as messages name them.

    `prefix` begins the names of their variables, as SCOOP_WRITERS_OPENAI; `noun` is the plugin, as "writer openai".
    `model_option` is the option that chooses the model.
    """

    noun: str
    prefix: str
    model_option: str = "model"

    def variable(self, option: str) -> str:
        return f"{self.prefix}_{option.upper()}"

    def advice(self, status: int) -> str:
        """The variables to check after a status; empty if they are not the reason."""
        if status in {UNAUTHENTICATED, FORBIDDEN}:
            return f"; check {self.variable('api_key')}"
        if status == NOT_FOUND:
            return f"; check {self.variable('base_url')} and {self.variable(self.model_option)}"
        return ""

    def require(self, options: PluginOptions, *names: str) -> None:
        """ConfigError with the variable of the first option that is empty."""
        for name in names:
            if not getattr(options, name):
                raise ConfigError(f"the {self.noun} needs the option {name}: set {self.variable(name)}")

    def read_key(self, api_key: Secret | None, url: str) -> str:
        """The key for this address, empty if there is none; ConfigError for one that cannot be sent."""
        if api_key is not None and not api_key.is_usable:
            raise ConfigError(f"{self.variable('api_key')} is not one line of text")
        return api_key.for_url(url) if api_key else ""

    def parse_url(self, url: str) -> can_ada.URL:
        """The parsed `base_url`; ConfigError if it is not an http or https address, or has a password."""
        variable = self.variable("base_url")
        try:
            parsed = can_ada.parse(url)
        except ValueError as error:
            raise ConfigError(f"{variable} is {url!r}, which is not an address") from error
        if parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
            raise ConfigError(
                f"{variable} must be an http or https address without a password; a key belongs into "
                f"{self.variable('api_key')}"
            )
        return parsed

    def endpoint(self, url: str, operation: str) -> str:
        """The address of an operation, as `chat/completions`; a server's address, or its /v1, is completed."""
        parsed = self.parse_url(url)
        path = parsed.pathname.rstrip("/") or "/v1"
        parsed.pathname = f"{path}/{operation}" if path.endswith("/v1") else path
        return str(parsed.href)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """One operation of a server; `key` is sent in `key_header`, as a bearer token if that is Authorization.

    The server may have a private address, since only the operator sets it.
    """

    client: Client
    endpoint: str
    settings: ServerSettings
    max_bytes: int
    key: str = field(default="", repr=False)
    key_header: str = BEARER

    async def post(self, payload: Mapping[str, Any], *, deadline: timedelta) -> Response:
        """The response, whatever its status; a server that does not answer in time is then left alone for a while."""
        request = Request(
            url=self.endpoint,
            method="POST",
            json=payload,
            headers=self._headers(),
            private_host=urls.host_and_port(self.endpoint),
            max_bytes=self.max_bytes,
            deadline=deadline,
            outage_pause=PAUSE,
        )
        plugin, began = self.settings.noun, time.monotonic()
        metrics.MODEL_REQUESTS.add(plugin=plugin)
        try:
            response = await self.client.send(request)
        except FetchFailed as failed:
            metrics.MODEL_ERRORS.add(plugin=plugin, code=failed.health)
            if failed.health == "timeout":
                self.client.rate_limits.pause(can_ada.parse(self.endpoint).host, PAUSE)
            raise
        finally:
            metrics.MODEL_LATENCY.observe(time.monotonic() - began, plugin=plugin)
        if response.status != ANSWERED:
            metrics.MODEL_ERRORS.add(plugin=plugin, code=str(response.status))
        return response

    def decode(self, response: Response, shape: type[DecodedT], *, content: str) -> DecodedT:
        """The JSON of a response in this shape; FetchFailed for another status, Retry for another body."""
        if response.status != ANSWERED:
            raise self.failure(response)
        try:
            return msgspec.json.decode(response.body, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            metrics.MODEL_ERRORS.add(plugin=self.settings.noun, code="invalid")
            raise Retry(f"{self.endpoint} did not send {content} as JSON: {error}") from error

    def failure(self, response: Response) -> FetchFailed:
        """The error for a status that is not usable: the server's reason, the settings to check, when to try again."""
        now = datetime.now(UTC)
        failed = response_failure(response, now=now)
        is_quota = model_refusals.is_quota(response.status, response.body)
        error_class = service_errors.of_http(response.status, is_quota=is_quota)
        reason = model_refusals.read_refusal(response.body).message
        if self.key:
            reason = reason.replace(self.key, "…")  # some servers repeat a wrong key
        message = f"{failed}{f': {reason}' if reason else ''}{self.settings.advice(response.status)}"
        after = service_errors.wait(error_class, now=now) if failed.after is None else failed.after
        return FetchFailed(message, health=failed.health, status=failed.status, after=after, error_class=error_class)

    def _headers(self) -> dict[str, str]:
        if not self.key:
            return {}
        return {self.key_header: f"Bearer {self.key}" if self.key_header == BEARER else self.key}
