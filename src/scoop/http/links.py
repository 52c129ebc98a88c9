"""Links to articles on other sites, and whole addresses of this one."""

from urllib.parse import urlsplit

from fastapi import Request

INVENTED = ".example"  # the newsstand's outlets; RFC 2606 reserves this domain


def href(url: str | None, *, newsstand: str | None) -> str | None:
    """The target of a link to an article; None for a URL that is not safe to link."""
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


def base_url(request: Request) -> str:
    """Scheme and host of the request; the middleware has checked the host."""
    return f"{request.url.scheme}://{request.url.netloc}"
