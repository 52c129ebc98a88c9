"""Comments and points of posts, as their items have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_COUNT = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EngagementCounts:
    """Comments and points of a post or comment."""

    is_comment: bool
    comment_count: int
    upvote_count: int


def counts_of(metadata: Mapping[str, Any]) -> EngagementCounts:
    """The counts in the metadata of an item; those that are missing or no numbers are 0."""
    return EngagementCounts(
        is_comment=bool(metadata.get("parent")),
        comment_count=_count(metadata.get("comments")),
        upvote_count=_count(metadata.get("score")),
    )


def _count(value: Any) -> int:
    return min(max(value, 0), MAX_COUNT) if isinstance(value, int) else 0
