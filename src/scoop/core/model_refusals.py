"""Why a model server refused a request, from any of the bodies that such servers send."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from scoop.core import text

MAX_BODY_BYTES = 64 << 10  # a longer body is a page or an echo of the request
MAX_MESSAGE = 300
FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})
NO_MONEY = 402
LIMITED = frozenset({403, 429})
_OF_THE_DAY = re.compile(
    rb"insufficient_quota|quota_exceeded|billing_hard_limit_reached|insufficient balance|per[_ ]?day|\bRPD\b|\bTPD\b",
    re.IGNORECASE,
)
"""How servers say that money or the quota of a day is used up, and not only that of a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The message of a server for people, its code, and the parameter that it names."""

    message: str = ""
    code: str = ""
    param: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether a content filter refused the prompt."""
        return self.code in FILTER_CODES


def read_refusal(body: bytes) -> Refusal:
    """The refusal in OpenAI's form, in that of FastAPI and other servers, or as plain text; empty for a web page."""
    shown = body[:MAX_BODY_BYTES]
    try:
        decoded = msgspec.json.decode(shown)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        is_page = shown.lstrip()[:1] == b"<"
        return Refusal() if is_page else Refusal(message=_line(shown.decode("utf-8", "replace")))
    return _read(decoded)


def is_quota(status: int, body: bytes) -> bool:
    """Whether a server refused a request because money, or the quota of a day, is used up."""
    return status == NO_MONEY or (status in LIMITED and _OF_THE_DAY.search(body[:MAX_BODY_BYTES]) is not None)


def _read(decoded: Any) -> Refusal:
    detail = (decoded.get("error") or decoded.get("detail") or decoded) if isinstance(decoded, dict) else decoded
    if not isinstance(detail, dict):
        return Refusal(message=_line(detail if isinstance(detail, str) else msgspec.json.encode(detail).decode()))
    named = (detail.get(name) for name in ("message", "code", "param"))
    message, code, param = ("" if value is None else _line(str(value)) for value in named)
    return Refusal(message=message, code=code, param=param)


def _line(received: str) -> str:
    return text.truncated(text.one_line(received[: MAX_MESSAGE * 4]), MAX_MESSAGE)
