"""Links of one feed: parameters that only track its readers are found by comparing the links."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import can_ada

from scoop.core import urls

MIN_LINKS = 5  # of one host; fewer may share a parameter by chance
# These select another page although all links of a feed share them.
CONTENT_PARAMETERS = frozenset({"country", "edition", "hl", "lang", "language", "lng", "locale", "region"})

_TRACKING_NAME = re.compile("rss|feed|share|campaign|track|traffic|partner")


def without_tracking(links: Iterable[str]) -> dict[str, str]:
    """The links of a feed that have tracking parameters, each with the link without them.

    A parameter tracks if it has one value on all links of a host and does not select the page. Where the path alone
    distinguishes the links, no parameter selects the page; where an id in the query does, only a parameter whose name
    says so is removed: `view=article` beside `id=5` belongs to the address.
    """
    links_by_host: defaultdict[str, list[str]] = defaultdict(list)
    for link in dict.fromkeys(links):
        if urls.is_url(link):
            links_by_host[urls.host(link)].append(link)
    cleaned: dict[str, str] = {}
    for group in links_by_host.values():
        names = _tracking_names(group)
        cleaned |= {link: urls.without_parameters(link, names) for link in group if names}
    return cleaned


def _tracking_names(links: Sequence[str]) -> frozenset[str]:
    parsed = [can_ada.parse(link) for link in links]
    pages = {urls.canonical_url(link) for link in links}
    if len(pages) < MIN_LINKS:
        return frozenset()
    shared = set.intersection(*(set(url.search[1:].split("&")) for url in parsed))
    names = frozenset(pair.partition("=")[0] for pair in shared if pair) - CONTENT_PARAMETERS
    if len({url.pathname for url in parsed}) < len(pages):
        names = frozenset(name for name in names if _TRACKING_NAME.search(name.lower()))
    remaining = {urls.canonical_url(urls.without_parameters(link, names)) for link in links}
    return names if len(remaining) == len(pages) else frozenset()


def with_telling_fragment(links: Iterable[str]) -> frozenset[str]:
    """The links of a feed that differ from another one only in the fragment: posts on one page."""
    links_by_page: defaultdict[str, set[str]] = defaultdict(set)
    for link in dict.fromkeys(links):
        if "#" in link and urls.is_url(link):
            links_by_page[urls.canonical_url(link)].add(link)
    return frozenset(link for page, group in links_by_page.items() if _has_fragments(page, group) for link in group)


def _has_fragments(page: str, links: Iterable[str]) -> bool:
    return len({urls.with_fragment(page, link) for link in links}) > 1


def shared_links(titles_and_links: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The links of a feed whose page several items have, by their titles: its text is not that of one item."""
    titles_by_page: defaultdict[str, set[str]] = defaultdict(set)
    links_by_page: defaultdict[str, set[str]] = defaultdict(set)
    for title, link in titles_and_links:
        if urls.is_url(link):
            page = urls.canonical_url(link)
            titles_by_page[page].add(title)
            links_by_page[page].add(link)
    return frozenset(link for page, titles in titles_by_page.items() if len(titles) > 1 for link in links_by_page[page])
