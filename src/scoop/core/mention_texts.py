"""The text of a document in which mentions are looked for; offsets of mentions count in it."""

import xxhash

TITLE_END = "\n\n"


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
