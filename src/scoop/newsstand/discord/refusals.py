"""Error responses of Discord."""

import math
from collections.abc import Mapping
from typing import Any


class DiscordError(Exception):
    """A request answered with an HTTP status, Discord's own code and a message."""

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(body["message"])
        self.status = status
        self.body = body
        self.headers = headers


def unauthorized() -> DiscordError:
    return _refusal(401, 0, "401: Unauthorized")


def missing_access() -> DiscordError:
    return _refusal(403, 50001, "Missing Access")


def not_the_author() -> DiscordError:
    return _refusal(403, 50005, "Cannot edit a message authored by another user")


def missing_permissions() -> DiscordError:
    return _refusal(403, 50013, "Missing Permissions")


def unknown_channel() -> DiscordError:
    return _refusal(404, 10003, "Unknown Channel")


def unknown_message() -> DiscordError:
    return _refusal(404, 10008, "Unknown Message")


def unknown_webhook() -> DiscordError:
    return _refusal(404, 10015, "Unknown Webhook")


def wrong_webhook_token() -> DiscordError:
    return _refusal(401, 50027, "Invalid Webhook Token")


def empty_message() -> DiscordError:
    return _refusal(400, 50006, "Cannot send an empty message")


def invalid_json() -> DiscordError:
    return _refusal(400, 50109, "The request body contains invalid JSON.")


def invalid_form(errors: Mapping[str, Any]) -> DiscordError:
    return DiscordError(400, {"message": "Invalid Form Body", "code": 50035, "errors": errors})


def broken() -> DiscordError:
    return _refusal(500, 0, "500: Internal Server Error")


def limited(seconds: float, *, is_global: bool) -> DiscordError:
    """Too many requests: the header has whole seconds, the body is exact."""
    body = {"message": "You are being rate limited.", "retry_after": round(seconds, 3), "global": is_global}
    headers = {"Retry-After": str(math.ceil(seconds)), "X-RateLimit-Scope": "global" if is_global else "user"}
    return DiscordError(429, body, headers | ({"X-RateLimit-Global": "true"} if is_global else {}))


def _refusal(status: int, code: int, message: str) -> DiscordError:
    return DiscordError(status, {"message": message, "code": code})
