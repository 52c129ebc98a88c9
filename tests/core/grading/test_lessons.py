"""Lessons of the local grader: what they keep, what they refuse, and that nothing makes it fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoop.core.briefs import SourceText
from scoop.core.grading import lessons, sources
from scoop.core.levels import check
from scoop.core.levels.rules import LEVELS, RULES
from scoop.errors import Reject
from scoop.parsers import english

ARTICLE = """The town council of Aldermere closed the old bridge on Monday after engineers found cracks in two pillars.
The bridge, which was built in 1931, carries about 4,000 cars a day between Aldermere and the harbour.
Mayor Helen Ward said that the repair would take six weeks and that it would cost 2 million pounds.
Buses will use the road along the river, and the council has asked drivers to leave their cars at home.
Engineers examined the bridge in March, when a lorry hit a wall, but they did not find any damage at that time.
The council plans to open the bridge again in June, and it will pay for the work with money from the road fund.
Shop owners near the bridge say that they lost many customers this week because people cannot reach them easily.
The school in Mill Street, which has 300 pupils, opened an hour later on Tuesday so that children could walk there.
Ward told reporters that the safety of the people was more important than the time of their journeys.
A new bridge has been planned since 2019, but the money for it has not been found."""


def source(text: str = ARTICLE, language: str = "en") -> SourceText:
    return SourceText(document_id=7, title="", body_text=text, language=language, publisher="gazette")


def test_a_lesson_is_shorter_and_easier_at_a_lower_level() -> None:
    graded = lessons.grade([source()], LEVELS, parse=english.parse)
    difficulties = [lessons.difficulty(graded[level].text) for level in LEVELS if level in graded]
    assert difficulties == sorted(difficulties)
    assert len(graded["A1"].text.split()) < len(graded["B1"].text.split())


def test_every_sentence_cites_the_passage_that_it_rests_on() -> None:
    graded = lessons.grade([source()], ["A2"], parse=english.parse)
    for sentence in graded["A2"].sentences:
        assert all(ARTICLE[one.start : one.end].endswith(".") for one in sentence.citations)
        assert sentence.citations


def test_a_source_in_another_language_is_refused_with_the_reason() -> None:
    with pytest.raises(Reject, match="English texts only"):
        lessons.grade([source("Die Brücke ist seit Montag gesperrt.", "de")], ["A1"], parse=english.parse)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([*ARTICLE.split(), ",", '"', "(", ")", "?", "\n", "who", "—", ""]), max_size=80))
def test_no_text_makes_the_grader_fail_or_break_the_limits_of_a_level(words: list[str]) -> None:
    try:
        graded = lessons.grade([source(" ".join(words))], LEVELS, parse=english.parse)
    except Reject:
        return
    for level, lesson in graded.items():
        assert lesson.sentences
        assert len(lesson.text.split()) <= RULES[level].most_words + 5


def test_a_short_article_gives_shorter_extracts_at_the_highest_levels() -> None:
    short = "\n".join(ARTICLE.splitlines()[:6])
    graded = lessons.grade([source(short)], LEVELS, parse=english.parse)
    for level in ("C1", "C2"):
        least = RULES[level].least_words
        assert lessons.SHORTEST_EXTRACT * least <= len(graded[level].text.split()) < least


def test_sentences_stay_whole_where_short_ones_are_too_few_for_a_level() -> None:
    voyages = {
        "Skarn": "crossed the wide bay",
        "Grimsvoe": "carried two hundred people",
        "Northgate": "stopped near a fort",
        "Aldermere": "passed three small islands",
        "Millgate": "waited outside the harbour",
        "Corvane": "turned in a long canal",
    }
    text = " ".join(
        f"The ferry {done} on Monday before it reached {town}, and the captain told the people that the wind was cold."
        for town, done in voyages.items()
    )
    graded = lessons.grade([source(text)], ["B2"], parse=english.parse)
    assert check.check(graded["B2"].text, "B2") == ()


def test_words_that_nobody_may_use_are_not_counted() -> None:
    asked = "Do you know the bridge? We do. The bridge is old and closed."
    assert sources.usable_words(asked) == 6
