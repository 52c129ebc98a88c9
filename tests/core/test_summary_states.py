import pytest

from scoop.core import summaries
from scoop.core.briefs.summary import MIN_BODY
from scoop.model import PAGE_PENDING


@pytest.mark.parametrize(
    ("content_problem", "characters", "expected"),
    [(None, MIN_BODY, True), (None, MIN_BODY - 1, False), (PAGE_PENDING, 0, True), ("paywall", MIN_BODY, False)],
)
def test_a_text_is_long_enough_or_its_page_is_still_to_be_read(content_problem, characters, expected):
    assert summaries.has_text(content_problem=content_problem, characters=characters) is expected


@pytest.mark.parametrize(
    ("is_summarized", "has_failed", "has_text", "expected"),
    [
        (True, True, False, "summarized"),
        (False, True, True, "summary_failed"),
        (False, False, False, "summary_failed"),
        (False, False, True, "pending_summary"),
    ],
)
def test_a_summary_that_exists_counts_more_than_a_failure(is_summarized, has_failed, has_text, expected):
    state = summaries.summary_state(is_summarized=is_summarized, has_failed=has_failed, has_text=has_text)
    assert state == expected
