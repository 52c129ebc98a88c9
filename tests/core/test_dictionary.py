"""The dictionary of tapped words."""

import pytest

from scoop.core import dictionary


@pytest.mark.parametrize(
    ("word", "lemma", "word_class", "beginning"),
    [
        ("bridges", "bridge", "noun", "a structure"),
        ("found", "find", "verb", "come upon"),
        ("he", "he", "pronoun", "that man"),  # no gas
        ("It", "it", "pronoun", "that thing"),
        ("IT", "IT", "noun", "the branch of engineering"),
        ("us", "us", "pronoun", "the speaker"),
        ("US", "US", "noun", "North American republic"),
        ("does", "do", "verb", "act"),  # no female animal
        ("don't", "do", "verb", "act"),
        ("would", "would", "verb", "shows what happens"),
        ("Turkey", "Turkey", "noun", "a Eurasian republic"),
        ("turkey", "turkey", "noun", "large gallinaceous bird"),
        ("August", "August", "noun", "the month"),
        ("Young", "young", "adjective", "(used of living things"),  # no musician
        ("operator", "operator", "noun", "an agent"),  # no symbol of mathematics
        ("Americans", "American", "noun", "a native"),
        ("Germany's", "Germany", "noun", "a republic"),
        ("(mayor)", "mayor", "noun", "the head"),
    ],
)
def test_the_likeliest_meaning_of_a_word_comes_first(word, lemma, word_class, beginning):
    first = dictionary.look_up(word)[0]
    assert (first.lemma, first.word_class) == (lemma, word_class)
    assert first.definition.startswith(beginning)


def test_a_function_word_has_another_meaning_only_if_that_is_common():
    assert [entry.word_class for entry in dictionary.look_up("can")] == ["verb", "noun"]
    assert [entry.word_class for entry in dictionary.look_up("at")] == ["preposition"]
    assert [entry.word_class for entry in dictionary.look_up("May")] == ["verb", "noun"]


def test_a_word_that_nothing_explains_has_one_entry_without_a_definition():
    assert [entry.definition for entry in dictionary.look_up("xyzzy")] == [""]
    assert dictionary.look_up("---")[0].word == ""
