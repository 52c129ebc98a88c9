"""Rules for redirects: which ones are followed, and which headers go along."""

from collections.abc import Mapping

import can_ada

SAFE_METHODS = frozenset({"GET", "HEAD"})
SEE_OTHER = 303  # the request was carried out: to repeat it would carry it out twice
# An allow list, because any other header may hold a secret (`X-Api-Key` is as common as `Authorization`).
HARMLESS_HEADERS = frozenset({"accept", "accept-language", "connection", "if-modified-since", "if-none-match"})


def may_follow(method: str, status: int, *, here: str, there: str) -> bool:
    """Whether a redirect may be followed: only GET and HEAD may leave their origin, a body stays where it was sent."""
    return method in SAFE_METHODS or (status != SEE_OTHER and is_same_origin(here, there))


def headers_after(headers: Mapping[str, str], *, here: str, there: str) -> dict[str, str]:
    """The headers of the next hop; another origin gets the harmless ones only."""
    if is_same_origin(here, there):
        return dict(headers)
    return {name: value for name, value in headers.items() if name.lower() in HARMLESS_HEADERS}


def is_same_origin(here: str, there: str) -> bool:
    """Whether two URLs share scheme, host and port; https and http of one host do not."""
    return bool(can_ada.parse(here).origin == can_ada.parse(there).origin)
