"""The ids that platforms give to items: two items with the same id are the same."""

import re
from collections.abc import Mapping
from typing import Any

_ARXIV_ID = r"(?P<id>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?"
_YOUTUBE_ID = r"(?P<id>[A-Za-z0-9_-]{11})"
_REDDIT_ID = r"(?P<id>[A-Za-z0-9]+)"
_END = r"/?(?:[?#]|$)"

# The address of a comment on Reddit has one part more; a comment is not the submission.
_URL_PATTERNS = tuple(
    (platform, re.compile(rf"https?://{pattern}"))
    for platform, pattern in (
        ("arxiv", rf"(?:[a-z0-9]+\.)*arxiv\.org/(?:abs|pdf|html|format|ps)/(?i:{_ARXIV_ID})(?:\.pdf)?{_END}"),
        ("arxiv", rf"(?:dx\.|www\.)?doi\.org/(?i:10\.48550/arxiv\.{_ARXIV_ID}){_END}"),
        ("reddit", rf"(?:[a-z]+\.)?reddit\.com(?:/(?:r|u|user)/[^/?#]+)?/comments/{_REDDIT_ID}(?:/[^/?#]*)?{_END}"),
        ("reddit", rf"(?:[a-z]+\.)?reddit\.com/gallery/{_REDDIT_ID}{_END}"),
        ("reddit", rf"redd\.it/{_REDDIT_ID}{_END}"),
        ("youtube", rf"(?:[a-z]+\.)?youtube\.com/watch/?\?(?:[^#]*&)?v={_YOUTUBE_ID}(?:[&#]|$)"),
        ("youtube", rf"(?:[a-z]+\.)?youtube(?:-nocookie)?\.com/(?:shorts|embed|live|v)/{_YOUTUBE_ID}{_END}"),
        ("youtube", rf"youtu\.be/{_YOUTUBE_ID}{_END}"),
        ("hn", r"news\.ycombinator\.com/item/?\?(?:[^#]*&)?id=(?P<id>\d+)(?:[&#]|$)"),
    )
)
_ANY_PLATFORM = re.compile(r"arxiv|redd|youtu|ycombinator", re.IGNORECASE)  # most addresses belong to none of them
_ITEM_ID_PATTERN_BY_PLATFORM = {
    "arxiv": re.compile(rf"(?:oai:arxiv\.org:|arxiv:|(?:doi:)?10\.48550/arxiv\.)?{_ARXIV_ID}", re.IGNORECASE),
    "reddit": re.compile(r"t3_(?P<id>[a-z0-9]+)", re.IGNORECASE),
    "youtube": re.compile(rf"(?:yt:video:)?{_YOUTUBE_ID}"),
    "hn": re.compile(r"(?:hn[:_-])?(?P<id>\d+)", re.IGNORECASE),
}
_PLATFORM = re.compile(
    r"(?<![a-z0-9])(?:(?P<arxiv>arxiv)|(?P<reddit>reddit)|(?P<youtube>youtube)|(?P<hn>hn|hacker[ _-]?news))(?![a-z0-9])"
)
_PLATFORM_KEYS = ("platform", "kind", "source_kind")
_ARXIV_SUBJECT = re.compile(r"\.[a-z]{2}(?=/)")


def native_ids(url: str | None, source: str, source_item_id: str, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The sorted ids, as `arxiv:2401.01234`; the id of the item counts only on its platform, a URL always."""
    ids = {*from_url(url or ""), *from_url(source_item_id)}
    for platform in _platforms(source, metadata):
        if match := _ITEM_ID_PATTERN_BY_PLATFORM[platform].fullmatch(source_item_id):
            ids.add(_native_id(platform, match["id"]))
    return tuple(sorted(ids))


def from_url(url: str) -> list[str]:
    """The native id in the address of a platform."""
    if not _ANY_PLATFORM.search(url):
        return []
    matches = ((platform, pattern.match(url)) for platform, pattern in _URL_PATTERNS)
    return [_native_id(platform, match["id"]) for platform, match in matches if match]


def _platforms(source: str, metadata: Mapping[str, Any]) -> set[str]:
    names = [source, *(str(metadata[key]) for key in _PLATFORM_KEYS if key in metadata)]
    return {str(match.lastgroup) for name in names for match in _PLATFORM.finditer(name.lower())}


def _native_id(platform: str, platform_id: str) -> str:
    if platform == "youtube":
        return f"youtube:{platform_id}"
    return f"{platform}:{_ARXIV_SUBJECT.sub('', platform_id.lower())}"
