"""What is sought, as it is understood; what is found, as it is shown."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import highlights, search, spelling
from scoop.core.search import Query, Term

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def words(typed):
    return [[term.words for term in terms] for terms in search.parse_query(typed).alternatives]


# The query


def test_all_words_are_wanted_whatever_their_case():
    assert words("Harbour  STRIKE") == [[("harbour",), ("strike",)]]


def test_what_stands_in_quotes_is_a_phrase_even_if_the_last_quote_is_missing():
    sought = search.parse_query('"Harbour strike" pay "open ended')
    assert sought.alternatives == (
        (Term(("harbour", "strike"), is_quoted=True), Term(("pay",)), Term(("open", "ended"), is_quoted=True)),
    )
    assert sought.is_literal


def test_what_is_typed_as_one_stays_together():
    assert words("covid-19 don't") == [[("covid", "19"), ("dont",)]]


def test_a_minus_excludes_a_word_or_a_phrase():
    sought = search.parse_query('strike -football -"pay rise"')
    assert [term.words for term in sought.excluded] == [("football",), ("pay", "rise")]
    assert sought.plain == "strike"
    assert not sought.is_literal


def test_or_parts_alternatives_and_is_a_word_in_small_letters():
    assert words("strike pay OR walkout") == [[("strike",), ("pay",)], [("walkout",)]]
    assert words("this or that") == [[("this",), ("or",), ("that",)]]


@pytest.mark.parametrize("typed", ["", "  ", "OR", "OR OR", "-", '"', '""', "-foo", "!!! & | :*", "\x00", "-OR"])
def test_without_a_word_nothing_is_sought(typed):
    assert search.parse_query(typed).is_empty


def test_fields_narrow_a_query_and_are_not_words():
    sought = search.parse_query('strike source:coastal_tribune Lang:de collection:"my town" after:2026-11-01')
    assert sought.plain == "strike"
    assert sought.fields == (
        ("source", "coastal_tribune"), ("lang", "de"), ("collection", "my town"), ("after", "2026-11-01"),
    )  # fmt: skip
    assert sought.hints == ()


def test_fields_become_filters_and_replace_those_given_beside_the_text():
    query = Query(text="source:a after:2026-11-14 before:2026-11-15", source="b", timezone=ZoneInfo("Asia/Tokyo"))
    narrowed = search.narrow_query(query, search.parse_query(query.text))
    assert narrowed.source == "a"
    assert narrowed.since == datetime(2026, 11, 13, 15, tzinfo=UTC)
    assert narrowed.until == datetime(2026, 11, 14, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("after:soon", "after:soon is not a day; write it as after:2026-11-15."),
        ("before:9999-12-31", "before:9999-12-31 is not a day; write it as before:2026-11-15."),
        ("source:a source:b", "The field 'source' can be given only once."),
    ],
)
def test_a_wrong_field_is_refused_with_what_to_write(typed, said):
    with pytest.raises(ValueError, match="^" + re.escape(said)):
        search.narrow_query(Query(text=typed), search.parse_query(typed))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("sorce:bbc", "There is no field 'sorce'; did you mean source? It was searched as words."),
        ("site:bbc", f"There is no field 'site'; there are: {search.SHOWN_FIELDS}. It was searched as words."),
        ("-source:bbc", "A field cannot be excluded: -source:bbc was read as words."),
    ],
)
def test_an_unknown_field_is_searched_as_words_and_named(typed, said):
    assert search.parse_query(f"{typed} strike").hints == (said,)
    assert search.parse_query(f"{typed} strike").fields == ()


@pytest.mark.parametrize("typed", ["https://bbc.example/a", "Re:Zero", "10:30", "Ferry: fire", "source: strike", "a:"])
def test_a_colon_alone_makes_no_field(typed):
    sought = search.parse_query(typed)
    assert (sought.fields, sought.hints) == ((), ())
    assert not sought.is_empty


@given(st.text(max_size=100))
def test_whatever_follows_a_field_is_a_filter_or_a_reason(value):
    sought = search.parse_query(f"after:{value} source:{value}")
    try:
        search.narrow_query(Query(text=""), sought)
    except ValueError as error:
        assert str(error)  # noqa: PT017


def test_what_is_too_long_is_cut():
    many = search.parse_query(" ".join(f"w{number}" for number in range(100)))
    assert (len(many.words), many.is_cut) == (search.MAX_WORDS, True)
    assert search.parse_query("word " * 200).is_cut
    assert not search.parse_query("harbour strike").is_cut


def test_unspaced_scripts_are_pairs_of_signs_that_follow_one_another():
    assert words("東京都 서울에서 bahn") == [[("東京", "京都"), ("서울", "울에", "에서"), ("bahn",)]]


def test_a_query_as_postgresql_reads_it():
    forms = {"striking": {"strike", "striking"}, "pay": {"pay"}, "football": {"football"}, "東": {"東"}}.__getitem__
    assert search.tsquery(search.parse_query("striking pay -football"), forms) == (
        "(((('strike' | 'striking')) & (('pay')))) & !(('football'))"
    )
    assert search.tsquery(search.parse_query('"striking pay"'), forms) == "(((('strike' | 'striking') <-> ('pay'))))"
    assert search.tsquery(search.parse_query("東"), forms) == "(((('東':*))))"
    assert search.excluded_tsquery(search.parse_query("pay"), forms) is None


def test_an_index_is_asked_for_the_words_of_a_phrase_wherever_they_stand():
    sought = search.parse_query('"a b" -c -"d e"')
    assert search.index_tsquery(sought, lambda word: [word]) == "(((('a') & ('b')))) & !(('c'))"
    assert sought.has_phrases
    assert not search.parse_query("a b -c").has_phrases


@given(st.text(max_size=600))
def test_no_text_breaks_a_query_or_carries_anything_but_words_into_it(typed):
    sought = search.parse_query(typed)
    if not sought.is_empty:
        written = search.tsquery(sought, lambda word: [search.strip_accents(word)])
        lexemes = written.split("'")[1::2]
        assert all(lexeme and not set(lexeme) & set("\\ \x00&|!<>()") for lexeme in lexemes)


# The words of a document


def test_a_document_is_known_by_its_words_and_where_they_stand():
    body = ["closed", *["x"] * search.LEAD_WORDS, "late"]
    written = search.tsvector(["bridge", "closed"], body, {word: word.upper() for word in ("bridge", *body)})
    places = dict(each.rsplit(":", 1) for each in written.split(" "))
    assert places["'BRIDGE'"] == "1A"
    assert places["'CLOSED'"] == "2A,12B"
    assert places["'LATE'"] == str(12 + search.LEAD_WORDS + 1)
    assert len(places["'X'"].split(",")) == search.LEAD_WORDS


def test_of_a_word_without_end_only_some_places_are_kept():
    assert search.tsvector([], ["x"] * 5_000, {"x": "x"}).count(",") == search.MAX_POSITIONS - 1


@pytest.mark.parametrize(
    ("word", "plain"),
    [("crème", "creme"), ("müller", "muller"), ("ёлка", "елка"), ("ガス", "ガス"), ("हिन्दी", "हिन्दी")],
)
def test_accents_are_left_out_and_signs_are_not(word, plain):
    assert search.strip_accents(word) == plain


# Where to look first


@pytest.mark.parametrize(
    "query",
    [
        Query(text="x"),
        Query(text="x", since=NOW - timedelta(days=10)),
        Query(text="x", since=NOW - timedelta(days=5000)),
        Query(text="x", until=NOW - timedelta(days=400)),
        Query(text="x", since=NOW - timedelta(days=90), until=NOW - timedelta(days=80)),
    ],
)
def test_the_stretches_are_all_of_the_time_that_is_asked_for_without_a_gap(query):
    found = search.time_ranges(query, now=NOW)
    assert found[0].end == query.until
    assert found[-1].start == query.since
    assert [each.start for each in found[:-1]] == [each.end for each in found[1:]]


def test_a_document_has_the_marks_of_every_stretch_that_it_lies_in():
    for days in range(0, 900, 7):
        seen_at = NOW - timedelta(days=days, hours=5)
        holding = [
            each
            for each in search.time_ranges(Query(text="x"), now=NOW)
            if (each.start is None or each.start <= seen_at) and (each.end is None or seen_at < each.end)
        ]
        assert len(holding) == 1
        assert holding[0].facets is None or set(search.date_facets(seen_at)) & set(holding[0].facets)


def test_days_are_those_of_the_timezone_and_the_last_is_included():
    since, until = search.day_bounds(date(2026, 11, 14), date(2026, 11, 15), ZoneInfo("Asia/Tokyo"))
    assert (since, until) == (datetime(2026, 11, 13, 15, tzinfo=UTC), datetime(2026, 11, 15, 15, tzinfo=UTC))


def test_a_day_beyond_the_calendar_is_refused():
    with pytest.raises(ValueError, match="the year 9999"):
        search.day_bounds(None, date(9999, 12, 31), ZoneInfo("UTC"))


# Several ways to one list


def test_who_is_found_in_several_ways_comes_first():
    ranked = search.fuse_rankings({"words": [(1, 10), (2, 20)], "meaning": [(3, 30), (2, 21)]})
    assert [each.story_id for each in ranked] == [2, 1, 3]
    assert ranked[0].found_by == ["words", "meaning"]
    assert ranked[0].document_id == 20


def ranked_stories(count):
    """Stories, the best first, each found by its words in a document of its own."""
    return search.fuse_rankings({"words": [(number, number * 10) for number in range(1, count + 1)]})


def test_an_event_is_one_result_in_the_place_of_its_best_story():
    events = search.group_by_event(ranked_stories(4), {1: 7, 2: 8, 3: 7, 4: 8})
    assert [(event.event_id, [story.story_id for story in event.stories]) for event in events] == [
        (7, [1, 3]),
        (8, [2, 4]),
    ]


def test_an_event_is_found_by_all_ways_that_found_one_of_its_stories():
    stories = search.fuse_rankings({"words": [(1, 10)], "meaning": [(2, 20)]})
    [event] = search.group_by_event(stories, {1: 7, 2: 7})
    assert event.found_by == ["words", "meaning"]


def test_single_stories_keep_their_order_and_have_their_event():
    results = search.list_singly(ranked_stories(3), {1: 7, 2: 8, 3: 7})
    assert [(result.event_id, result.stories[0].story_id) for result in results] == [(7, 1), (8, 2), (7, 3)]


@given(st.lists(st.integers(1, 5), max_size=30))
def test_grouping_loses_no_story_and_repeats_no_event(event_ids):
    stories = ranked_stories(len(event_ids))
    events = search.group_by_event(stories, dict(enumerate(event_ids, start=1)))
    assert sorted(event.event_id for event in events) == sorted(set(event_ids))
    assert sorted(story.story_id for event in events for story in event.stories) == [
        story.story_id for story in sorted(stories, key=lambda story: story.story_id)
    ]


def test_nothing_found_is_an_empty_list():
    assert search.fuse_rankings({"words": [], "meaning": []}) == []


def test_unknown_words_must_be_nearer_in_meaning_the_more_documents_there_are():
    floors = [search.least_cosine("use-multilingual", has_known_words=False, documents=10**n) for n in range(7)]
    assert floors == sorted(floors)
    assert floors[0] == search.least_cosine("use-multilingual", has_known_words=True, documents=10**6)
    assert 0.4 < floors[4] < 0.5


def test_a_model_that_was_not_measured_has_no_floor():
    assert search.least_cosine("another", has_known_words=False, documents=1_000) == 0.0


# What is shown


def marked(pieces):
    return "".join(f"[{piece.text}]" if piece.is_hit else piece.text for piece in pieces)


def test_hits_are_marked_where_they_stand_as_they_are_written():
    assert marked(highlights.highlight("Docker’s STRIKE, again", {"strike"}.__contains__)) == (
        "Docker’s [STRIKE], again"
    )
    assert marked(highlights.highlight("Dockers don’t pay", {"dont"}.__contains__)) == "Dockers [don’t] pay"


def test_pairs_of_signs_are_marked_as_one():
    assert marked(highlights.highlight("深圳地铁停运", {"圳地", "地铁"}.__contains__)) == "深[圳地铁]停运"


def test_a_passage_is_where_most_hits_are():
    body = f"A bridge. {'Nothing of interest here. ' * 30}The bridge, the old bridge, is closed. {'More. ' * 99}"
    passage = marked(highlights.best_passage(body, {"bridge"}.__contains__))
    assert passage.startswith("… ")
    assert passage.endswith(" …")
    assert "The [bridge], the old [bridge], is closed." in passage
    assert len(passage) < highlights.PASSAGE_CHARACTERS + 20


def test_a_passage_without_hits_is_the_beginning():
    assert marked(highlights.best_passage("First.\n\nSecond.", {"x"}.__contains__)) == "First. Second."
    assert highlights.best_passage("", {"x"}.__contains__) == []


def test_a_passage_of_wide_signs_is_half_as_long():
    assert (
        len(marked(highlights.best_passage("漢字" * 400, {"x"}.__contains__))) == highlights.PASSAGE_CHARACTERS // 2 + 2
    )


@given(st.text(max_size=400))
def test_no_sign_of_a_text_is_lost_by_marking(whole):
    for is_hit in (lambda _word: True, lambda word: len(word) % 2 == 0):
        assert "".join(piece.text for piece in highlights.highlight(whole, is_hit)) == whole


# Slips


@pytest.mark.parametrize("typed", ["cholrea", "chlera", "choleraa", "cholero", "holera"])
def test_words_one_slip_apart_share_a_key(typed):
    assert set(spelling.deletion_keys(typed)) & set(spelling.deletion_keys("cholera"))
    assert spelling.edit_distance(typed, "cholera") == 1
    assert spelling.closest_words(typed, ["cholera", "collar", typed]) == ["cholera"]


def test_two_slips_are_forgiven_in_long_words_only():
    assert spelling.closest_words("constitutoinl", ["constitutional"]) == ["constitutional"]
    assert spelling.closest_words("rodes", ["ride"]) == []


def test_the_nearest_that_begins_alike_comes_first():
    assert spelling.closest_words("brigde", ["ridge", "bridge", "bride", "brigade"])[0] == "bridge"


@pytest.mark.parametrize("word", ["the", "2026", "gpt5", "東京都庁", "서울에서", "x" * 40])
def test_what_is_short_or_no_word_of_letters_is_taken_as_typed(word):
    assert not spelling.can_be_mistyped(word)
