"""Explanations of terms: short, easy, with nothing that the report does not have, and only where the sense is safe."""

import tomllib
from importlib.resources import files

import pytest

from scoop.core.briefs import SourceText
from scoop.core.grading import lessons, terms
from scoop.core.grading.trees import Tree
from scoop.core.levels import grammar, reading
from scoop.core.levels.rules import RULES
from scoop.parsers import english

STORED = tomllib.loads(files("scoop.core.grading").joinpath("terms.toml").read_text("utf-8"))
EXPLANATIONS = [(term, text) for kind in STORED.values() for term, text in kind.items()]
ARTICLE = """Inflation fell to two percent in Corvane this month, and bread and milk are cheaper than in the spring.
The bank of the country keeps its plans, and many families hope for lower rents and cheaper food in the winter.
Helen Ward leads the bank in Port Ansel, and she looks at the prices of four hundred goods every week with her team.
The team finds the prices in small shops and in large markets, and it asks farmers about their work and their costs.
Shops in Port Ansel sell more fruit than before, and the markets near the harbour open on Sunday.
Farmers near Skarn have good weather this year, and they bring more fruit and vegetables to the markets of the city.
Workers in the harbour want more money from their firms, and their firms offer them three percent for the next year.
The team gives its next report in June, and newspapers print the main numbers from it on the same day."""


def source(text: str) -> SourceText:
    return SourceText(document_id=7, title="", body_text=text, language="en", publisher="gazette")


def explanations(sentence: str) -> list[str]:
    return list(terms.explanations(sentence, [Tree(tokens=tuple(english.parse([sentence])[0][0]))]))


@pytest.mark.parametrize(("term", "text"), EXPLANATIONS, ids=[term for term, _ in EXPLANATIONS])
def test_an_explanation_is_a_short_sentence_with_easy_grammar_and_no_new_name(term: str, text: str) -> None:
    (sentence,) = reading.read(text)
    assert 5 <= len(sentence.tokens) <= 12
    assert {one.form for one in grammar.forms(sentence)} <= RULES["A2"].forms
    assert {one.word.form for one in grammar.clause_words(sentence)} <= RULES["A2"].connectives
    named = [one.text.lower().removesuffix("s") for one in sentence.tokens if one.is_name or one.is_number]
    assert all(one in term.lower() for one in named)
    assert term.split()[0].lower()[:4] in text.lower()


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("Prices rise because inflation is high.", "Inflation is a general rise in prices."),
        ("Treaties protect the fish.", "A treaty is a written agreement between countries."),
        ("Two MPs left the room.", "An MP is a member of parliament."),
        ("Inflation is high.", "Inflation is a general rise in prices."),
        ("The start-ups need money.", "A start-up is a young company with a new idea."),
    ],
)
def test_a_term_is_explained_in_all_its_forms(sentence: str, first: str) -> None:
    assert explanations(sentence)[0] == first


@pytest.mark.parametrize(
    "sentence",
    [
        "They patent the idea.",
        "The journal Nature Climate Change has the study.",
        "A non-treaty rule holds.",
        "Marrowfield AI has a new office.",
        "The sales of Basaltine Semiconductor are higher.",
    ],
)
def test_another_use_of_a_word_is_not_explained(sentence: str) -> None:
    assert explanations(sentence) == []


def test_a_lesson_explains_a_term_once_after_the_sentence_that_has_it() -> None:
    graded = lessons.grade([source(ARTICLE)], ["A1", "A2"], parse=english.parse)
    texts = [one.text for one in graded["A2"].sentences]
    at = texts.index("Inflation is a general rise in prices.")
    assert "nflation" in texts[at - 1]
    assert graded["A2"].sentences[at].citations == graded["A2"].sentences[at - 1].citations
    assert not any(one.text.startswith("Inflation is a") for one in graded["A1"].sentences)
