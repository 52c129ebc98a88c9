"""The memory of curators as documents of `notified_articles` and `rejected_articles`: their ids, fields and expiry."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

NOTIFIED, REJECTED = "notified_articles", "rejected_articles"
COLLECTIONS = (NOTIFIED, REJECTED)
NOTIFIED_FOR, EVALUATED_FOR = timedelta(days=90), timedelta(days=30)  # after that, articles are forgotten
MAX_ID_BYTES = 1500  # the limit of Firestore
HASHED = "~"  # begins the second part of an id that has a hash instead of the URL; base64url has no such character

HASH_BYTES = 32

_OWN_ID = re.compile(r"(?P<curator>[a-z0-9_]+)\.(?P<hashed>~?)(?P<article>[A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFacts:
    """An article that a curator posted or rejected; `url_hash` identifies one that has no URL."""

    curator: str
    url: str | None
    url_hash: bytes
    article_title: str
    state: Literal["notified", "rejected"]
    reason: str | None
    relevance_score: int | None
    evaluated_at: datetime | None
    notified_at: datetime | None
    discord_message_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document as a store or an export has it."""

    collection: str
    document_id: str
    fields: Mapping[str, Any]

    @property
    def path(self) -> str:
        return f"{self.collection}/{self.document_id}"


def document(facts: EvaluationFacts) -> StoredDocument:
    """The document of an article: the fields of its collection, and those that both collections have."""
    if facts.state == "notified":
        collection, moment, lasts = NOTIFIED, facts.notified_at, NOTIFIED_FOR
        fields = {
            "notified_at": moment,
            "discord_message_id": facts.discord_message_id or "",  # it was posted to another kind of channel
            "article_title": facts.article_title,
            "relevance_score": facts.relevance_score,
        }
    else:
        collection, moment, lasts = REJECTED, facts.evaluated_at, EVALUATED_FOR
        fields = {"evaluated_at": moment, "reason": facts.reason, "relevance_score": facts.relevance_score}
    assert moment is not None  # noqa: S101 - the time of a state is stored with it
    shared = {
        "url": facts.url,
        "readable_id": readable_id(facts.url) if facts.url else None,
        "curator": facts.curator,
        "expires_at": moment + lasts,
    }
    return StoredDocument(
        collection=collection,
        document_id=document_id(facts.curator, facts.url, facts.url_hash),
        fields={**fields, **shared},
    )


# Ids


def document_id(curator: str, url: str | None, url_hash: bytes) -> str:
    """The curator, a dot and the URL in base64url; a hash stands for a URL that is missing or too long for an id.

    No such id is one of the reserved ones: `.`, `..`, or `__` at both ends, which base64url of a URL never has.
    """
    plain = f"{curator}.{_encode(url.encode())}" if url else ""
    return plain if 0 < len(plain) <= MAX_ID_BYTES else f"{curator}.{HASHED}{_encode(url_hash)}"


def parse_id(document_id: str) -> tuple[str, str | None] | None:
    """The curator and the URL of an id of this form, without the URL if the id has its hash; None for any other id.

    Other programs may keep documents in these collections too.
    """
    match = _OWN_ID.fullmatch(document_id)
    if match is None:
        return None
    decoded = _decode(match["article"])
    if match["hashed"]:
        return (match["curator"], None) if len(decoded) == HASH_BYTES else None
    return (match["curator"], decoded.decode()) if decoded.startswith(b"http") and decoded.isascii() else None


def readable_id(url: str) -> str:
    """The URL with dashes for its slashes, as `https:--dev.to-example-post`: readable, but two URLs may share one."""
    return url.replace("/", "-")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(encoded: str) -> bytes:
    """The bytes of base64url without padding; empty for a text that is not."""
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except binascii.Error:
        return b""
