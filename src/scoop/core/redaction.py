"""Addresses without their secrets: scheme, host and path are shown, all else is left out."""

import re
from urllib.parse import urlsplit, urlunsplit

from scoop.core import urls

HIDDEN = "…"

_ADDRESS = re.compile(r"https?://[^\s\"<>“”„«»「」『』]+", re.IGNORECASE)
_AROUND = "'’),.;:!?]}"  # punctuation after an address in a sentence


def redact_url(url: str) -> str:
    """Scheme, host and path of an http(s) URL; ValueError for anything else.

    A token may have any name in a query (`feed=`, `auth=`, `x=`), so nothing of the query is shown, and neither is
    user, password or fragment. A token that is part of the path cannot be recognised, and stays.
    """
    parts = urlsplit(urls.percent_encoded(url))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def redact_text(text: str) -> str:
    """A sentence with every address in it redacted; an ellipsis says where a query was left out."""
    return _ADDRESS.sub(lambda match: _redact_match(match[0]), text)


def _redact_match(match: str) -> str:
    address = match.rstrip(_AROUND)
    try:
        shown = redact_url(address)
    except ValueError:
        shown = f"{address.partition('://')[0]}://{HIDDEN}"
    query = f"?{HIDDEN}" if "?" in address else ""
    return f"{shown}{query}{match[len(address) :]}"
