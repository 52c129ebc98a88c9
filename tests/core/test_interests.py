"""Interests: read from TOML and JSON, with every problem named by line and field."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.interests import Interest, InterestProblem, InvalidInterests, parse, parse_file, parse_text, raw_url

TOML = """
max_articles = 4
min_relevance_score = 60

[[topics]]
topic = "Rust"
aliases = ["rustlang", "cargo"]
priority = "high"

[[topics]]
topic = "配列"
"""


def problems(written: str) -> list[str]:
    with pytest.raises(InvalidInterests) as caught:
        parse_text(written)
    return [str(problem) for problem in caught.value.problems]


def found_problems(written: str) -> tuple[InterestProblem, ...]:
    """The problems, if the text cannot be used; then there is at least one."""
    try:
        interests = parse_text(written)
    except InvalidInterests as error:
        return error.problems or (InterestProblem(field="", message=""),)
    return () if interests.topics else (InterestProblem(field="", message=""),)


def test_topics_and_limits_are_read_from_toml() -> None:
    interests = parse_text(TOML)
    assert interests.topics == (
        Interest(topic="Rust", aliases=("rustlang", "cargo"), priority="high"),
        Interest(topic="配列"),
    )
    assert (interests.max_articles, interests.min_articles, interests.min_relevance_score) == (4, 3, 60)


def test_limits_have_defaults() -> None:
    interests = parse({"topics": ["Go"]})
    assert (interests.max_articles, interests.min_articles, interests.min_relevance_score) == (5, 3, 70)


def test_the_default_minimum_follows_a_small_maximum() -> None:
    assert parse({"topics": ["Go"], "max_articles": 2}).min_articles == 2


def test_json_with_camel_case_and_other_names_says_the_same_as_toml() -> None:
    written = {
        "maxArticles": 4,
        "minRelevanceScore": 60,
        "interests": [{"name": "Rust", "aliases": ["rustlang", "cargo"], "priority": "HIGH"}, "配列"],
    }
    assert parse_text(json.dumps(written, indent=2)) == parse_text(TOML)


@pytest.mark.parametrize(("priority", "weight"), [("high", 2), ("medium", 1), ("low", 0.5)])
def test_a_priority_has_a_weight(priority: str, weight: float) -> None:
    assert parse({"topics": [{"topic": "Go", "priority": priority}]}).topics[0].weight == weight


def test_every_problem_is_named_with_its_line_and_field() -> None:
    written = TOML.replace("high", "urgent").replace("= 60", "= 101").replace("配列", "rust")
    assert problems(written) == [
        "line 3: min_relevance_score: 101 must be a whole number from 0 to 100",
        "line 8: topics[1].priority: 'urgent' must be one of high, medium, low",
        "line 10: topics[2]: 'rust' is also topic 1; remove or rename one",
    ]


def test_a_problem_in_json_has_the_line_of_its_value() -> None:
    written = '{\n "topics": [\n  {"topic": "Go"},\n  {"topic": "Zig",\n   "aliases": ["a",\n    7]}\n ]\n}'
    assert problems(written) == ["line 6: topics[2].aliases[2]: 7 must be a string in quotes"]


def test_a_misspelled_field_is_reported_with_the_right_name() -> None:
    assert problems('min_relevence_score = 5\ntopics = ["Go"]') == [
        "line 1: min_relevence_score: unknown field; did you mean min_relevance_score?"
    ]


def test_settings_with_a_check_are_read_and_their_problems_named() -> None:
    written = f'name = "Morning picks"\nhour = "late"\n{TOML}'
    assert parse_file(written, {"name": str, "hour": str}).settings == {"name": "Morning picks", "hour": "late"}
    with pytest.raises(InvalidInterests, match="line 2: hour: invalid literal for int"):
        parse_file(written, {"name": str, "hour": int})
    with pytest.raises(InvalidInterests, match=r"line 1: name: unknown field; .*line 2: hour: unknown field"):
        parse_file(written, {})


@pytest.mark.parametrize(
    ("written", "line", "kind"),
    [('{\n "topics": [\n}', 3, "JSON"), ('topics = [\n"Go"\n', 3, "TOML"), ("a = 1\nb = = 2\n", 2, "TOML")],
)
def test_a_syntax_error_is_named_with_its_line(written: str, line: int, kind: str) -> None:
    (problem,) = problems(written)
    assert problem.startswith(f"line {line}: not valid {kind}")


@pytest.mark.parametrize("count", [0, 51])
def test_there_are_1_to_50_topics(count: int) -> None:
    with pytest.raises(InvalidInterests, match="give 1 to 50 topics"):
        parse({"topics": [f"topic {number}" for number in range(count)]})


@pytest.mark.parametrize("name", ["", " ", "x" * 51, "語" * 51])
def test_a_topic_has_1_to_50_characters(name: str) -> None:
    with pytest.raises(InvalidInterests, match="give 1 to 50 characters"):
        parse({"topics": [name]})


def test_a_topic_of_50_japanese_characters_is_accepted() -> None:
    assert len(parse({"topics": ["語" * 50]}).topics[0].topic) == 50


def test_the_minimum_is_not_above_the_maximum() -> None:
    with pytest.raises(InvalidInterests, match=r"min_articles: 5 must be .* from 1 to 4 \(max_articles\)"):
        parse({"topics": ["Go"], "max_articles": 4, "min_articles": 5})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["topics", "aliases", "topic", "x"]), inner),
    )
)
def test_any_json_is_either_interests_or_reported(data: object) -> None:
    assert all(problem.line == 1 for problem in found_problems(json.dumps({"topics": data})))


@given(st.text())
def test_any_text_is_either_interests_or_reported(written: str) -> None:
    assert all(problem.message for problem in found_problems(written))


@pytest.mark.parametrize(
    ("url", "raw"),
    [
        (
            "https://github.com/ann/notes/blob/main/a/interests.toml",
            "https://raw.githubusercontent.com/ann/notes/main/a/interests.toml",
        ),
        (
            "https://www.github.com/ann/notes/blob/main/i.json?plain=1#L3",
            "https://raw.githubusercontent.com/ann/notes/main/i.json",
        ),
        ("https://github.com/ann/notes/tree/main/a", "https://github.com/ann/notes/tree/main/a"),
        ("https://example.org/ann/notes/blob/main/i.json", "https://example.org/ann/notes/blob/main/i.json"),
    ],
)
def test_a_github_page_of_a_file_becomes_its_raw_form(url: str, raw: str) -> None:
    assert raw_url(url) == raw


def test_a_toml_file_may_begin_with_a_table():
    assert parse_text('[[topics]]\ntopic = "Go"\n').topics == (Interest(topic="Go"),)
