"""Which documents are one story, by what they share and by what people said."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scoop.core.dedup import SIGNALS, DedupDocument, HumanVerdict, Match, NewStory, judge, named_story_ids

START = datetime(2026, 11, 15, tzinfo=UTC)


def a_reading(document_id, *, url=None, story=None):
    return DedupDocument(
        document_id=document_id,
        collection="world_news",
        source="tribune",
        source_item_id=str(document_id),
        title="Bridge closed",
        canonical_url=url,
        canonical_url_hash=url.encode() if url else None,
        seen_at=START,
        publisher_family="tribune",
        native_ids=(),
        content_hash=b"",
        token_count=0,
        story_id=story,
    )


def test_a_shared_url_joins_only_documents_with_the_same_title():
    shared = frozenset({b"https://e.example/"})
    posts = [
        replace(a_reading(number, url="https://e.example/"), title_hash=title, shared_url_hashes=shared)
        for number, title in ((1, b"one"), (2, b"two"), (3, b"one"))
    ]
    _, held = judged(posts)
    assert held == {frozenset({1, 3}), frozenset({2})}


def a_match(one, other, *, story=None, signal="near_copy", score=1.0):
    return Match(document_id=one, matched_document_id=other, story_id=story, signal=signal, score=score)


def said(one, other, *, same, stories=(None, None)):
    return HumanVerdict(
        one_document_id=one, one_story_id=stories[0], other_document_id=other, other_story_id=stories[1], is_same=same
    )


def judged(readings, matches=(), verdicts=()):
    """The groups, and each as what it holds: documents at hand and, as their negatives, stories."""
    ages = {story: START + timedelta(days=story) for story in named_story_ids(readings, matches, verdicts)}
    groups = judge(readings, matches, ages, verdicts)
    return groups, {holding(group) for group in groups}


def holding(group):
    documents = {joining.document_id for joining in group.joining} | set(group.changed_document_ids)
    if isinstance(group.story, NewStory):
        return frozenset(documents | {group.story.seed.document_id})
    return frozenset(documents | {-story for story in (group.story, *group.absorbed_story_ids)})


def test_documents_that_a_person_called_one_story_are_one_whatever_they_share():
    (group,), _ = judged([a_reading(1), a_reading(2)], verdicts=[said(1, 2, same=True)])
    (joining,) = group.joining
    assert (joining.document_id, joining.matched_document_id, joining.signal) == (2, 1, "manual")


def test_what_ties_two_stories_together_is_told_and_not_what_a_person_tied_before():
    verdicts = [said(1, 50, same=True, stories=(5, 5))]
    (group,), held = judged([a_reading(1, story=5)], [a_match(1, 60, story=6)], verdicts)
    assert held == {frozenset({1, -5, -6})}
    assert [joining.signal for joining in group.bridges] == ["near_copy"]


def test_a_document_joins_the_story_that_a_person_named_and_that_story_only():
    matches = [a_match(1, 50, story=5), a_match(1, 60, story=6)]
    verdicts = [said(1, 50, same=True, stories=(None, 5)), said(50, 60, same=False, stories=(5, 6))]
    _, held = judged([a_reading(1)], matches, verdicts)
    assert held == {frozenset({1, -5})}


def test_documents_kept_apart_stay_so_even_with_one_url():
    readings = [a_reading(1, url="a"), a_reading(2, url="a"), a_reading(3, url="a")]
    assert judged(readings, verdicts=[said(1, 2, same=False)])[1] == {frozenset({1, 3}), frozenset({2})}
    assert judged(readings, verdicts=[said(1, 3, same=False)])[1] == {frozenset({1, 2}), frozenset({3})}
    apart = [said(1, 2, same=False), said(1, 3, same=False)]
    assert judged(readings, verdicts=apart)[1] == {frozenset({1}), frozenset({2, 3})}


def test_a_document_between_two_stories_kept_apart_goes_with_the_stronger_reason():
    matches = [a_match(1, 60, story=6, signal="semantic"), a_match(1, 50, story=5, signal="near_copy", score=0.5)]
    (group,), held = judged([a_reading(1)], matches, [said(51, 61, same=False, stories=(5, 6))])
    assert held == {frozenset({1, -5})}
    assert group.joining[0].signal == "near_copy"


def test_the_reason_that_is_told_is_not_one_that_was_overruled():
    matches = [a_match(1, 50, story=5, signal="exact_url"), a_match(1, 60, story=6, signal="semantic")]
    (group,), held = judged([a_reading(1)], matches, [said(1, 51, same=False, stories=(None, 5))])
    assert held == {frozenset({1, -6})}
    assert group.joining[0].signal == "semantic"


def test_a_match_that_only_one_of_two_documents_knows_of_joins_both():
    (group,), held = judged([a_reading(1), a_reading(2)], [a_match(1, 2)])
    assert held == {frozenset({1, 2})}
    assert group.joining[0].matched_document_id == 1


@st.composite
def cases(draw):
    """Documents, some in stories, with identities, matches and what people said; never both of one pair."""
    documents = draw(st.lists(st.integers(1, 9), unique=True, min_size=1, max_size=7))
    stories = st.none() | st.integers(1, 4)
    readings = [
        a_reading(document, url=draw(st.none() | st.sampled_from("ab")), story=draw(stories)) for document in documents
    ]
    outside = {100 + number: draw(st.integers(1, 6)) for number in range(4)}
    home = {reading.document_id: reading.story_id for reading in readings} | outside
    pairs = list(combinations(sorted(home), 2))
    matches = [
        a_match(one, other, story=outside.get(other), signal=draw(st.sampled_from(SIGNALS[1:])))
        for one, other in (draw(st.lists(st.sampled_from(pairs), max_size=8)) if pairs else [])
        if one not in outside
    ]
    told = draw(st.dictionaries(st.sampled_from(pairs), st.booleans(), max_size=5)) if pairs else {}
    verdicts = [
        said(one, other, same=same, stories=(home[one], home[other]))
        for (one, other), same in told.items()
        if same or home[one] is None or home[one] != home[other]
    ]
    return readings, matches, verdicts


@given(cases())
def test_no_story_ever_holds_two_that_a_person_kept_apart(case):
    readings, matches, verdicts = case
    _, held = judged(readings, matches, verdicts)
    at_hand = {reading.document_id for reading in readings}

    def places(document, story):
        return {document} if document in at_hand else {-story} if story else set()

    for verdict in verdicts:
        if not verdict.is_same:
            one = places(verdict.one_document_id, verdict.one_story_id)
            other = places(verdict.other_document_id, verdict.other_story_id)
            assert not any(group & one and group & other for group in held)


@given(cases())
def test_every_document_is_in_one_story_and_every_reason_leads_into_it(case):
    readings, matches, verdicts = case
    groups, held = judged(readings, matches, verdicts)
    documents = [name for group in held for name in group if name > 0]
    assert sorted(documents) == sorted(reading.document_id for reading in readings)
    home = {match.matched_document_id: -match.story_id for match in matches if match.story_id is not None}
    for verdict in verdicts:
        sides = (verdict.one_document_id, verdict.one_story_id), (verdict.other_document_id, verdict.other_story_id)
        home |= {document: -story for document, story in sides if story}
    at_hand = set(documents)
    for group in groups:
        for joining in (*group.joining, *group.bridges):
            other = joining.matched_document_id
            assert (other if other in at_hand else home[other]) in holding(group)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_what_is_known_changes_nothing(case, chance):
    before = judged(*case)[1]
    for part in case:
        chance.shuffle(part)
    assert judged(*case)[1] == before


@given(cases())
def test_without_verdicts_all_that_hangs_together_is_one_story(case):
    readings, matches, _ = case
    assert judged(readings, matches)[1] == {group for group in hanging_together(readings, matches) if max(group) > 0}


def hanging_together(readings, matches):
    """The same, by joining whatever touches until nothing does."""
    by_url = {}
    for reading in readings:
        by_url.setdefault(reading.canonical_url, set()).add(reading.document_id)
    by_url.pop(None, None)
    parts = [{reading.document_id} | ({-reading.story_id} if reading.story_id else set()) for reading in readings]
    parts += [
        {match.document_id, match.matched_document_id if match.story_id is None else -match.story_id}
        for match in matches
    ]
    groups = []
    for part in (*parts, *by_url.values()):
        touched = [group for group in groups if group & part]
        groups = [group for group in groups if not group & part] + [part.union(*touched)]
    return {frozenset(group) for group in groups}
