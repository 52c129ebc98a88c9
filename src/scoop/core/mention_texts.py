"""The text of a document in which mentions are looked for; offsets of mentions count in it."""

from dataclasses import dataclass

import xxhash

from scoop.core import sentences

TITLE_END = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceParts:
    """A passage: what comes before the sentence of a mention, the sentence around it, and what comes after."""

    lead: str
    before: str
    mention: str
    after: str
    trail: str


def text_of(title: str, body: str, *, is_comment: bool) -> str:
    """Title and body; a comment's body alone, because its title is cut from it."""
    if is_comment or not body:
        return body or title
    return f"{title}{TITLE_END}{body}"


def title_of(title: str, body: str, *, is_comment: bool) -> str:
    """The part of the text that is the title: none of a comment's, all of a text without a body."""
    return "" if is_comment and body else title


def text_hash(text: str) -> int:
    """A hash of a text that fits a BIGINT."""
    return xxhash.xxh3_64_intdigest(text.encode()) - 2**63


def sentence_parts(before: str, mention: str, after: str, language: str) -> SentenceParts:
    """A passage by the sentence that has the mention; it is wider where the mention crosses the end of a sentence."""
    start, end = len(before), len(before) + len(mention)
    ranges = sentences.split(before + mention + after, language)
    first = max((first for first, _ in ranges if first <= start), default=0)
    last = min((last for _, last in ranges if last >= end), default=end + len(after))
    return SentenceParts(
        lead=before[:first],
        before=before[first:],
        mention=mention,
        after=after[: last - end],
        trail=after[last - end :],
    )
