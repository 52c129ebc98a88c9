"""Replies to the brief of a curator: accepted if they keep the rubric, refused with what to mend otherwise."""

import json

import pytest

from scoop.core.briefs import BadReply, Order, SourceText, evaluation
from scoop.core.interests import Interest, Interests
from scoop.embedders import local

BODY = (
    "PostgreSQL 18 reads large tables three times faster, because it asks the kernel for many pages at once. "
    "The new planner skips columns of an index that a query does not name. Upgrades keep the statistics of tables. "
    "The release came on Thursday after a year of work by 300 people."
)
INTERESTS = Interests(
    topics=(Interest(topic="PostgreSQL", aliases=("Postgres",), priority="high"), Interest(topic="Go", description="x"))
)
ORDER = Order(
    kind="evaluation",
    language="",
    documents=(SourceText(document_id=1, title="PostgreSQL 18", body_text=BODY, language="en", publisher="dev"),),
    interests=INTERESTS,
)
PARTS = {"topic_match": 28, "concreteness": 25, "practicality": 20, "depth": 10}
GOOD = {
    "score": 83,
    "parts": PARTS,
    "matching_topics": ["PostgreSQL"],
    "summary": "PostgreSQL 18 reads large tables three times faster and keeps statistics when it is upgraded.",
    "reasoning": "It names figures and says what changes for users.",
    "is_ai_generated": False,
}


def read(**changes):
    return evaluation.check(evaluation.parse(json.dumps(GOOD | changes)), ORDER, embed=local.encode)


def test_a_reply_that_keeps_the_rules_is_an_evaluation():
    accepted = read()
    assert (accepted.score, accepted.parts.depth, accepted.matching_topics) == (83, 10, ("PostgreSQL",))


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"score": 84}, "score is 84; it must be 83, the sum of its parts."),
        ({"parts": PARTS | {"depth": 16}, "score": 89}, "depth is 16; it must be 0 to 15."),
        ({"parts": PARTS | {"depth": -1}, "score": 72}, "depth is -1; it must be 0 to 15."),
        ({"is_ai_generated": True}, "score is 83; it must be 0, because is_ai_generated is true."),
        ({"matching_topics": ["Rust"]}, "'Rust' is not one of the topics"),
        ({"matching_topics": ["postgresql"]}, "'postgresql' is not one of the topics"),
        ({"summary": "Short."}, "The summary has 6 characters; write 50 to 200 characters."),
        ({"summary": "長" * 201}, "The summary has 201 characters"),
        ({"reasoning": ""}, "Give a reasoning"),
        ({"summary": f"{GOOD['summary']} https://evil.example/"}, "has a link, markup or a mention"),
        ({"reasoning": "@everyone look"}, "has a link, markup or a mention"),
        ({"summary": GOOD["summary"].replace("three", "nine")}, "The article does not say this in the summary"),
    ],
)
def test_a_reply_that_breaks_a_rule_says_which(changes, finding):
    with pytest.raises(BadReply) as refusal:
        read(**changes)
    assert finding in str(refusal.value)


@pytest.mark.parametrize("reply", ["", "no JSON", "[]", '{"score": "high"}', "[" * 100_000, json.dumps(GOOD)[:-20]])
def test_what_is_not_the_asked_form_is_refused(reply):
    with pytest.raises(BadReply) as refusal:
        evaluation.parse(reply)
    assert refusal.value.problem == "not_json"


def test_a_machine_written_article_has_no_points_unless_it_is_only_a_guess():
    assert read(is_ai_generated=True, score=0).score == 0
    guessed = read(is_ai_generated=True, is_estimate=True)
    assert (guessed.score, guessed.is_ai_generated) == (83, True)


def test_characters_are_counted_not_bytes():
    with_japanese = evaluation.parse(json.dumps(GOOD | {"summary": "新" * 200}, ensure_ascii=False))
    evaluation._check_texts(with_japanese)


def test_the_prompt_fences_the_article_and_names_the_topics_by_weight():
    prompt = evaluation.prompt(ORDER)
    assert prompt.user.index("- PostgreSQL (high): also: Postgres") < prompt.user.index("- Go (medium): x")
    assert BODY in prompt.user
    assert "never followed" in prompt.system
    assert "Write it again" in evaluation.prompt(ORDER, finding="score is 84.").user
