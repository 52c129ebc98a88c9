"""The features of pairs of documents, and what follows from them."""

import numpy as np
import pytest

from scoop.core import editions, links, signals
from scoop.core.links import Compared

FIT = links.load_model("use-multilingual", "v3+lead400")


def a_document(title, text="", **changes):
    described = {"day": 1.0, "publisher": "", "language": "en", "words": len(text.split()), "is_of_many_events": False}
    return Compared(signals=signals.extract(title, text), **(described | changes))


def features(one, other, cosine=0.9):
    own = links.pair_features(one, [other], np.array([cosine], dtype=np.float32))
    nobody = links.stack_neighbourhoods(
        [links.Neighbourhood(ids=np.array([], int), cosines=np.array([], np.float32))] * 2
    )
    around = links.neighbourhood_features(own[:, 0], nobody, np.array([0]), np.array([1]))
    return np.hstack([own, around])


FIRE = a_document(
    "Library of Ostburg burns down", "Flames destroyed ninety thousand books in Ostburg, Jonas Weil said."
)
AGAIN = a_document("Ninety thousand books lost", "The library of Ostburg burns down: Jonas Weil fought the flames.")


def test_a_title_that_the_other_text_repeats_is_seen_in_either_order():
    there, back = (links.features_by_name(features(*pair)[0]) for pair in ((FIRE, AGAIN), (AGAIN, FIRE)))
    assert there["title_in_lead"] == pytest.approx(back["title_in_lead"])
    assert there["titles_in_leads"] == pytest.approx(back["titles_in_leads"])
    assert there["title_in_lead"] == pytest.approx(1, abs=0.01)
    assert 0 < there["titles_in_leads"] < 1


def test_documents_without_words_can_be_compared():
    row = links.features_by_name(features(a_document(""), FIRE)[0])
    assert row["title_in_lead"] == row["titles_in_leads"] == 0


@pytest.mark.parametrize(
    "changes", [{"publisher": "bbc"}, {"is_of_many_events": True}], ids=["one publisher", "a round-up"]
)
def test_a_pair_that_can_only_be_related_stays_below_the_threshold_of_coverage(changes):
    one, other = (a_document("Library of Ostburg burns down", "Flames in Ostburg. " * 9, **changes) for _ in range(2))
    alike = a_document("Library of Ostburg burns down", "Flames in Ostburg. " * 9)
    assert FIT.probabilities(features(alike, alike, 1.0))[0] >= FIT.coverage_at
    assert FIT.probabilities(features(one, other, 1.0))[0] < FIT.coverage_at


def test_two_editions_of_a_daily_series_are_related_at_most():
    text = "Shares in Ostburg closed higher, helped by the harbour and by the telephone company. " * 5
    one, other, same = (
        a_document(title, text, dated_title=editions.dated_title(title), publisher=publisher)
        for title, publisher in (
            ("Markets close higher on Tuesday", "herald"),
            ("Markets close higher on Wednesday", "post"),
            ("Markets close higher on Tuesday", "post"),
        )
    )
    assert FIT.probabilities(features(one, same, 1.0))[0] >= FIT.coverage_at
    assert FIT.probabilities(features(one, other, 1.0))[0] < FIT.coverage_at
    assert links.are_one(one, same, features(one, same, 1.0)[0], FIT)
    assert not links.are_one(one, other, features(one, other, 1.0)[0], FIT)


METALS = ["copper", "lead", "zinc", "tin", "nickel", "cobalt", "silver", "gold", "tungsten", "lithium"]


def closing_prices(first, *, publisher):
    """A report of closing prices, of which the figures alone change from day to day."""
    lines = [
        f"{metal} closed at {first + 7 * place} crowns a tonne on the Ostburg exchange, {first % 9}.{place} percent up."
        for place, metal in enumerate(METALS)
    ]
    return a_document("Metals on the Ostburg exchange close higher", " ".join(lines), publisher=publisher)


def test_one_template_with_other_figures_is_another_report():
    today, again, tomorrow = (
        closing_prices(first, publisher=publisher)
        for first, publisher in ((2100, "herald"), (2100, "post"), (3311, "times"))
    )
    assert links.are_one(today, again, features(today, again, 1.0)[0], FIT)
    assert FIT.probabilities(features(today, again, 1.0))[0] >= FIT.coverage_at
    assert not links.are_one(today, tomorrow, features(today, tomorrow, 1.0)[0], FIT)
    assert FIT.probabilities(features(today, tomorrow, 1.0))[0] < FIT.coverage_at


def test_a_text_that_developed_shares_most_of_its_figures():
    early = closing_prices(2100, publisher="herald")
    later = a_document(
        "Metals on the Ostburg exchange close higher",
        " ".join(f"{metal} closed at {2100 + 7 * place} crowns a tonne." for place, metal in enumerate(METALS)),
    )
    assert not links.have_other_figures(early.signals, later.signals)
