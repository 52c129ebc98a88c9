"""Validation of posted messages: Discord's documented limits, and the errors of a message that breaks them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from scoop.newsstand.discord import refusals

EMBEDS_CHARACTERS = 6000
LINK_CHARACTERS = 2048
NONCE_CHARACTERS = 25

Embed = Mapping[str, Any]
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Faults:
    """Errors by the path of each value, as in the `errors` of Discord's response."""

    errors: dict[str, Any] = field(default_factory=dict)

    def note(self, at: Path, code: str, message: str) -> None:
        place = self.errors
        for key in at:
            place = place.setdefault(key, {})
        place.setdefault("_errors", []).append({"code": code, "message": message})


FieldCheck = Callable[[Any, Path, Faults], Any]
"""Cleans a value and records its errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageForm:
    """A message as it was posted; `keys` holds the keys that were present, for edits."""

    content: str
    embeds: tuple[Embed, ...]
    nonce: str | int | None
    enforce_nonce: bool
    allowed_mentions: Mapping[str, Any] | None
    username: str
    keys: frozenset[str]


def read(body: bytes, media_type: str) -> MessageForm:
    """Parse the message in a request body; 400 with all errors if Discord would refuse it."""
    faults = Faults()
    if media_type.partition(";")[0].strip().lower() != "application/json":
        expected = "Expected \"Content-Type\" header to be one of {'application/json'}."
        faults.note((), "CONTENT_TYPE_INVALID", expected)
        raise refusals.invalid_form(faults.errors)
    try:
        message = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise refusals.invalid_json() from error
    cleaned = MESSAGE(message, (), faults)
    if faults.errors:
        raise refusals.invalid_form(faults.errors)
    return MessageForm(
        content=cleaned.get("content", ""),
        embeds=_collapsed(cleaned.get("embeds", [])),
        nonce=cleaned.get("nonce"),
        enforce_nonce=cleaned.get("enforce_nonce", False),
        allowed_mentions=None if message.get("allowed_mentions") is None else cleaned.get("allowed_mentions", {}),
        username=cleaned.get("username", ""),
        keys=frozenset(message),
    )


def whole_number(text: str, at: str, *, least: int, most: int) -> int:
    """Parse a number of the query."""
    faults = Faults()
    number = int(text) if text.isascii() and text.isdecimal() else None
    if number is None:
        faults.note((at,), "NUMBER_TYPE_COERCE", f'Value "{text}" is not int.')
    elif number < least:
        faults.note((at,), "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {least}.")
    elif number > most:
        faults.note((at,), "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
    if number is None or faults.errors:
        raise refusals.invalid_form(faults.errors)
    return number


def _collapsed(embeds: list[Embed]) -> tuple[Embed, ...]:
    """Drop embeds that show nothing; of embeds with the same url keep only the first."""
    first_by_url: dict[str | int, Embed] = {}
    for place, embed in enumerate(embeds):
        if embed.keys() - {"url", "color", "timestamp"}:
            first_by_url.setdefault(embed.get("url", place), {"type": "rich", **embed})
    return tuple(first_by_url.values())


def _text(limit: int) -> FieldCheck:
    def clean(value: Any, at: Path, faults: Faults) -> str:
        if not isinstance(value, str):
            faults.note(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
            return ""
        cleaned = value.strip()
        if len(cleaned) > limit:
            faults.note(at, "BASE_TYPE_MAX_LENGTH", f"Must be {limit} or fewer in length.")
        return cleaned

    return clean


def _url(value: Any, at: Path, faults: Faults) -> str:
    url: str = _text(LINK_CHARACTERS)(value, at, faults)
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if url and parts.scheme not in {"", "http", "https"}:
        reason = f"Scheme \"{parts.scheme}\" is not supported. Scheme must be one of ('http', 'https')."
        faults.note(at, "URL_TYPE_INVALID_SCHEME", reason)
    elif url and (not parts.scheme or not parts.netloc or any(letter.isspace() for letter in url)):
        faults.note(at, "URL_TYPE_INVALID_URL", "Not a well formed URL.")
    return url


def _number(most: int) -> FieldCheck:
    def clean(value: Any, at: Path, faults: Faults) -> int | None:
        if not isinstance(value, int) or isinstance(value, bool):
            faults.note(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
            return None
        if not 0 <= value <= most:
            faults.note(at, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
        return value

    return clean


def _truth(value: Any, at: Path, faults: Faults) -> bool:
    if not isinstance(value, bool):
        faults.note(at, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
    return bool(value)


def _moment(value: Any, at: Path, faults: Faults) -> str:
    text: str = _text(64)(value, at, faults)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        faults.note(at, "DATE_TIME_TYPE_PARSE", f"Could not parse {text}. Should be ISO8601.")
    return text


def _nonce(value: Any, at: Path, faults: Faults) -> Any:
    if not isinstance(value, str | int) or isinstance(value, bool):
        faults.note(at, "NONCE_TYPE_INVALID_TYPE", "This field must be a string or integer.")
    elif isinstance(value, str) and len(value) > NONCE_CHARACTERS:
        faults.note(at, "NONCE_TYPE_TOO_LONG", f"Must be {NONCE_CHARACTERS} or fewer characters long.")
    return value


def _choice(*choices: str) -> FieldCheck:
    def clean(value: Any, at: Path, faults: Faults) -> Any:
        if value not in choices:
            faults.note(at, "BASE_TYPE_CHOICES", f"Value must be one of {choices}.")
        return value

    return clean


def _snowflake(value: Any, at: Path, faults: Faults) -> str:
    if not (isinstance(value, str | int) and str(value).isascii() and str(value).isdecimal()):
        faults.note(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
    return str(value)


def _listing(of: FieldCheck, limit: int) -> FieldCheck:
    def clean(value: Any, at: Path, faults: Faults) -> list[Any]:
        if not isinstance(value, list):
            faults.note(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return []
        if len(value) > limit:
            faults.note(at, "BASE_TYPE_MAX_LENGTH", f"Must be {limit} or fewer in length.")
        return [of(each, (*at, str(place)), faults) for place, each in enumerate(value)]

    return clean


def _table(kinds: Mapping[str, FieldCheck], *, needs: tuple[str, ...] = ()) -> FieldCheck:
    """Keep only known keys with non-empty values."""

    def clean(value: Any, at: Path, faults: Faults) -> dict[str, Any]:
        if not isinstance(value, dict):
            faults.note(at, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return {}
        checked = {
            key: kind(value[key], (*at, key), faults) for key, kind in kinds.items() if value.get(key) is not None
        }
        cleaned = {key: kept for key, kept in checked.items() if kept not in (None, "", [], {})}
        for key in needs:
            if key not in cleaned:
                faults.note((*at, key), "BASE_TYPE_REQUIRED", "This field is required")
        return cleaned

    return clean


def _embeds(value: Any, at: Path, faults: Faults) -> list[Embed]:
    embeds: list[Embed] = _listing(EMBED, 10)(value, at, faults)
    if sum(map(_characters, embeds)) > EMBEDS_CHARACTERS:
        faults.note(at, "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBEDS_CHARACTERS}")
    return embeds


def _characters(embed: Embed) -> int:
    fields = [text for each in embed.get("fields", []) for text in (each.get("name", ""), each.get("value", ""))]
    footer, author = embed.get("footer", {}).get("text", ""), embed.get("author", {}).get("name", "")
    return sum(map(len, [embed.get("title", ""), embed.get("description", ""), footer, author, *fields]))


def _allowed_mentions(value: Any, at: Path, faults: Faults) -> Mapping[str, Any]:
    allowed: dict[str, Any] = ALLOWED_MENTIONS(value, at, faults)
    for kind in ("users", "roles"):
        if kind in allowed.get("parse", []) and kind in allowed:
            reason = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            faults.note(at, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", reason)
    return allowed


FIELD = _table({"name": _text(256), "value": _text(1024), "inline": _truth}, needs=("name", "value"))
EMBED = _table(
    {
        "title": _text(256),
        "description": _text(4096),
        "url": _url,
        "color": _number(0xFFFFFF),
        "timestamp": _moment,
        "footer": _table({"text": _text(2048), "icon_url": _url}, needs=("text",)),
        "author": _table({"name": _text(256), "url": _url, "icon_url": _url}, needs=("name",)),
        "fields": _listing(FIELD, 25),
        "image": _table({"url": _url}, needs=("url",)),
        "thumbnail": _table({"url": _url}, needs=("url",)),
    }
)
ALLOWED_MENTIONS = _table(
    {
        "parse": _listing(_choice("users", "roles", "everyone"), 3),
        "users": _listing(_snowflake, 100),
        "roles": _listing(_snowflake, 100),
        "replied_user": _truth,
    }
)
MESSAGE = _table(
    {
        "content": _text(2000),
        "embeds": _embeds,
        "nonce": _nonce,
        "enforce_nonce": _truth,
        "allowed_mentions": _allowed_mentions,
        "username": _text(80),
    }
)
