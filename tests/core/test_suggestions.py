"""The name that was meant."""

import pytest

from scoop.core import suggestions


@pytest.mark.parametrize(
    ("word", "names", "meant"),
    [
        ("storis", ["stories", "story", "stats"], "stories"),
        ("--lmit", ["--limit", "--json"], "--limit"),
        ("--run_now", ["--run-now"], "--run-now"),
        ("coll", ["port", "collection"], "collection"),
        ("SCOOP_TIMEZNE", ["SCOOP_TIMEZONE", "SCOOP_HOME"], "SCOOP_TIMEZONE"),
        ("PORT", ["port"], "port"),
        ("frobnicate", ["stories", "story"], None),
        ("", ["stories"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name_is_found_or_none(word, names, meant):
    assert suggestions.nearest(word, names) == meant


def test_a_question_ends_an_error_message_where_a_name_is_near():
    assert suggestions.question("prot", ["port", "host"]) == "; did you mean port?"
    assert suggestions.question("frobnicate", ["port", "host"]) == ""
