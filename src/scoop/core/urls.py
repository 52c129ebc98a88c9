"""Canonical URLs: one spelling for all addresses of a page."""

import re
from collections.abc import Collection
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

import can_ada

MAX_UNWRAPS = 3  # a redirector inside a redirector exists, a fourth level only in attacks
DEFAULT_PORTS = {"http:": "80", "https:": "443"}
QUOTED_CHARACTERS = 200  # of a URL in an error message

TRACKING_PREFIXES = ("utm_", "hsa_", "itm_", "mtm_", "piwik_", "pk_")
TRACKING_PARAMETERS = frozenset(
    """
    __hsfp __hssc __hstc __s _ga _gl _hsenc _hsmi amp_gsa amp_js_v at_bbc_team at_campaign at_campaign_type
    at_custom1 at_custom2 at_custom3 at_custom4 at_format at_link_id at_link_origin at_link_type at_medium
    at_ptr_name cmp cmpid dclid ef_id emc epik fb_action_ids fb_action_types fb_ref fb_source fbclid
    gad_campaignid gad_source gbraid gclid gclsrc guccounter guce_referrer guce_referrer_sig hsctatracking icid
    igsh igshid intcmp ito li_fat_id mbid mc_cid mc_eid mibextid mkt_tok msclkid ncid nr_email_referer ns_campaign
    ns_fee ns_linkname ns_mchannel ns_source ocid oly_anon_id oly_enc_id ref ref_src ref_url reflink s_cid s_kwcid
    smid smtyp soc_src soc_trk spm sr_share srsltid taid tblci trk tsrc ttclid twclid usqp vero_conv vero_id wbraid
    wickedid wt_mc xtor yclid ysclid
    """.split()  # noqa: SIM905  # quoted one by one they could not be read
)

# Added after documents had been stored with them; `tracked_url` keeps them, so that both spellings are found.
LATER_TRACKING_PARAMETERS = frozenset({"_r", "maca", "postshare", "traffic_source"})
_ALL_TRACKING_PARAMETERS = TRACKING_PARAMETERS | LATER_TRACKING_PARAMETERS

# Pages that only send the reader on, and the parameters that hold the target, the likeliest first.
_TARGET_PARAMETERS = {
    "google/url": ("q", "url"),
    "l.facebook.com/l.php": ("u",),
    "lm.facebook.com/l.php": ("u",),
    "l.instagram.com/": ("u",),
    "l.messenger.com/l.php": ("u",),
    "l.threads.net/": ("u",),
    "out.reddit.com": ("url",),
    "t.umblr.com/redirect": ("z",),
    "youtube.com/redirect": ("q",),
    "m.youtube.com/redirect": ("q",),
    "slack-redir.net/link": ("url",),
    "steamcommunity.com/linkfilter": ("u", "url"),
    "linkedin.com/redir/redirect": ("url",),
    "duckduckgo.com/l": ("uddg",),
    "vk.com/away.php": ("to",),
    "m.vk.com/away.php": ("to",),
    "link.zhihu.com/": ("target",),
    "exit.sc/": ("url",),
}
_TARGET_IS_QUERY = frozenset({"href.li", "anonym.to", "nullrefer.com"})
_GOOGLE = re.compile(r"(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}")
_AMP = re.compile(
    r"(?:google/amp|[^/]+\.(?:cdn\.ampproject\.org|bing-amp\.com)/[cv])/(?P<secure>s/)?(?P<page>[^/]+\.[^/]+.*)"
)

# A host with a dot, an IPv6 address or localhost, with or without port and path: example.com/feed, not r/python.
_WITHOUT_SCHEME = re.compile(r"(?:[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:.]+\]|localhost)\.?(?::\d{1,5})?(?:[/?#]\S*)?")
_SLASHES = re.compile("//+")
_ESCAPED_AMPERSAND = re.compile("(?:^|&)(?:amp;)+")  # feeds that were escaped twice
# A percent sign with or without its two digits, and any character that RFC 3986 allows neither in a path nor a query.
_TO_RESPELL = re.compile(r"%([0-9A-Fa-f]{2})?|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _UrlParts(NamedTuple):
    scheme: str
    host: str
    port: str
    path: str
    query: str


def canonical_url(url: str) -> str:
    """The one spelling of an http(s) URL; ValueError for any other text."""
    return _spelling(url, _ALL_TRACKING_PARAMETERS)


def with_fragment(canonical_url: str, url: str) -> str:
    """The canonical URL with the fragment of the URL that it was made from, if that has one."""
    fragment = _TO_RESPELL.sub(_respelled, can_ada.parse(url).hash[1:])
    return f"{canonical_url}#{fragment}" if fragment else canonical_url


def tracked_url(url: str) -> str:
    """The canonical spelling of documents that were stored before the later tracking parameters were known."""
    return _spelling(url, TRACKING_PARAMETERS)


def without_parameters(url: str, names: Collection[str]) -> str:
    """The URL without these parameters of its query; all else stays as it is."""
    parsed = can_ada.parse(url)
    pairs = parsed.search[1:].split("&")
    kept = [pair for pair in pairs if pair.partition("=")[0] not in names]
    if len(kept) < len(pairs):
        parsed.search = "&".join(kept)
    return str(parsed.href)


def _spelling(url: str, tracking: frozenset[str]) -> str:
    address = _address(url, tracking)
    page = address
    for _ in range(MAX_UNWRAPS):
        inner = _wrapped(page, tracking)
        if inner is None:
            return _spelled(page)
        page = inner
    # Stopping half way would give another result the next time.
    return _spelled(page if _wrapped(page, tracking) is None else address)


def is_url(text: str) -> bool:
    """Whether a text is an http(s) URL."""
    try:
        _with_host(text)
    except ValueError:
        return False
    return True


def candidate_urls(text: str) -> list[str]:
    """The URLs that an address may mean: https and http where it has no scheme, else the text itself."""
    typed = text.strip()
    if not _WITHOUT_SCHEME.fullmatch(typed):
        return [typed]
    return [f"{scheme}://{typed}" for scheme in ("https", "http")]


def percent_encoded(url: str) -> str:
    """The URL with every character percent-encoded that a URI may not contain."""
    return str(_parsed(url.strip()).href)


def host(url: str) -> str:
    """The host of a canonical URL, without its port."""
    return str(can_ada.parse(url).hostname)


def find_host(url: str) -> str | None:
    """The host of a text that may be an http(s) URL."""
    try:
        return host(canonical_url(url))
    except ValueError:
        return None


def host_and_port(url: str) -> str:
    """The host and the port of an http(s) URL, as 10.0.0.5:80: a default port is written out."""
    parsed = can_ada.parse(url)
    return f"{parsed.hostname}:{parsed.port or DEFAULT_PORTS[parsed.protocol]}"


def _address(url: str, tracking: frozenset[str]) -> _UrlParts:
    parsed = _with_host(url)
    name = parsed.hostname
    query = _query(name, parsed.search[1:], tracking)
    return _UrlParts(parsed.protocol, name, parsed.port, _path(parsed.pathname), query)


def _with_host(url: str) -> can_ada.URL:
    parsed = _parsed(url)
    return _parsed(_undotted(parsed)) if parsed.hostname.endswith(".") else parsed


def _parsed(url: str) -> can_ada.URL:
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError) as error:  # TypeError: a lone surrogate
        raise ValueError(f"{url[:QUOTED_CHARACTERS]!r} is not a URL") from error
    if parsed.protocol not in {"http:", "https:"}:
        raise ValueError(f"{url[:QUOTED_CHARACTERS]!r} is not an http or https URL")
    return parsed


def _undotted(parsed: can_ada.URL) -> str:
    name = parsed.hostname.rstrip(".")
    if not name:
        raise ValueError(f"{parsed.href[:QUOTED_CHARACTERS]!r} has no host")
    port = f":{parsed.port}" if parsed.port else ""
    return f"{parsed.protocol}//{name}{port}{parsed.pathname}{parsed.search}"


def _path(path: str) -> str:
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return _TO_RESPELL.sub(_respelled, path.rstrip("/")) or "/"


def _query(name: str, query: str, tracking: frozenset[str]) -> str:
    query = _TO_RESPELL.sub(_respelled, query)
    if not query or name in _TARGET_IS_QUERY:
        return query
    if "amp;" in query:
        query = _ESCAPED_AMPERSAND.sub("&", query)
    pairs = sorted(pair.partition("=") for pair in query.split("&") if pair)
    return "&".join("".join(pair) for pair in pairs if not _is_tracking(pair[0].lower(), tracking))


def _is_tracking(parameter: str, tracking: frozenset[str]) -> bool:
    return parameter in tracking or parameter.startswith(TRACKING_PREFIXES)


def _respelled(match: re.Match[str]) -> str:
    digits = match[1]
    if digits is None:
        return f"%{ord(match[0]):02X}"
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else match[0].upper()


def _spelled(address: _UrlParts) -> str:
    scheme, name, port, path, query = address
    return f"{scheme}//{name}{':' if port else ''}{port}{path}{'?' if query else ''}{query}"


def _wrapped(address: _UrlParts, tracking: frozenset[str]) -> _UrlParts | None:
    """The target of a redirector or an AMP cache, from the address of the redirector."""
    target = _target(address)
    if not target:
        return None
    try:
        return _address(target, tracking)
    except ValueError:
        return None


def _target(address: _UrlParts) -> str | None:
    name = "google" if _GOOGLE.fullmatch(address.host) else address.host.removeprefix("www.")
    if name in _TARGET_IS_QUERY:
        return address.query if "://" in address.query else unquote(address.query)
    page = name + address.path
    if amp := _AMP.fullmatch(page):
        return f"{'https' if amp['secure'] else 'http'}://{amp['page']}?{address.query}"
    parameters = _TARGET_PARAMETERS.get(page) or _TARGET_PARAMETERS.get(name)
    return _value(address.query, parameters) if parameters else None


def _value(query: str, parameters: tuple[str, ...]) -> str | None:
    values_by_name = parse_qs(query, errors="surrogateescape")
    return next((values_by_name[name][0] for name in parameters if name in values_by_name), None)
