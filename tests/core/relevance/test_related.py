"""Words that belong to the subject of a topic."""

import tomllib
from importlib.resources import files

from scoop.core import text
from scoop.core.interests import Interest, Interests
from scoop.core.relevance import ScoredText, related

SUBJECTS = tomllib.loads(files("scoop.core.relevance").joinpath("related_words.toml").read_text("utf-8"))


def find(title, *topics):
    interests = Interests(topics=tuple(Interest(topic=topic) for topic in topics))
    return related.find([ScoredText(title=title, body_text="")], interests)


def test_a_topic_has_the_words_of_its_subject_in_any_language():
    assert "election" in related.words_of(Interest(topic="Politics"))
    assert "選挙" in related.words_of(Interest(topic="政治"))


def test_a_name_counts_before_an_alias():
    topic = Interest(topic="Sport", aliases=("politics",))
    assert related.words_of(topic) == related.words_of(Interest(topic="sports"))


def test_an_alias_gives_words_if_the_name_has_none():
    assert "BERT" in related.words_of(Interest(topic="What I read at work", aliases=("NLP",)))


def test_a_topic_of_no_known_subject_has_no_words():
    found = find("Cheese of the month", "Cheese")
    assert (found.in_title.item(), found.own.item(), found.is_known.item()) == (0.0, 0.0, 0.0)


def test_a_word_that_several_topics_have_is_less_of_their_own():
    alone, shared = find("YOLO v4", "object detection"), find("YOLO v4", "object detection", "computer vision")
    assert alone.own[0, 0] > shared.own[0, 0] > 0
    assert alone.in_title[0, 0] == shared.in_title[0, 0]


def test_no_two_subjects_have_the_same_name():
    names = [text.normalized(name) for subject in SUBJECTS.values() for name in subject["names"].split(", ")]
    assert sorted(names) == sorted(set(names))
