"""Which stories are one event."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scoop.core.event_groups import GroupableStory, group_stories


def a_story(story_id, *families, may_join=True):
    return GroupableStory(story_id=story_id, families=frozenset(families), may_join=may_join)


@st.composite
def streams(draw):
    """Stories of a few publishers, some of them unknown, and the probabilities of some pairs."""
    families = st.frozensets(st.sampled_from(["", "bbc", "cnn", "zeit"]), min_size=1, max_size=2)
    stories = [a_story(number, *draw(families), may_join=draw(st.integers(0, 4)) > 0) for number in range(8)]
    pairs = draw(st.lists(st.sampled_from([*combinations(range(8), 2)]), unique=True))
    probabilities = {pair: draw(st.sampled_from([0.3, 0.45, 0.6, 1.0])) for pair in pairs}
    apart = draw(st.lists(st.sampled_from([*combinations(range(8), 2)]), max_size=3))
    return stories, probabilities, apart


def test_two_publishers_with_a_probable_link_cover_one_event():
    assert group_stories([a_story(7, "bbc"), a_story(3, "cnn")], {(3, 7): 0.6}, (), 0.5) == [[7, 3]]


def test_the_series_of_one_publisher_is_not_an_event():
    series = [a_story(1, "bbc"), a_story(2, "bbc"), a_story(3, "bbc")]
    assert group_stories(series, {(1, 2): 1.0, (2, 3): 1.0, (1, 3): 1.0}, (), 0.5) == [[1], [2], [3]]


def test_two_stories_of_one_publisher_are_in_one_event_if_another_publisher_reports_both():
    stories = [a_story(1, "bbc"), a_story(2, "bbc"), a_story(3, "cnn")]
    assert group_stories(stories, {(1, 3): 0.8, (2, 3): 0.7}, (), 0.5) == [[1, 2, 3]]


def test_stories_of_unknown_publishers_are_grouped():
    assert group_stories([a_story(1, ""), a_story(2, "")], {(1, 2): 0.6}, (), 0.5) == [[1, 2]]


def test_a_story_of_two_publishers_is_grouped_with_one_of_either():
    assert group_stories([a_story(1, "bbc", "cnn"), a_story(2, "cnn")], {(1, 2): 0.6}, (), 0.5) == [[1, 2]]


def test_a_round_up_joins_no_event_however_probable():
    stories = [a_story(1, "bbc"), a_story(2, "cnn", may_join=False), a_story(3, "zeit")]
    assert group_stories(stories, {(1, 2): 1.0, (2, 3): 1.0, (1, 3): 0.9}, (), 0.5) == [[1, 3], [2]]


def test_an_event_is_joined_by_a_lower_mean_than_a_pair():
    stories = [a_story(1, "bbc"), a_story(2, "cnn"), a_story(3, "zeit")]
    assert group_stories(stories, {(1, 2): 0.9, (1, 3): 0.45, (2, 3): 0.4}, (), 0.5) == [[1, 2, 3]]
    assert group_stories(stories[::2], {(1, 3): 0.45}, (), 0.5) == [[1], [3]]


def test_an_event_is_cut_when_its_links_become_weaker():
    stories = [a_story(1, "bbc"), a_story(2, "cnn"), a_story(3, "zeit")]
    before = group_stories(stories, {(1, 2): 0.9, (1, 3): 0.8, (2, 3): 0.8}, (), 0.5)
    after = group_stories(stories, {(1, 2): 0.9, (1, 3): 0.3, (2, 3): 0.2}, (), 0.5)
    assert (before, after) == ([[1, 2, 3]], [[1, 2], [3]])


@given(streams())
def test_every_event_of_several_stories_has_two_publishers(stream):
    stories, probabilities, apart = stream
    by_id = {story.story_id: story for story in stories}
    for group in group_stories(stories, probabilities, apart, 0.5):
        if len(group) > 1:
            families = [family or f"unknown {story_id}" for story_id in group for family in by_id[story_id].families]
            assert len(set(families)) > 1
            assert all(by_id[story_id].may_join for story_id in group)
            assert not any({*pair} <= {*group} for pair in apart)


@given(streams())
def test_every_story_is_in_one_event_and_the_order_of_the_links_changes_nothing(stream):
    stories, probabilities, apart = stream
    groups = group_stories(stories, probabilities, apart, 0.5)
    assert sorted(story_id for group in groups for story_id in group) == [story.story_id for story in stories]
    assert group_stories(stories, dict(reversed(probabilities.items())), apart[::-1], 0.5) == groups
