"""Which story leads an event, which id a regrouped one keeps, and when it is new, developing or quiet."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import events
from scoop.core.events import LeadCandidate, PlacedStory

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def a_candidate(story_id, title="Flood closes the old bridge in Ostburg", **changes):
    values = {
        "url": f"https://paper{story_id}.example/{story_id}",
        "language": "en",
        "publisher_family_count": 1,
        "first_seen_at": NOW,
        "centrality": 0.8,
    } | changes
    return LeadCandidate(story_id=story_id, title=title, **values)


def a_story(story_id, event_id=None, *, items=1, may_return=True):
    return PlacedStory(story_id=story_id, event_id=event_id or story_id, item_count=items, may_return=may_return)


def test_the_most_central_story_leads():
    assert events.choose_lead([a_candidate(1, centrality=0.6), a_candidate(2, centrality=0.9)]) == 2


def test_of_equally_central_stories_the_one_of_most_publishers_leads():
    assert events.choose_lead([a_candidate(1), a_candidate(2, publisher_family_count=4)]) == 2


def test_of_equals_the_earliest_leads():
    assert (
        events.choose_lead([a_candidate(1, first_seen_at=NOW), a_candidate(2, first_seen_at=NOW - timedelta(1))]) == 2
    )


@pytest.mark.parametrize(
    "title",
    [
        "Live updates: flood in Ostburg",
        "VIDEO: Flood closes the old bridge in Ostburg",
        "In pictures: the flood of Ostburg",
        "Why did the old bridge in Ostburg close?",
        "\u2018I lost everything\u2019: the flood of Ostburg",
        "Mayor reacts to flood that closed the old bridge in Ostburg",
        "Flood",
    ],
)
def test_a_side_piece_does_not_lead_where_there_is_a_report(title):
    side_piece = a_candidate(1, title, centrality=0.9, publisher_family_count=2)
    assert events.choose_lead([side_piece, a_candidate(2, centrality=0.8)]) == 2


def test_a_video_leads_where_there_is_nothing_else():
    assert events.choose_lead([a_candidate(1, "VIDEO: Flood closes the old bridge")]) == 1


def test_a_lead_stays_until_another_is_clearly_better():
    slightly, clearly = a_candidate(2, centrality=0.88), a_candidate(3, centrality=0.8, publisher_family_count=6)
    assert events.choose_lead([a_candidate(1), slightly], current=1) == 1
    assert events.choose_lead([a_candidate(1), clearly], current=1) == 3


def test_the_choice_of_a_person_leads_as_long_as_it_is_in_the_event():
    candidates = [a_candidate(1, centrality=0.9), a_candidate(2, "Why it closed", centrality=0.2)]
    assert events.choose_lead(candidates, current=1, chosen=2) == 2
    assert events.choose_lead(candidates[:1], current=1, chosen=2) == 1


def test_every_language_has_a_lead_of_its_own():
    candidates = [a_candidate(1), a_candidate(2, language="de", centrality=0.5), a_candidate(3, language="de")]
    assert events.choose_leads(candidates) == {"en": 1, "de": 3}


def test_a_language_that_has_no_report_has_no_lead():
    candidates = [a_candidate(1), a_candidate(2, "Video: So lief das Hochwasser ab", language="de")]
    assert events.choose_leads(candidates) == {"en": 1}


def test_an_event_grows_under_its_id():
    regrouping = events.regroup([[a_story(1, 1), a_story(2, 1), a_story(3)]])
    assert regrouping.event_by_story == {1: 1, 2: 1, 3: 1}
    assert regrouping.merged == {3: 1}


def test_of_two_events_that_become_one_the_older_stays():
    assert events.regroup([[a_story(2, 2), a_story(9, 9, items=50)]]).merged == {9: 2}


def test_an_event_goes_on_where_most_of_its_documents_are():
    regrouping = events.regroup([[a_story(1, 1)], [a_story(2, 1), a_story(3, 1)]])
    assert regrouping.event_by_story[2] == regrouping.event_by_story[3] == 1
    assert regrouping.event_by_story[1] in regrouping.opened


def test_a_story_that_leaves_gets_back_the_event_that_it_founded():
    regrouping = events.regroup([[a_story(1, 1), a_story(2, 1)], [a_story(3, 1)]])
    assert regrouping.event_by_story[3] == 3
    assert regrouping.revived == {3}


def test_an_event_that_its_founder_left_is_not_given_away():
    regrouping = events.regroup([[a_story(5, 9, may_return=False)], [a_story(9, 9, items=3)]])
    assert regrouping.event_by_story[5] in regrouping.opened


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.lists(st.integers(1, 12), min_size=12, max_size=12))
def test_however_stories_are_regrouped_groups_have_different_events_and_no_merged_one_is_in_use(labels, before):
    stories = [a_story(number, min(before[number - 1], number)) for number in range(1, len(labels) + 1)]
    groups: dict[int, list[PlacedStory]] = {}
    for story, label in zip(stories, labels, strict=True):
        groups.setdefault(label, []).append(story)
    regrouping = events.regroup(list(groups.values()))
    names = [{regrouping.event_by_story[story.story_id] for story in group} for group in groups.values()]
    assert all(len(name) == 1 for name in names)
    used = set().union(*names)
    assert len(used) == len(groups)
    assert not used & regrouping.merged.keys()
    assert set(regrouping.merged.values()) <= used
    assert {story.event_id for story in stories} <= used | regrouping.merged.keys()


@pytest.mark.parametrize(
    ("first_hours", "last_hours", "developed_hours", "expected"),
    [(2, 1, 2, "new"), (30, 1, 3, "developing"), (30, 1, 30, "quiet"), (30, 30, 1, "quiet"), (72, 50, 40, "quiet")],
)
def test_an_event_is_new_then_developing_then_quiet(first_hours, last_hours, developed_hours, expected):
    moment = {
        "first_seen_at": NOW - timedelta(hours=first_hours),
        "last_seen_at": NOW - timedelta(hours=last_hours),
        "created_at": NOW - timedelta(hours=first_hours),
        "developed_at": NOW - timedelta(hours=developed_hours),
    }
    assert events.status(**moment, now=NOW) == expected


@pytest.mark.parametrize(
    ("known", "families", "has_new_story", "hours", "expected"),
    [
        (1, 2, True, 0, True),
        (3, 5, True, 1, False),
        (3, 6, True, 1, True),
        (5, 5, True, 13, True),
        (5, 5, False, 50, False),
    ],
)
def test_an_event_develops_when_twice_as_many_report_it_or_a_story_comes_half_a_day_later(
    known, families, has_new_story, hours, expected
):
    assert (
        events.has_developed(
            known_families=known,
            families=families,
            has_new_story=has_new_story,
            developed_at=NOW - timedelta(hours=hours),
            now=NOW,
        )
        is expected
    )
