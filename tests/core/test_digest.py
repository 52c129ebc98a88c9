"""What a digest makes of its candidates: what it tells, in which order, and the reason for each."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import digest, novelty
from scoop.core.digest import DigestCandidate, DigestChoice, PublishedStory
from scoop.core.digest_windows import DigestWindow
from scoop.core.novelty import DocumentVersion

END = datetime(2026, 11, 16, 8, tzinfo=UTC)
WINDOW = DigestWindow(start=END - timedelta(days=1), end=END)
YESTERDAY = date(2026, 11, 15)
FLOOD = "The river rose in the night. The fire brigade counted 12 houses under water."


def a_version(story_id=1, publisher="tribune", *, title="River rises", body=FLOOD, language="en") -> DocumentVersion:
    return DocumentVersion(
        version=f"{story_id}:{publisher}:{title}:{len(body)}",
        publisher=publisher,
        publisher_name=publisher.capitalize(),
        language=language,
        title=title,
        body=body,
    )


def a_candidate(story_id=1, *publishers: str, **changes) -> DigestCandidate:
    """A story of these publishers, two hours old when the digest is due."""
    names = publishers or (f"paper_{story_id}",)
    given = {
        "story_id": story_id,
        "coverage_id": story_id,
        "title": f"Story number {story_id}",
        "url_hash": bytes([story_id]),
        "first_seen_at": END - timedelta(hours=2),
        "last_seen_at": END - timedelta(hours=2),
        "publishers": names,
        "own_publisher": names[0],
        "weight": 1,
        "versions": tuple(a_version(story_id, name) for name in names),
    }
    return DigestCandidate(**(given | changes))


def told(candidate: DigestCandidate, run_date=YESTERDAY) -> PublishedStory:
    return PublishedStory(
        story_id=candidate.story_id,
        coverage_id=candidate.coverage_id,
        run_date=run_date,
        memory=novelty.remember(candidate.versions),
    )


def choose(*candidates: DigestCandidate, told=(), max_entries=12, max_per_family=3) -> dict[int, DigestChoice]:
    """The choices by story, in their order."""
    found = digest.choose(candidates, told, WINDOW, max_entries=max_entries, max_per_family=max_per_family)
    assert sorted(choice.story_id for choice in found) == sorted(each.story_id for each in candidates)
    return {choice.story_id: choice for choice in found}


def ranks(choices: dict[int, DigestChoice]) -> dict[int, int]:
    return {choice.story_id: choice.rank for choice in choices.values() if choice.rank is not None}


def test_nothing_gives_nothing():
    assert choose() == {}


def test_a_new_story_is_told_with_the_number_of_its_publishers():
    choices = choose(a_candidate(1, "tribune"), a_candidate(2, "herald", "post"))
    assert ranks(choices) == {2: 1, 1: 2}
    assert (choices[1].status, choices[1].reason) == ("new", "new, covered by 1 publisher")
    assert (choices[2].status, choices[2].reason) == ("new", "new, covered by 2 publishers")


@pytest.mark.parametrize(
    "better",
    [
        a_candidate(2, "herald", "post"),
        a_candidate(2, last_seen_at=END - timedelta(hours=1)),
        a_candidate(2, weight=3),
        a_candidate(2, points=500),
        a_candidate(2, relevance=0.9),
    ],
    ids=["more publishers", "newer", "more weight by rules", "points elsewhere", "more relevant"],
)
def test_what_matters_more_comes_first(better):
    choices = choose(a_candidate(1, relevance=None if better.relevance is None else 0.2), better)
    assert ranks(choices) == {2: 1, 1: 2}
    assert choices[2].score > choices[1].score


def test_among_equals_the_older_story_comes_first():
    assert list(choose(a_candidate(3), a_candidate(1), a_candidate(2))) == [1, 2, 3]


def test_a_suppressed_story_is_out_with_the_reason_that_was_given():
    choices = choose(a_candidate(1, suppression_reason="an advertisement"), a_candidate(2, suppression_reason=""))
    assert [choice.status for choice in choices.values()] == ["suppressed_manual"] * 2
    assert [choice.reason for choice in choices.values()] == [
        "suppressed: an advertisement",
        "suppressed: no reason given",
    ]
    assert ranks(choices) == {}


@pytest.mark.parametrize(
    "same",
    [
        {"url_hash": b"same"},
        {"own_publisher": "tribune", "title": "River  RISES"},
    ],
    ids=["one address", "one publisher's headline"],
)
def test_the_same_article_from_two_collections_is_told_once(same):
    first = a_candidate(1, "tribune", "post", title="River rises", url_hash=b"same")
    choices = choose(a_candidate(2, **same), first)
    assert ranks(choices) == {1: 1}
    assert (choices[2].status, choices[2].twin_of) == ("suppressed_duplicate", 1)
    assert choices[2].reason == "the same article as story 1"


def test_articles_without_an_address_are_not_the_same():
    assert len(ranks(choose(a_candidate(1, url_hash=None), a_candidate(2, url_hash=None)))) == 2


def test_two_publishers_may_have_the_same_headline():
    assert len(ranks(choose(a_candidate(1, title="Daily notes"), a_candidate(2, title="Daily notes")))) == 2


def test_a_suppressed_article_does_not_hide_its_double():
    choices = choose(
        a_candidate(1, "tribune", "post", url_hash=b"same", suppression_reason="dull"),
        a_candidate(2, url_hash=b"same"),
    )
    assert ranks(choices) == {2: 1}


def test_what_was_told_is_seen_while_nothing_is_new():
    before = a_candidate(1)
    earlier = [told(before, YESTERDAY - timedelta(days=2)), told(before)]
    choices = choose(before, a_candidate(2), told=earlier)
    assert (choices[1].status, choices[1].reason) == ("seen", "published on 2026-11-15; nothing new since")
    assert ranks(choices) == {2: 1}


def test_what_has_developed_is_told_again_with_what_changed():
    before = a_candidate(1, "tribune")
    update = a_version(1, "herald", title="River keeps rising", body="The brigade counted 40 houses under water.")
    now = a_candidate(1, "tribune", "herald", versions=(*before.versions, update))
    choice = choose(now, told=[told(before)])[1]
    assert (choice.status, choice.rank) == ("new", 1)
    assert "40 houses (was 12)" in choice.change
    assert choice.reason == f"developed since 2026-11-15: {choice.change}"


def test_what_developed_is_compared_with_all_that_was_told():
    before = a_candidate(1, "tribune")
    update = a_version(1, "herald", body="The brigade counted 40 houses under water.")
    now = a_candidate(1, "tribune", "herald", versions=(*before.versions, update))
    assert choose(now, told=[told(before, YESTERDAY - timedelta(days=1)), told(now)])[1].status == "seen"


def test_a_twin_of_what_was_told_yesterday_is_seen():
    assert choose(a_candidate(2, coverage_id=1), told=[told(a_candidate(1))])[2].status == "seen"


def test_twins_stand_beside_the_story_that_most_tell_and_share_its_rank():
    choices = choose(
        a_candidate(1, "tribune", coverage_id=9, last_seen_at=END),
        a_candidate(2, "herald", "post", coverage_id=9),
        a_candidate(3, "globe"),
    )
    assert list(choices) == [2, 1, 3]
    assert ranks(choices) == {2: 1, 1: 1, 3: 2}
    assert (choices[1].status, choices[1].twin_of) == ("possible_duplicate", 2)
    assert choices[1].reason == "probably the same event as story 2"
    assert choices[2].reason == "new, covered by 3 publishers"


def test_a_report_leads_before_a_video_that_more_publishers_have_if_the_lead_is_older():
    choices = choose(
        a_candidate(1, "tribune", "post", coverage_id=9, title="Watch: the flood from the air"),
        a_candidate(2, "herald", coverage_id=9, title="Flood puts 12 houses under water"),
    )
    assert list(choices) == [2, 1]
    assert choices[1].twin_of == 2


def test_an_event_counts_the_publishers_of_all_its_stories():
    event = [a_candidate(1, "a", "b", coverage_id=9), a_candidate(2, "c", "d", coverage_id=9)]
    assert ranks(choose(*event, a_candidate(3, "e", "f", "g"))) == {1: 1, 2: 1, 3: 2}


def test_a_digest_tells_so_many_events_and_names_those_it_leaves_out():
    event = [a_candidate(1, "a", "b", coverage_id=9), a_candidate(2, "c", coverage_id=9)]
    choices = choose(*event, a_candidate(3), a_candidate(4), a_candidate(5, coverage_id=4), max_entries=1)
    assert ranks(choices) == {1: 1, 2: 1}
    assert {choices[number].status for number in (3, 4, 5)} == {"new"}
    assert {choices[number].reason for number in (3, 4, 5)} == {"left out: 1 others matter more"}


def test_one_publisher_does_not_fill_a_digest():
    loud = [a_candidate(number, "tribune", weight=5) for number in (1, 2, 3)]
    choices = choose(*loud, a_candidate(4, "herald"), max_per_family=2, max_entries=3)
    assert ranks(choices) == {1: 1, 2: 2, 4: 3}
    assert choices[3].reason == "left out: Tribune has 2 better ones"


publishers = st.lists(st.sampled_from(ascii_lowercase[:6]), min_size=1, max_size=6, unique=True).map(tuple)
candidates = st.builds(
    lambda names, **given: a_candidate(1, *names, **given),
    publishers,
    coverage_id=st.integers(1, 6),
    title=st.sampled_from(["River rises", "river RISES", "Bridge closed", ""]),
    url_hash=st.sampled_from([None, b"1", b"2", b"3"]),
    last_seen_at=st.integers(-5_000, 5_000).map(lambda minutes: END + timedelta(minutes=minutes)),
    weight=st.integers(0, 32_767),
    points=st.integers(-5, 10_000_000),
    relevance=st.none() | st.floats(0, 1),
    suppression_reason=st.sampled_from([None, None, None, "dull"]),
)


def numbered(found: list[DigestCandidate]) -> list[DigestCandidate]:
    return [replace(each, story_id=number) for number, each in enumerate(found, start=1)]


fields_of_candidates = st.lists(candidates, max_size=12).map(numbered)


@given(candidates, st.integers(1, 1000))
def test_a_score_lies_between_0_and_1_and_so_do_its_parts(candidate, count):
    total, parts = digest.score(candidate, count, WINDOW)
    assert 0 <= total <= 1
    assert all(0 <= part <= 1 for part in parts.values())
    assert {"publishers", "recency", "weight"} <= parts.keys()
    assert ("points" in parts, "relevance" in parts) == (candidate.points > 0, candidate.relevance is not None)


@given(fields_of_candidates, st.data(), st.integers(1, 5), st.integers(1, 3))
def test_the_order_in_which_candidates_come_does_not_matter(found, data, max_entries, max_per_family):
    limits = {"max_entries": max_entries, "max_per_family": max_per_family}
    known = [told(each) for each in found[::3]]
    shuffled = data.draw(st.permutations(found))
    assert list(choose(*found, told=known, **limits).values()) == list(choose(*shuffled, told=known, **limits).values())


@given(fields_of_candidates, st.integers(1, 5), st.integers(1, 3))
def test_every_candidate_gets_one_choice_within_the_limits(found, max_entries, max_per_family):
    choices = choose(
        *found, told=[told(each) for each in found[::4]], max_entries=max_entries, max_per_family=max_per_family
    )
    leading = [choice for choice in choices.values() if choice.rank is not None and choice.twin_of is None]
    assert [choice.rank for choice in leading] == list(range(1, len(leading) + 1))
    assert len(leading) <= max_entries
    own = [found[choice.story_id - 1].own_publisher for choice in leading]
    assert all(own.count(name) <= max_per_family for name in own)
    for choice in choices.values():
        assert choice.reason
        assert choice.score_parts
        if choice.status == "possible_duplicate":
            assert choice.rank == choices[choice.twin_of].rank
            assert choices[choice.twin_of].twin_of is None
