"""Single sentences: where they are split, what is shortened, and which words are replaced."""

import pytest

from scoop.core.grading import noun_splits, rewriting, statements, substitutes
from scoop.core.grading.clauses import whole
from scoop.core.grading.trees import Tree
from scoop.parsers import english


def tree(sentence: str) -> Tree:
    return Tree(tokens=tuple(english.parse([sentence])[0][0]))


SPLITS = [
    (
        "The bridge, which opened in 1931, carries 4,000 cars a day.",
        ["The bridge carries 4,000 cars a day.", "It opened in 1931."],
    ),
    (
        "The company expanded into California and now has offices in 32 states.",
        ["The company expanded into California.", "It now has offices in 32 states."],
    ),
    (
        "The council closed the road and the shops lost many customers.",
        ["The council closed the road.", "The shops lost many customers."],
    ),
    (
        "Although it rained all day, the players finished the match.",
        ["It rained all day.", "But the players finished the match."],
    ),
    (
        "Danger Island is a long and flat island, covered with tall coconut trees.",
        ["Danger Island is a long and flat island.", "It is covered with tall coconut trees."],
    ),
    (
        "Emma Kelly, a retired astronaut, spoke to reporters in Houston.",
        ["Emma Kelly spoke to reporters in Houston.", "Emma Kelly was a retired astronaut."],
    ),
    (
        "Helen Jones is a teacher and the founder of the first school in Aldermere.",
        ["Helen Jones is a teacher.", "She is the founder of the first school in Aldermere."],
    ),
    (
        "The debate is a lively one and the scale of illegal downloading vast.",
        ["The debate is a lively one.", "The scale of illegal downloading is vast."],
    ),
    (
        "The tips are collected at the bar and shared out at the end of the night.",
        ["The tips are collected at the bar.", "They are shared out at the end of the night."],
    ),
    (
        "The council closed the bridge because it was full of cracks.",
        ["The council closed the bridge.", "This was because it was full of cracks."],
    ),
    (
        "Westwood does not watch television, however she is a keen gardener.",
        ["Westwood does not watch television.", "However she is a keen gardener."],
    ),
    (
        "The family moved to Los Angeles when he was in school, after graduation he served in the Navy.",
        [
            "The family moved to Los Angeles when he was in school.",
            "After graduation he served in the Navy.",
        ],
    ),
    (
        "He played for the club for ten years before moving to Rome in the summer of 1998.",
        ["He played for the club for ten years.", "He then moved to Rome in the summer of 1998."],
    ),
    (
        "The minister said that the bridge is safe although a spokesman for the town council denied it.",
        ["The minister said that the bridge is safe.", "However, a spokesman for the town council denied it."],
    ),
    (
        "Boston is a town of 4,000 people in the east of the county and has a large market.",
        ["Boston is a town of 4,000 people in the east of the county.", "It has a large market."],
    ),
    (
        "The singer studied music at a school in Boston, and in 1998 moved to a small house in the south of France.",
        [
            "The singer studied music at a school in Boston.",
            "In 1998, the singer moved to a small house in the south of France.",
        ],
    ),
    ("The park is old; it opened before the war.", ["The park is old.", "It opened before the war."]),
    ("He will come or she will call you at home.", ["He will come or she will call you at home."]),
    ("The minister resigned.", ["The minister resigned."]),
]


@pytest.mark.parametrize(("sentence", "expected"), SPLITS)
def test_a_sentence_is_split_where_two_facts_are_joined(sentence: str, expected: list[str]) -> None:
    assert rewriting.split([tree(sentence)]) == expected


@pytest.mark.parametrize("condition", ["if it rains", "unless the wind drops", "because it is full of cracks"])
def test_a_condition_is_never_left_out(condition: str) -> None:
    sentence = f"The town council of Aldermere will close the old bridge {condition}."
    assert all(condition in one.text for one in statements.statements(tree(sentence), "B2"))


def test_words_between_quotation_marks_are_not_replaced() -> None:
    sentence = 'The mayor said: "We will obtain the funds."'
    assert "obtain" in rewriting.simplify(tree(sentence), "B1")


def test_a_hard_word_becomes_an_easier_one_in_the_same_form() -> None:
    parsed = tree("The storm was halted and she attempted to leave.")
    places = {token.text: at for at, token in enumerate(parsed.tokens)}
    assert substitutes.replacement(parsed, places["attempted"], "A2") == "tried"
    assert substitutes.replacement(parsed, places["leave"], "A2") is None


@pytest.mark.parametrize(
    ("sentence", "word", "plain"),
    [
        ("Approximately two people assisted the doctor.", "assisted", "helped"),
        ("The school was constructed in 1931.", "constructed", "built"),
        ("She was accompanied by her son.", "accompanied", None),
        ("The numerous individuals waited.", "individuals", "people"),
        ("Numerous people waited.", "Numerous", "many"),
        ("She left the house following the meeting.", "following", "after"),
        ("The police were following the car.", "following", None),
        ("The word is derived from Latin.", "derived", None),
    ],
)
def test_a_formal_word_becomes_a_plain_one_where_the_grammar_takes_it(sentence, word, plain) -> None:
    parsed = tree(sentence)
    at = next(at for at, token in enumerate(parsed.tokens) if token.text == word)
    assert substitutes.replacement(parsed, at, "A2") == plain


def test_a_simpler_sentence_keeps_what_it_says_in_easier_words_and_shorter_sentences() -> None:
    sentence = (
        "The company purchased the old mill (built in 1850), and it constructed numerous new homes following the war."
    )
    expected = "The company bought the old mill. It built many new homes after the war."
    assert rewriting.simplify(tree(sentence), "A2") == expected


def test_a_word_of_no_list_is_proposed_for_but_not_replaced() -> None:
    parsed = tree("The cultural events attracted the whales.")
    at = next(at for at, token in enumerate(parsed.tokens) if token.text == "attracted")
    assert substitutes.proposals(parsed.tokens[at])
    assert substitutes.replacement(parsed, at, "A2") is None


@pytest.mark.parametrize(
    ("sentence", "pronoun"),
    [
        ("Mary Allen lives in Leeds and now owns a large shop in the town.", "She"),
        ("Allen lives in Leeds and now owns a large shop in the town.", "Allen"),
        ("Goodwin wrote a book and described how Lincoln hired those who ran against him.", "Goodwin"),
    ],
)
def test_a_pronoun_is_not_guessed_from_a_last_name_or_from_others(sentence: str, pronoun: str) -> None:
    assert rewriting.split([tree(sentence)])[1].startswith(f"{pronoun} ")


@pytest.mark.parametrize("level", ["A1", "A2", "B1", "B2"])
def test_no_sentence_is_about_the_that_of_a_relative_clause(level) -> None:
    sentence = (
        "Rescuers evacuated all 214 people from a ferry that caught fire in the North Sea, completing the operation at "
        "01:35 on Thursday, the coastguard said."
    )
    made = [one.text for one in statements.statements(tree(sentence), level)]
    assert not [text for text in made if "that completed" in text.lower()]


def test_an_aside_in_brackets_is_left_out() -> None:
    made = statements.statements(tree("The town (population 4,000) has an old bridge."), "A2")
    assert [one.text for one in made] == ["The town has an old bridge."]


def test_a_statement_is_never_longer_than_its_level_allows() -> None:
    sentence = (
        "The inventor of a modern computer system that is used in many hospitals has claimed, in a report that was "
        "read by experts of ten countries, that the method could one day help the police to solve every murder."
    )
    assert all(one.words <= 10 for one in statements.statements(tree(sentence), "A1"))


@pytest.mark.parametrize(("noun", "said"), [("lawyer", ["The lawyer is Susumu Tonagawa."]), ("brain", [])])
def test_a_name_is_given_only_to_people_and_things_that_have_names(noun: str, said: list[str]) -> None:
    clause = whole(tree(f"The {noun}, Susumu Tonagawa, is in the laboratory of the institute."), is_report=True)
    assert [one.second.text for one in noun_splits.appositions(clause)] == said
