"""Reading an older system's lines, and comparing its digests with ours."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import acceptance, handover, handover_lines
from scoop.core.acceptance import Counts
from scoop.core.handover import ComparisonFigures, Known, LegacyItem, ScoopCandidate, Sides

MONDAY, TUESDAY = date(2026, 11, 16), date(2026, 11, 17)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([
    "topic", "date", "items", "title", "headline", "url", "link", "canonical_url", "id", "hash", "ts", "seen_at",
    "posted_at", "source",
])  # fmt: skip


# Lines


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"topic": "ai_news", "date": "2026-11-16", "items": []}, "digests"),
        ({"topic": "ai_news", "date": "2026-11-16", "title": "A"}, "digests"),
        ({"topic": "ai_news", "date": "2026-11-16T09:00:00Z", "url": "https://a.example/1"}, "dedup"),
        ({"url": "https://a.example/1", "date": "2026-11-16"}, "dedup"),
        ({"id": "x", "ts": 1_763_280_000}, "dedup"),
    ],
)
def test_a_line_tells_what_its_file_holds(line, kind):
    assert handover_lines.kind(line) == kind


def test_a_seen_item_is_known_by_its_address_however_that_is_written():
    one = handover_lines.seen({"link": "https://A.example/1?utm_source=feed", "ts": 1_763_280_000}, "{}")
    other = handover_lines.seen({"canonical_url": "https://a.example/1", "headline": " One\n two "}, "{}")
    assert one.key == other.key == one.canonical_url_hash
    assert (one.seen_at, other.title) == (datetime(2025, 11, 16, 8, tzinfo=UTC), "One two")


def test_the_items_of_a_digest_are_numbered_and_the_bad_ones_told():
    items = [
        {"title": "A", "url": "https://a.example/1"},
        {"title": "A again", "url": "https://a.example/1#top"},
        {"source": "x"},
        {"title": "B", "url": "no url"},
        "C",
        {"headline": "D"},
    ]
    found, problems = handover_lines.posted({"topic": "ai_news", "date": "2026-11-16", "items": items})
    assert [(each.title, each.position, each.copy) for each in found] == [("A", 1, 1), ("A again", 2, 2), ("D", 3, 1)]
    assert [problem.split()[0] for problem in problems] == ["items[2]", "items[3]", "items[4]"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({}, "has neither an id"),
        ({"title": 3}, "its title is 3, which is not text"),
        ({"url": "x"}, "is not a URL"),
        ({"id": "x", "ts": "soon"}, "its ts is 'soon', which is not a time"),
    ],
)
def test_a_line_that_is_no_item_is_refused_with_the_reason(line, told):
    with pytest.raises(ValueError, match=told):
        handover_lines.seen(line, "{}")


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_whatever_a_line_says_it_is_read_or_refused(line):
    handover_lines.kind(line)
    for read in (lambda: handover_lines.seen(line, ""), lambda: handover_lines.posted(line)):
        with suppress(ValueError):
            read()


# Places


def an_item(position=1, /, title="Library of Ostburg burns down overnight", day=MONDAY, url_hash=None):
    return LegacyItem(
        run_date=day,
        position=position,
        title=title,
        url=None,
        canonical_url_hash=url_hash,
        normalized_title=title.lower(),
        posted_at=datetime(2026, 11, 16, 8, tzinfo=UTC),
        source=None,
    )


def a_known(story_id, title="Something else that nobody would mix up", **changes):
    known = {"coverage_id": story_id, "is_of_topic": True, "canonical_url_hash": None} | changes
    return Known(story_id=story_id, title=title, **known)


def test_an_item_is_placed_by_its_address_first_then_by_its_headline():
    by_url, titled = a_known(1), a_known(2, "Library of Ostburg burns down overnight - The Tribune")
    assert handover.placed(an_item(url_hash=b"x"), {b"x": by_url}, [titled]) == by_url
    assert handover.placed(an_item(url_hash=b"y"), {b"x": by_url}, [by_url, titled]) == titled
    assert handover.placed(an_item(title="Library of Ostburg burned down overnight"), {}, [by_url]) is None


def test_neither_a_short_title_nor_other_figures_make_an_item_one_of_ours():
    for one, other in [
        ("Morning briefing", "Morning briefing"),
        ("Quake kills 3 in the north", "Quake kills 30 in the north"),
    ]:
        assert handover.placed(an_item(title=one), {}, [a_known(1, other)]) is None


# Comparisons


def an_entry(story_id, rank=None, status="new", reason="", **changes):
    entry = {"coverage_id": story_id, "change": "", "url": None, "is_known_to_legacy": False} | changes
    return ScoopCandidate(
        story_id=story_id, rank=rank, status=status, reason=reason, title=f"Story {story_id}", **entry
    )


def a_day(stories, entries=(), *, day=MONDAY, mode="shadow", told_before=None):
    items = [
        (an_item(place, title=f"Item {place} of {day}", day=day), None if story is None else a_known(story))
        for place, story in enumerate(stories, start=1)
    ]
    return Sides(run_date=day, items=items, mode=mode, entries=entries, told_before=told_before or {})


def compared(*days, since=MONDAY):
    return handover.compare("ai_news", days, since=since)


def test_each_item_is_told_by_both_or_missed_with_the_reason():
    entries = [
        an_entry(1, rank=1),
        an_entry(9, rank=2),
        an_entry(3, status="seen", reason="published on 2026-11-15; nothing new since"),
        an_entry(4, reason="left out: 12 others matter more"),
    ]
    found = compared(a_day([1, 2, 3, 4, 5, None], entries, told_before={2: date(2026, 11, 15)}))
    assert [(line.verdict, line.note) for line in found.days[0].legacy] == [
        ("shared", ""),
        ("told_before", "published on 2026-11-15"),
        ("explained", "published on 2026-11-15; nothing new since"),
        ("missed", "left out: 12 others matter more"),
        ("missed", "story 5 had nothing new in the window"),
        ("missed", "nothing like it has arrived"),
    ]
    assert [line.verdict for line in found.days[0].ours] == ["shared", "extra"]
    figures = found.figures
    assert (figures.overlap_rate, figures.explained, figures.missed, figures.extras) == (2 / 6, 1, 3, 1)


def test_a_story_of_the_same_event_counts_as_told():
    entries = [an_entry(1, rank=1), an_entry(2, rank=1, coverage_id=1, status="possible_duplicate")]
    sides = a_day([], entries)
    items = [(an_item(), a_known(2, coverage_id=1))]
    found = compared(Sides(run_date=MONDAY, items=items, mode="live", entries=entries, told_before=sides.told_before))
    assert (found.figures.overlap, found.figures.our_stories, found.figures.extras) == (1, 1, 0)


def test_what_is_told_twice_is_counted_on_both_sides():
    ours = [an_entry(1, rank=1), an_entry(2, rank=2), an_entry(7, rank=3, coverage_id=2)]
    found = compared(
        a_day([1, 1, 2], [an_entry(1, rank=1)]),
        a_day([1, 2, 3], ours, day=TUESDAY, told_before={1: MONDAY}),
    )
    monday, tuesday = (day.figures for day in found.days)
    assert (monday.legacy_doubles, monday.legacy_repeats, monday.legacy_stories) == (1, 0, 2)
    assert (tuesday.legacy_doubles, tuesday.legacy_repeats) == (0, 2)
    assert (tuesday.our_doubles, tuesday.our_repeats) == (1, 1)
    assert found.figures.legacy_duplicate_rate == 3 / 6


def test_what_has_developed_is_no_repetition():
    told = an_entry(1, rank=1, change="41 injured (was 3)")
    found = compared(
        a_day([1], [an_entry(1, rank=1)]), a_day([1], [told], day=TUESDAY, told_before={1: MONDAY}), since=TUESDAY
    )
    assert (found.figures.legacy_repeats, found.figures.our_repeats, len(found.days)) == (0, 0, 1)


def test_what_readers_have_forgotten_is_no_repetition():
    later = MONDAY + timedelta(days=4)
    assert compared(a_day([1]), a_day([1], day=later)).days[1].legacy[0].repeats is None


def test_items_that_nobody_knows_are_doubles_by_their_headlines():
    title = "Night fire destroys ninety thousand books in Ostburg"
    items = [(an_item(1, title=title), None), (an_item(2, title=f"{title} | The Post"), None)]
    found = compared(Sides(run_date=MONDAY, items=items, mode="live", told_before={}))
    assert [line.verdict for line in found.days[0].legacy] == ["missed", "double"]


def test_a_date_without_our_digest_is_shown_and_not_counted():
    found = compared(a_day([1, None], mode=None))
    assert [line.verdict for line in found.days[0].legacy] == ["uncompared", "uncompared"]
    assert found.figures == ComparisonFigures()
    assert found.figures.overlap_rate is None


@given(
    st.lists(st.none() | st.integers(1, 6), max_size=8),
    st.lists(st.tuples(st.integers(1, 6), st.none() | st.integers(1, 5)), max_size=8, unique_by=lambda pair: pair[0]),
)
def test_every_story_of_a_digest_is_counted_once(stories, chosen):
    entries = [an_entry(story, rank=rank) for story, rank in sorted(chosen, key=lambda pair: (pair[1] or 99, pair[0]))]
    figures = compared(a_day(stories, entries)).figures
    assert figures.overlap + figures.explained + figures.missed == figures.legacy_stories
    assert figures.legacy_stories + figures.legacy_doubles == len(stories)
    assert figures.our_stories + figures.our_doubles == len({rank for _, rank in chosen if rank})


def test_the_page_shows_titles_as_text_and_needs_nothing_from_elsewhere():
    item = an_item(title="<script>alert(1)</script> Ostburg & its library burn down")
    sides = Sides(run_date=MONDAY, items=[(item, None)], mode="live", entries=[an_entry(1, rank=1)], told_before={})
    page = handover.page(compared(sides))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; Ostburg &amp; its" in page
    assert "<script" not in page
    assert not any(outside in page for outside in ("src=", "<link", "@import", "url("))
    assert "prefers-color-scheme: dark" in page


# Acceptance

GOOD = Counts(
    sources=3,
    unvisited=[],
    runs=9,
    short_runs=[],
    quarantined=0,
    items=1000,
    documents=995,
    embedded=990,
    published=12,
    repeated=0,
)
COMPARED = [ComparisonFigures(legacy_items=10, legacy_doubles=2, legacy_repeats=1, our_stories=10, our_repeats=1)]


def outcomes(counts=GOOD, compared=COMPARED, programs=None):
    return [check.outcome for check in acceptance.checks(counts, compared, programs or {"ai_news": "/bin/post"})]


def test_a_sound_desk_is_accepted():
    assert outcomes() == ["pass"] * 6


def test_an_empty_desk_cannot_be_judged():
    empty = Counts(**{name: [] if name in {"unvisited", "short_runs"} else 0 for name in Counts.__slots__})
    checks = acceptance.checks(empty, [], {})
    assert {check.outcome for check in checks} == {"n/a"}
    assert checks[3].figure.startswith("no legacy digest was imported")


@pytest.mark.parametrize(
    ("changes", "failing"),
    [
        ({"unvisited": ["tribune"]}, 0),
        ({"short_runs": [7]}, 0),
        ({"quarantined": 1}, 0),
        ({"documents": 989, "embedded": 989}, 1),
        ({"embedded": 985}, 2),
        ({"repeated": 1}, 4),
    ],
)
def test_what_does_not_hold_fails(changes, failing):
    counts = Counts(**{name: getattr(GOOD, name) for name in Counts.__slots__} | changes)
    assert [index for index, outcome in enumerate(outcomes(counts)) if outcome == "fail"] == [failing]


def test_a_desk_that_tells_more_twice_than_before_fails_as_does_one_without_a_way_back():
    worse = [ComparisonFigures(legacy_items=10, legacy_doubles=1, our_stories=10, our_repeats=2)]
    assert outcomes(compared=worse)[3] == "fail"
    assert outcomes(programs={"ai_news": None})[5] == "fail"
