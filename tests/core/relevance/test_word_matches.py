"""How much of a topic's name an article has word by word."""

import pytest

from scoop.core.interests import Interest, Interests
from scoop.core.relevance import ScoredText, word_matches


def in_title(title, *topics):
    interests = Interests(topics=tuple(Interest(topic=topic) for topic in topics))
    (row,) = word_matches.find([ScoredText(title=title, body_text="")], interests).in_title.tolist()
    return row


def test_the_words_of_a_name_may_be_apart_and_in_another_order():
    assert in_title("A detection method for every object", "object detection") == [1.0]


@pytest.mark.parametrize(
    ("title", "topic"),
    [
        ("Compressing BERT", "compression"),
        ("How we visualize loss", "visualization"),
        ("Wirtschaftskammer schlägt vor", "Wirtschaft"),
        ("国际足联公布名单", "国际"),
    ],
)
def test_another_form_of_a_word_counts_by_the_letters_that_it_shares(title, topic):
    assert 0.5 <= in_title(title, topic)[0] <= 1


@pytest.mark.parametrize(("title", "topic"), [("A cat sat down", "catalysis"), ("Go home", "Gopher")])
def test_words_that_only_begin_alike_do_not_count(title, topic):
    assert in_title(title, topic) == [0.0]


def test_a_word_that_several_topics_have_counts_less_than_one_of_a_single_topic():
    topics = ("graph learning", "transfer learning", "deep learning")
    learning, transfer = in_title("On learning", *topics)[1], in_title("On transfer", *topics)[1]
    assert 0 < learning < transfer < 1


def test_the_lead_counts_as_well_and_little_words_do_not():
    interests = Interests(topics=(Interest(topic="the law of the sea"),))
    found = word_matches.find([ScoredText(title="Of the", body_text="The sea has a law.")], interests)
    assert (found.in_title.item(), found.in_lead.item()) == (0.0, 1.0)
