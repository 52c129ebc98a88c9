"""When two documents are the same article although nothing of them is equal."""

from datetime import UTC, datetime, timedelta

import pytest

from scoop.core import copies, hashes, signals, text
from scoop.core.copies import CopyCandidate

TITLE = "Harbour council votes to close the old bridge"
BODY = (
    "The harbour council voted on Tuesday night to close the old bridge until every cable has been checked twice. "
    "Engineers had found rust in the northern tower last week, and the mayor said nobody would drive over it before "
    "spring. Ferries will run every ten minutes, the council said, and the fares will stay as they are until March."
)
DAY = datetime(2026, 11, 14, tzinfo=UTC)


def an_article(number: int, title: str = TITLE, body: str = BODY, **changes) -> CopyCandidate:
    title_words, body_words = (hashes.digests(text.words(text.normalized(told))) for told in (title, body))
    given = {
        "document_id": number,
        "story_id": None,
        "title": title,
        "title_simhash": hashes.simhash(title_words),
        "published_at": DAY,
        "publisher": f"outlet{number}.example",
        "words": len(body_words),
        "sketch": tuple(signals.index_phrases(signals.phrases(body_words))),
    }
    return CopyCandidate(**(given | changes))


@pytest.mark.parametrize(
    "other",
    ["HARBOUR COUNCIL VOTES TO CLOSE THE OLD BRIDGE", f"{TITLE} - Lake Courier", f"\u201c{TITLE}\u201d"],
)
def test_one_headline_of_two_outlets_is_one_article(other):
    assert copies.same_headline(an_article(1), an_article(2, other)) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vega reports first quarter results of 12 million", "Vega reports first quarter results of 13 million"),
        ("Council votes to close the old bridge now", "Council votes to open the old bridge now"),
        (
            "Strong earthquake shakes the coast of northern Velia",
            "Strong earthquake shakes the coast of northern Moria",
        ),
        ("Morning briefing", "Morning briefing"),
        ("Live: markets as it happened on March 10", "Live: markets as it happened on March 11"),
    ],
)
def test_look_alike_headlines_are_two_articles(one, other):
    assert copies.same_headline(an_article(1, one, ""), an_article(2, other, "")) is None


def test_one_publisher_does_not_tell_a_story_twice_under_two_urls():
    same = {"publisher": "tribune.example"}
    assert copies.same_headline(an_article(1, **same), an_article(2, **same)) is None
    assert not copies.shortlist([(an_article(1, **same), an_article(2, **same))])


def test_a_headline_comes_back_after_weeks_for_another_story():
    assert copies.same_headline(an_article(1), an_article(2, published_at=DAY + timedelta(days=15))) is None


def test_an_unknown_date_neither_joins_nor_parts():
    assert copies.same_headline(an_article(1), an_article(2, published_at=None)) is not None


def test_one_headline_over_two_long_texts_about_other_things_is_two_articles():
    other = (
        "Bakers in the valley sell more rye than wheat this year because the summer was wet and the mills are far. " * 3
    )
    assert copies.have_long_bodies(an_article(1), an_article(2, body=other))
    assert not copies.bodies_agree(signals.extract(TITLE, BODY), signals.extract(TITLE, other))
    assert copies.bodies_agree(signals.extract(TITLE, BODY), signals.extract(TITLE, BODY))


def test_one_headline_over_a_template_with_other_figures_is_two_articles():
    monday, tuesday = (
        " ".join(
            f"{name} closed at {first + 7 * place} crowns a tonne in Ostburg."
            for place, name in enumerate("abcdefghij")
        )
        for first in (2100, 3311)
    )
    assert copies.bodies_agree(signals.extract(TITLE, monday), signals.extract(TITLE, monday))
    assert not copies.bodies_agree(signals.extract(TITLE, monday), signals.extract(TITLE, tuesday))


def test_a_retitled_copy_is_found_by_its_text():
    one, other = an_article(1), an_article(2, "No cars on the old bridge this winter", BODY[: len(BODY) * 2 // 3])
    assert copies.shortlist([(one, other)]) == [(one, other)]
    whole, part = (
        copies.phrase_text(text.normalized(BODY)),
        copies.phrase_text(text.normalized(BODY[: len(BODY) * 2 // 3])),
    )
    assert copies.copied_share(one, other, whole, part) > 0.9


def test_empty_and_tiny_bodies_are_no_copies_of_each_other():
    assert not copies.shortlist([(an_article(1, body=""), an_article(2, body=""))])
    few = copies.phrase_text("the old bridge is closed now")
    assert copies.copied_share(an_article(1), an_article(2), few, few) is None


def test_a_notice_that_stands_under_two_articles_makes_them_no_copies():
    notice = "sign up for our daily newsletter and follow us on all networks to share print or mail what you have read"
    one, other = an_article(1, "Bomber flies over disputed airspace", notice), an_article(2, body=notice)
    assert copies.copied_share(one, other, copies.phrase_text(notice), copies.phrase_text(notice)) is None


def test_however_many_copies_a_story_has_a_new_one_is_compared_with_a_few():
    crowd = [(an_article(1), an_article(number, story_id=7)) for number in range(2, 200)]
    assert 0 < len(copies.shortlist(crowd)) <= copies.MAX_COMPARED_PER_STORY
    strangers = [(an_article(1), an_article(number, story_id=number)) for number in range(2, 50)]
    assert len(copies.shortlist(strangers)) == 48


def test_a_text_under_many_titles_that_it_does_not_mention_is_no_article():
    words = ("minister", "goalkeeper", "volcano", "orchestra", "vaccine", "glacier", "satellite", "tariff", "museum")
    unrelated = [f"{word.title()} in the news" for word in (*words, "orchids")]
    body = copies.phrase_text(text.normalized(BODY))
    assert copies.is_boilerplate(body, unrelated)
    assert not copies.is_boilerplate(body, [*unrelated[:9], *unrelated[:9]])
    assert not copies.is_boilerplate(body, [f"{word.title()} and the harbour bridge" for word in words] * 3)
