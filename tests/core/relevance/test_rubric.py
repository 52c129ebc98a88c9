"""The rubric of an article: concreteness, practicality and depth, and whether a machine seems to have written it."""

import pytest

from scoop.core.curation import LIMITS
from scoop.core.relevance import rubric

VAGUE = "Many people think that things will change a lot. " * 30
CONCRETE = "On 12 May, PostgreSQL 18.1 read 4,500 rows in 3.2 ms on `seq_scan()` in Berlin, said Ann Lee. " * 30


@pytest.mark.parametrize("topic_score", [0, 1, 49, 70, 93, 100])
@pytest.mark.parametrize("body", ["", VAGUE, CONCRETE])
def test_parts_keep_their_limits_and_never_exceed_the_score_of_the_topic(topic_score, body):
    parts = rubric.parts(topic_score, rubric.quality("A title", body))
    assert all(0 <= getattr(parts, name) <= limit for name, limit in LIMITS.items())
    assert parts.total <= topic_score


def test_figures_names_and_code_make_an_article_concrete():
    assert rubric.quality("", CONCRETE).concreteness > rubric.quality("", VAGUE).concreteness


def test_a_short_text_is_judged_as_an_ordinary_one():
    assert rubric.quality("Rust 2.0", "").depth == pytest.approx(rubric.ORDINARY, abs=0.02)


@pytest.mark.parametrize("written", ["Revenue was $ 4.37 billion, of which $3 billion", "The new iPhone and an eBook"])
def test_money_and_product_names_are_no_code(written):
    assert rubric.quality("", written).code == 0


@pytest.mark.parametrize("written", ["$ make test", "Call parse() twice", "the setting max_body_bytes", "std::vector"])
def test_commands_and_identifiers_are_code(written):
    assert rubric.quality("", written).code == 1


def test_only_a_text_that_says_so_or_is_full_of_stock_phrases_seems_to_be_written_by_a_machine():
    assert rubric.is_ai_written("", "As an AI language model, I cannot visit Berlin.")
    assert not rubric.is_ai_written("", CONCRETE)
    assert not rubric.is_ai_written("", "We delve into the numbers. " + CONCRETE)
