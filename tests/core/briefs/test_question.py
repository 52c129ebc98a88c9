"""Answers about tools: they rest on facts, and have no number that these lack."""

import pytest

from scoop.core import tool_questions
from scoop.core.briefs import BadReply, Order, SourceText, question
from scoop.core.briefs.question import QuestionAnswer
from scoop.core.sentiment_cache import Aggregate

ORDER = Order(
    kind="question",
    language="",
    documents=tuple(
        SourceText(document_id=number, title=title, body_text=body, language="", publisher="")
        for number, title, body in [
            (0, "question", "How is Tussock in 2026?"),
            (1, "Numbers of Tussock", "Last 24 hours: 12 mentions; average +0.12."),
        ]
    ),
)


def test_a_prompt_has_the_question_and_the_facts_as_data():
    made = question.prompt(ORDER)
    assert "How is Tussock" in made.user
    assert "average +0.12" in made.user
    assert made.schema is question.SCHEMA


@pytest.mark.parametrize(
    ("answer", "facts", "problem"),
    [
        ("", (1,), "empty"),
        ("It has 13 mentions.", (1,), "13"),
        ("It has 12 mentions.", (2,), "no fact 2"),
        ("It has 12 mentions. " * 90, (1,), "at most"),
    ],
)
def test_an_answer_that_the_facts_do_not_give_is_refused(answer, facts, problem):
    with pytest.raises(BadReply, match=problem):
        question.check(QuestionAnswer(answer=answer, facts=facts), ORDER)


def test_an_answer_with_numbers_of_the_facts_and_of_the_question_passes():
    answered = question.parse('{"answer": "In 2026 it has 12 mentions, average +0.12.", "facts": [1, 1]}')
    assert question.check(answered, ORDER).facts == (1,)


def test_the_numbers_of_a_tool_are_given_with_those_of_the_window_before():
    now = Aggregate(positive_count=1, negative_count=0, neutral_count=1, compound_sum=0.6, story_count=2)
    both = Aggregate(positive_count=1, negative_count=1, neutral_count=1, compound_sum=0.2)
    written = tool_questions.numbers_text({24: now, 48: both, 168: now, 336: both, 720: now})
    assert "Last 24 hours: 2 mentions in 2 stories" in written
    assert "The 24 hours before: 1 mentions, average -0.40." in written
    assert written.count("before:") == 2
