"""What each publisher adds to an event: cautious, at most a few facts, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from scoop.core import contributions
from scoop.core.contributions import MAX_FACTS, PublisherText


def a_report(publisher, body, *, title="Library burns", language="en"):
    return PublisherText(publisher=publisher, language=language, title=title, body=body)


def test_a_figure_with_what_it_counts_and_a_name_are_contributions():
    found = contributions.list_contributions(
        [a_report("a", "The fire took 41 firefighters, said its chief, Jonas Weil."), a_report("b", "A fire was seen.")]
    )
    assert found == {"a": ["41 firefighters", "Jonas Weil"]}


def test_a_number_that_another_publisher_has_of_anything_is_none():
    reports = [a_report("a", "In all 41 firefighters came."), a_report("b", "消防士41人が出動した。", language="ja")]
    assert contributions.list_contributions(reports) == {}


def test_a_number_that_another_publisher_spells_out_is_none():
    reports = [a_report("a", "In all 12 firefighters came."), a_report("b", "The fire kept twelve crews busy.")]
    assert contributions.list_contributions(reports) == {}


def test_a_name_is_none_if_another_publisher_has_a_part_of_it():
    reports = [a_report("a", "The fire was out, said Jonas Weil."), a_report("b", "Weil said the fire was out.")]
    assert contributions.list_contributions(reports) == {}


def test_a_people_adds_nothing_to_its_country():
    ours = a_report("a", "Talks with Iranian and Ukrainian envoys, Israel and Peru went on.")
    theirs = a_report("b", "Iran and Ukraine met, an Israeli envoy said.")
    assert contributions.list_contributions([ours, theirs])["a"] == ["Peru"]


def test_the_beginning_of_a_sentence_is_no_name():
    reports = [a_report("a", "Flames rose. Nobody came. Witnesses fled."), a_report("b", "It burned.")]
    assert contributions.list_contributions(reports) == {}


def test_dates_and_years_are_no_contributions():
    reports = [a_report("a", "It was built in 1998 and burned on Monday, 3 May, for 5 hours."), a_report("b", "Fire.")]
    assert contributions.list_contributions(reports) == {}


def test_nouns_with_capital_letters_are_no_names_but_figures_count_them():
    report = a_report("a", "Rund 120 Feuerwehrleute kamen, sagte der Leiter der Wache.", language="de")
    assert contributions.list_contributions([report, a_report("b", "It burned.")]) == {"a": ["120 Feuerwehrleute"]}


def test_an_amount_of_money_needs_nothing_counted():
    reports = [a_report("a", "Repairs cost $4.2 million."), a_report("b", "Repairs are costly.")]
    assert contributions.list_contributions(reports) == {"a": ["$4.2 million"]}


def test_japanese_counters_are_units_and_dates_are_not():
    reports = [a_report("a", "5月3日、38棟が焼けた。", language="ja"), a_report("b", "It burned.")]
    assert contributions.list_contributions(reports) == {"a": ["38棟"]}


def test_a_single_publisher_adds_nothing_to_itself():
    assert contributions.list_contributions([a_report("a", "In all 41 firefighters came.")] * 2) == {}


@given(st.lists(st.builds(a_report, st.sampled_from("abc"), st.text(max_size=400)), max_size=6))
def test_any_text_gives_few_facts_that_no_other_publisher_has(reports):
    for publisher, facts in contributions.list_contributions(reports).items():
        assert 1 <= len(facts) <= MAX_FACTS
        others = "\n".join(report.whole for report in reports if report.publisher != publisher)
        assert not any(fact in others for fact in facts)
