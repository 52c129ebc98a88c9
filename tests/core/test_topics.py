"""Which topics a story belongs to, and what can be a rule."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import text, topics
from scoop.core.topics import Assignment, StoryText, TopicIndex
from scoop.model import KeywordRule, SourceRule, Topic


def a_story(title="Solar park opens", body="", *, collection="world_news", sources=("tribune",)) -> StoryText:
    lines = "\n".join(map(text.normalized, (title, body)))
    return StoryText(story_id=1, collection=collection, sources=sources, title=title, text=lines)


def a_topic(*rules, collections=("world_news",)) -> Topic:
    return Topic(
        topic_id=7,
        topic_slug="energy",
        topic_name="Energy",
        collections=list(collections),
        source_rules=tuple(rule for rule in rules if isinstance(rule, SourceRule)),
        keyword_rules=tuple(rule for rule in rules if isinstance(rule, KeywordRule)),
    )


def word(pattern, rule_type="include", **more) -> KeywordRule:
    return KeywordRule(pattern=pattern, rule_type=rule_type, **more)


def regex(pattern, rule_type="include", **more) -> KeywordRule:
    return KeywordRule(pattern=pattern, rule_type=rule_type, is_regex=True, **more)


def source(name, rule_type="include") -> SourceRule:
    return SourceRule(source=name, rule_type=rule_type)


# Who belongs


@pytest.mark.parametrize(
    ("topic", "matched"),
    [
        (a_topic(), ("collection:world_news",)),
        (a_topic(collections=()), ()),
        (a_topic(source("tribune"), collections=()), ("source:tribune",)),
        (a_topic(source("tribune"), collections=["ai_news"]), ("source:tribune",)),
        (a_topic(source("herald")), ("collection:world_news",)),
        (a_topic(word("solar")), ("collection:world_news", "keyword:solar")),
        (a_topic(word("coal"), word("solar")), ("collection:world_news", "keyword:solar")),
        (a_topic(word("coal", enabled=False)), ("collection:world_news",)),
        (a_topic(word("coal", "exclude"), source("herald", "exclude")), ("collection:world_news",)),
        (a_topic(word("solar", "exclude", enabled=False)), ("collection:world_news",)),
    ],
)
def test_a_story_belongs_to_a_topic_that_reaches_it_and_is_told_by_what(topic, matched):
    assert topics.assign(a_story(), TopicIndex([topic])) == [Assignment(topic_id=7, weight=1, matched=matched)]


@pytest.mark.parametrize(
    "topic",
    [
        a_topic(collections=["ai_news"]),
        a_topic(source("herald"), collections=()),
        a_topic(word("coal")),
        a_topic(word("solar"), collections=["ai_news"]),
        a_topic(word("solar"), word("park", "exclude")),
        a_topic(source("tribune"), source("tribune", "exclude")),
        a_topic(word("solar", "exclude"), collections=()),
        a_topic(regex("s.*r"), regex("^solar", "exclude")),
    ],
)
def test_what_is_out_of_reach_unmatched_or_excluded_belongs_nowhere(topic):
    assert topics.assign(a_story(), TopicIndex([topic])) == []


def test_the_weights_of_the_keywords_that_matched_add_up():
    topic = a_topic(word("solar", weight=3), regex("par[ck]", weight=4), word("coal", weight=50))
    assert [found.weight for found in topics.assign(a_story(), TopicIndex([topic]))] == [7]
    heavy = a_topic(*(regex(f"solar|x{number}", weight=100) for number in range(400)))
    assert [found.weight for found in topics.assign(a_story(), TopicIndex([heavy]))] == [topics.MAX_WEIGHT]


def test_a_trial_tells_what_each_rule_caught_and_kept_out():
    topic = a_topic(word("solar"), regex("wind (farm|park)"), word("advertisement", "exclude"))
    stories = [
        a_story("Solar roofs"),
        a_story("Wind park"),
        a_story("Solar wind farm"),
        a_story("Solar roofs (advertisement)"),
        a_story("Bridge closed, advertisement"),
    ]
    tried = topics.trial(topic, [(story.title, topics.ruling(story, topic)) for story in stories])
    assert (tried.looked_at, tried.stories) == (5, 3)
    assert {catch.rule: (catch.rule_type, catch.stories, catch.titles) for catch in tried.rules} == {
        "collection:world_news": ("include", 3, ("Solar roofs", "Wind park", "Solar wind farm")),
        "keyword:solar": ("include", 2, ("Solar roofs", "Solar wind farm")),
        "keyword:wind (farm|park)": ("include", 2, ("Wind park", "Solar wind farm")),
        "keyword:advertisement": ("exclude", 1, ("Solar roofs (advertisement)",)),
    }


# Words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("solar", "SOLAR power"),
        ("Solar  Power", "of solar\u00a0power."),
        ("tesla", "Tesla’s and Tesla's"),
        ("größe", "DIE GRÖSSE"),
        ("energy", "(energy)"),
        ("AI", "生成AI技術"),
        ("人工知能", "新しい人工知能は"),
        ("ｱﾆﾒ", "日本のアニメ映画"),
        ("ไทย", "ประเทศไทยวันนี้"),
        ("c++", "written in C++."),
        ("#energiewende", "die#energiewende"),
        ("энергия", "ЭНЕРГИЯ ветра"),
        ("हिन्दी", "यह हिन्दी है"),
        ("naïve", "nai\u0308ve"),
        ("art", "start of art"),
    ],
)
def test_words_are_found_whatever_their_case_form_and_script(words, told):
    assert topics.matches(word(words), text.normalized(told))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("art", "start and artful"),
        ("ai", "said"),
        ("gpt", "gpt4"),
        ("solar power", "solar, power"),
        ("ветер", "северветер"),
        ("हिन्द", "हिन्दी"),
        ("nai", "nai\u0308ve"),
    ],
)
def test_a_piece_of_a_longer_word_is_not_the_word(words, told):
    assert not topics.matches(word(words), text.normalized(told))


WORDS = st.text(st.characters(codec="utf-8"), max_size=40)


@given(WORDS, WORDS, WORDS)
def test_any_words_are_found_between_spaces(before, words, after):
    if text.normalized(words):
        told = " ".join(map(text.normalized, (before, words, after)))
        assert topics.matches(word(words), told)


def test_words_of_one_document_do_not_continue_in_the_next():
    assert not topics.matches(word("power plant"), "more power\nplant a tree")


# Patterns


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("wind (farm|park)s?", "Two WIND PARKS"),
        ("^breaking", "Old news\nBreaking: bridge closed"),
        ("closed$", "Bridge closed\nmore"),
        ("maße|gewichte", "Masse und Zahlen"),
        (r"\bgpt-?[0-9]\b", "GPT4 is out"),
        ("（株）", "日本 (株) は"),
    ],
)
def test_a_pattern_is_searched_in_normalized_text(pattern, told):
    topics.check(regex(pattern))
    assert topics.matches(regex(pattern), "\n".join(map(text.normalized, told.split("\n"))))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (regex("(?=solar)power"), "lookarounds"),
        (regex("(?<!solar )power"), "lookarounds"),
        (regex(r"(a)\1"), "backreferences"),
        (regex("wind (farm"), "'wind (farm' cannot be used (missing )"),
        (regex("a{2000}"), "repeats"),
        (regex("x.{0,900}y"), "smaller repeats"),
        (regex(r"\pL{500}"), "smaller repeats"),
        (regex("(solar)?"), "every story"),
        (regex("x" * 257), "256 is the most"),
        (word("x" * 257), "make several rules"),
        (word(" \u200b "), "blank"),
        (word("solar\0"), "one line"),
        (word("solar", weight=0), "from 1 to 100"),
        (word("solar", weight=101), "from 1 to 100"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_in_a_sentence_with_its_fix(rule, told):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        topics.check(rule)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
    assert topics.problem(rule) == str(refused.value)


def test_a_broken_pattern_that_came_in_by_another_way_fits_nothing_and_harms_nobody():
    for rule in (regex("("), word("\u200b")):
        assert topics.assign(a_story(), TopicIndex([a_topic(rule)])) == []
        assert len(topics.assign(a_story(), TopicIndex([a_topic(replace(rule, rule_type="exclude"))]))) == 1


CATASTROPHES = [
    r"(a+)+$", r"(a|aa)+$", r"(a|a?)+$", r"([a-zA-Z]+)*$", r"(.*a){10}$", r"(x+x+)+y", r"(\w+\s?)*$!",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(?:a?){30}a{30}b", r"(a|b)*a(a|b){20}z", r"(.*)*=.*;", r"<(\w+)[^>]*>.*</x>", r"^(\d+)*[^\d]$!", r"a.{0,200}z",
]  # fmt: skip


@pytest.mark.parametrize("pattern", CATASTROPHES)
@pytest.mark.parametrize("told", ["a" * 20_000 + "!", "ab" * 10_000, "x" * 20_000, "a " * 10_000])
def test_a_pattern_that_ruins_other_engines_comes_to_an_end(pattern, told):
    topics.matches(regex(pattern), told)


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_given_as_a_pattern_is_searched_or_refused(pattern, told):
    rule = regex(pattern)
    if topics.problem(rule) is None:
        topics.matches(rule, text.normalized(told))


def test_a_collection_that_no_topic_names_gets_a_topic_with_a_free_slug():
    found = topics.default_topics(["world_news", "energy", "Ünlü Haber", "energy"], [a_topic()])
    assert [(each.topic_slug, each.topic_name, each.collection) for each in found] == [
        ("energy_2", "Energy", "energy"),
        ("nl_haber", "Ünlü Haber", "Ünlü Haber"),
    ]


bounds = st.builds(
    a_topic,
    st.one_of(
        st.none(), st.builds(source, st.sampled_from(["tribune", "gazette"]), st.sampled_from(["include", "exclude"]))
    ),
    collections=st.lists(st.sampled_from(["world_news", "ai_news"]), unique=True),
)


@given(
    st.lists(bounds, max_size=6),
    st.sampled_from(["world_news", "ai_news", "other"]),
    st.sampled_from(["tribune", "gazette", "post"]),
)
def test_an_index_leaves_out_only_topics_that_do_not_take_the_story(drawn, collection, name):
    numbered = [replace(topic, topic_id=number) for number, topic in enumerate(drawn)]
    story = a_story(collection=collection, sources=(name,))
    taken = [topic.topic_id for topic in numbered if topics.ruling(story, topic).belongs]
    assert [found.topic_id for found in topics.assign(story, TopicIndex(numbered))] == taken
