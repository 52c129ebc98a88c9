"""Notes and introductions: short true sentences with the people and names of a report."""

import pytest

from scoop.core.grading import introductions, notes, orphans
from scoop.core.grading.statements import statement
from scoop.core.grading.trees import Tree
from scoop.parsers import english


def tree(sentence: str) -> Tree:
    return Tree(tokens=tuple(english.parse([sentence])[0][0]))


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("Scottish illustrator Johanna Basford is topping the charts.", "Johanna Basford is a Scottish illustrator."),
        ("The prize was given to the British author Johanna Basford.", "Johanna Basford is a British author."),
        ("Helen Ward, 48, lives in Leeds.", "Helen Ward is 48 years old."),
        ("Emma Kelly, a retired astronaut, spoke to reporters.", "Emma Kelly is a retired astronaut."),
        ("Helen Ward said that the bridge is safe.", "Helen Ward speaks about this."),
        ("Helen Ward said in March that the bridge is safe.", "Helen Ward spoke about this."),
    ],
)
def test_a_note_says_who_somebody_is(sentence: str, note: str) -> None:
    assert note in notes.notes(tree(sentence), "A1")


def test_who_did_not_speak_has_no_note() -> None:
    made = notes.notes(tree("Helen Ward did not say why the bridge was closed."), "A1")
    assert not any(note.endswith((notes.SPOKE, notes.SPEAKS)) for note in made)


def test_an_introduction_has_the_names_that_the_lesson_lost() -> None:
    lead = tree("Experts of the University of Zurich met Helen Ward in Leeds on Monday.")
    made = introductions.introduction("A2", [lead], "Helen Ward met experts.")
    assert [one.text for one in made] == ["This news is about the University of Zurich and Leeds."]


def test_a_short_lesson_names_who_the_news_is_about_in_short_sentences() -> None:
    sentence = "The Bank of Spain and Oxfam asked Russia, Peru and Warren Buffett to help farmers in Africa."
    made = introductions.introduction("A1", [tree(sentence)], "")
    assert [one.text for one in made] == [
        "This news is about the Bank of Spain.",
        "It is also about Oxfam, Russia and Peru.",
        "It also names Warren Buffett and Africa.",
    ]
    assert all(one.words <= 8 for one in made)


def test_he_is_not_a_woman_of_the_sentence_before() -> None:
    before = tree("Angela Erdmann never knew her grandfather.")
    after = tree("He died in 1946, six years before the war.")
    assert orphans.resolved(after, [before], [statement("He died in 1946.")], "A2") is None


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Oscar Wells", "Oscar Wells was late."),
        ("Mary Wells", None),
        ("Nettlecombe Security", None),
        ("Kembe", "Kembe was late."),
    ],
)
def test_a_pronoun_becomes_a_name_that_may_be_of_a_man(name: str, known: str | None) -> None:
    made = orphans.resolved(tree("He was late."), [tree(f"{name} left the town.")], [statement("He was late.")], "A2")
    assert (made[0].text if made else None) == known
