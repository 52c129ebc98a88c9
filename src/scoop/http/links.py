"""Where links out of the house lead."""

from urllib.parse import urlsplit

INVENTED = ".example"  # the newsstand's outlets; RFC 2606 keeps the name free of real ones


def href(url: str | None, *, newsstand: str | None) -> str | None:
    """Where a link to an article leads; None where it must not be one."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return None
    if newsstand and parts.hostname.endswith(INVENTED):
        return f"{newsstand}/{parts.hostname}{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    return url
