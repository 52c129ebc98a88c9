"""The lowest lessons tell a report in the present, where that is good English and stays true."""

import pytest

from scoop.core.briefs import SourceText
from scoop.core.grading import lessons, tenses
from scoop.core.grading.trees import Tree
from scoop.parsers import english

TOWNS = ("Skarn", "Grimsvoe", "Northgate", "Aldermere", "Millgate", "Corvane", "Oresh", "Almedra", "Kembe", "Banuri")


def in_present(sentence: str, verbs: frozenset[str] = tenses.EVENTS) -> str:
    tree = Tree(tokens=tuple(english.parse([sentence])[0][0]))
    return "".join(token.text + " " * token.has_space for token in tenses.in_present(tree, verbs).tokens).strip()


@pytest.mark.parametrize(
    ("past", "present"),
    [
        ("Engineers found cracks in two pillars.", "Engineers find cracks in two pillars."),
        ("The mayor closed the bridge and left the town.", "The mayor closes the bridge and leaves the town."),
        ("The firm did not find the car.", "The firm does not find the car."),
        ('"It was a long day," she said.', '"It was a long day," she says.'),
        ("Police arrested a man who robbed a bank.", "Police arrest a man who robbed a bank."),
        ("Police said that a man died.", "Police say that a man died."),
        ("Helen Ward told reporters that the plan will help.", "Helen Ward tells reporters that the plan will help."),
    ],
)
def test_events_are_told_in_the_present(past: str, present: str) -> None:
    assert in_present(past) == present


@pytest.mark.parametrize(
    "sentence",
    [
        "The town closed the bridge in 2008.",
        "The town closed the bridge on Monday.",
        "The walkout started at 06:00.",
        "She lived in Leeds.",
        "The judge said that the man was ill.",
        "The council said that the repair would take six weeks.",
        "The council found the money after the bridge had closed.",
        "The bridge was old and the town closed it.",
        "Half of the voters rejected the plan.",
        "MPs accused officials of a mistake.",
        "The judges have turned it down and sent everybody home.",
    ],
)
def test_what_may_have_ended_or_has_a_time_of_its_own_stays_in_the_past(sentence: str) -> None:
    assert in_present(sentence) == sentence


def test_only_the_beginning_of_a_report_tells_its_events_in_the_present() -> None:
    assert in_present("Thousands fled the city.", tenses.REPORTS) == "Thousands fled the city."
    assert in_present("Helen Ward warned the drivers.", tenses.REPORTS) == "Helen Ward warns the drivers."


def test_the_lowest_lesson_alone_is_in_the_present() -> None:
    told = "Helen Ward warned the drivers of long waits at the old bridge near the town."
    more = " ".join(f"The bus to {town} takes the long road, and many people use it." for town in TOWNS)
    article = SourceText(document_id=7, title="", body_text=f"{told} {more}", language="en", publisher="gazette")
    graded = lessons.grade([article], ["A1", "A2"], parse=english.parse)
    assert graded["A1"].text.startswith("Helen Ward warns the drivers")
    assert graded["A2"].text.startswith("Helen Ward warned the drivers")
