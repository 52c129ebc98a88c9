import pytest

from scoop.core import failure_rates
from scoop.core.failure_rates import ArticleCounts


def alarms(articles, not_fetched=0, not_summarized=0):
    counts = ArticleCounts(source="gazette", articles=articles, not_fetched=not_fetched, not_summarized=not_summarized)
    return failure_rates.alarms([counts])


@pytest.mark.parametrize(("articles", "failed"), [(0, 0), (60, 0), (60, 3), (40, 2), (1, 1), (10, 1)])
def test_up_to_five_percent_or_a_single_failure_raise_no_alert(articles, failed):
    assert alarms(articles, failed) == {}


@pytest.mark.parametrize(("articles", "failed"), [(60, 4), (39, 2), (2, 2)])
def test_more_than_five_percent_raise_an_alert(articles, failed):
    assert alarms(articles, failed).keys() == {("articles_failing", "gazette")}


def test_the_message_says_how_many_failed_and_in_which_way():
    assert alarms(20, 2, 1) == {
        ("articles_failing", "gazette"): "gazette: 3 of 20 articles of the last 24 hours failed (15%): 2 not fetched, "
        "1 without a summary"
    }


def test_a_page_that_was_fetched_but_has_no_article_is_not_a_failure():
    assert not failure_rates.FETCH_PROBLEMS & {"short", "empty", "paywall", "not_html"}
    assert {"http_error", "timeout", "unreachable"} <= failure_rates.FETCH_PROBLEMS
