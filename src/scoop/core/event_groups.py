"""Decides which stories cover one event."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scoop.core import clusters
from scoop.core.clusters import IndexPair

LARGER_GROUPS = 0.8  # of the threshold: several documents that agree are better evidence than one pair
UNKNOWN_FAMILY = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupableStory:
    """A story with the publisher families of its documents; UNKNOWN_FAMILY is different from every other.

    `may_join` is false for a round-up, ticker or quiz, which belongs to no event.
    """

    story_id: int
    families: frozenset[str]
    may_join: bool


def connects_at(threshold: float) -> float:
    """The probability below which a link cannot bring stories together: the mean of two groups is never above it."""
    return LARGER_GROUPS * threshold


def group_stories(
    stories: Sequence[GroupableStory],
    probabilities: Mapping[IndexPair, float],
    apart: Collection[IndexPair],
    threshold: float,
    *,
    together: Collection[IndexPair] = (),
) -> list[list[int]]:
    """The ids of the stories by event, in the order of the stories.

    `probabilities` are those of two stories to cover one event, by their ids; `apart` are stories that people keep
    apart, `together` those that they put into one event. Two stories of a single publisher family count neither for nor
    against an event, so that every event of several stories has at least two families: the series of one publisher is
    not an event.
    """
    numbers = {story.story_id: number for number, story in enumerate(stories) if story.may_join}
    groups = clusters.average_linkage(
        dict.fromkeys(numbers.values(), 1),
        {_renamed(pair, numbers): weight for pair, weight in probabilities.items() if numbers.keys() >= {*pair}},
        threshold=threshold,
        larger_threshold=connects_at(threshold),
        kinds={numbers[story.story_id]: family for story in stories if story.may_join and (family := _family(story))},
        apart=[_renamed(pair, numbers) for pair in apart if numbers.keys() >= {*pair}],
        together=[_renamed(pair, numbers) for pair in together],
    )
    alone = [[number] for number, story in enumerate(stories) if not story.may_join]
    return [[stories[number].story_id for number in group] for group in sorted([*groups, *alone])]


def _renamed(pair: IndexPair, numbers: Mapping[int, int]) -> IndexPair:
    return numbers[pair[0]], numbers[pair[1]]


def _family(story: GroupableStory) -> str | None:
    """The publisher family of a story that has a single, known one."""
    return next(iter(story.families)) or None if len(story.families) == 1 else None
