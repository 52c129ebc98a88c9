"""What is new in a story that was told before."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoop.core import novelty
from scoop.core.novelty import DocumentVersion

QUAKE = "A quake shook Ostburg in the night. At least 12 people were killed and 40 houses fell, said the mayor."
TITLE = "Quake shakes Ostburg"


def a_version(body=QUAKE, *, publisher="tribune", title=TITLE, language="en") -> DocumentVersion:
    return DocumentVersion(
        version=f"{publisher}:{title}:{body}",
        publisher=publisher,
        publisher_name=publisher.capitalize(),
        language=language,
        title=title,
        body=body,
    )


TOLD = a_version()


def news(*fresh: DocumentVersion, told=(TOLD,), title=TITLE) -> str:
    """What a reader who was told some documents learns from the story, now that it has others, too."""
    return novelty.describe_development(novelty.remember(told), [*told, *fresh], title=title)


def test_what_was_told_is_nothing_new():
    assert news() == ""


def test_the_text_of_a_page_is_nothing_new_in_an_article_that_was_told_by_its_teaser():
    teaser = a_version("A quake shook Ostburg.")
    memory = novelty.remember([teaser])
    whole, copy = replace(teaser, body=QUAKE), a_version(publisher="herald")
    assert novelty.describe_development(memory, [whole], title=TITLE) == ""
    assert novelty.describe_development(memory, [whole, copy], title=TITLE) == ""


def test_the_same_in_other_words_is_nothing_new():
    body = "The mayor of Ostburg said 40 houses fell and 12 people were killed when the ground shook."
    assert news(a_version(body, publisher="herald", title="Ground shakes in Ostburg")) == ""


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("Now 31 people were killed, said the mayor.", "31 killed (was 12)"),
        ("The mayor counts 75 houses that fell.", "75 houses (was 40)"),
        ("The mayor counts seventeen houses that fell.", "17 houses (was 40)"),
        ("About 300 houses fell.", "300 houses (was 40)"),
    ],
)
def test_a_figure_that_changed_is_named_with_the_old_one(body, change):
    assert change in news(a_version(body, publisher="herald"))


def test_a_figure_that_changed_is_seen_in_a_rewritten_article():
    assert news(a_version(QUAKE.replace("12", "19"))) == "19 killed (was 12)"


@pytest.mark.parametrize(
    "body",
    [
        "In 2026 the quake struck on 16 November at 5 am.",  # of dates and times there are many
        "A fund of 4,000,000 houses is planned.",  # too far from 40 to be the same count
        "The roof of the 3 schools held.",  # one more fact alone
    ],
)
def test_a_figure_of_something_else_is_no_development(body):
    assert news(a_version(body, publisher="herald")) == ""


def test_figures_deep_in_an_article_are_no_news():
    assert news(a_version("It was dark. " * 40 + "Now 31 people were killed.", publisher="herald")) == ""


def test_what_was_known_deep_in_an_article_is_not_new_elsewhere():
    told = a_version("It was dark. " * 100 + "In all 31 people were killed.")
    assert news(a_version("In all 31 people were killed.", publisher="herald"), told=[told]) == ""


def test_many_new_names_and_figures_are_a_development():
    body = (
        "Jonas Weil leads the rescue with 9 dogs, 14 trucks and 3 cranes. Mara Lind of the Red Aid sent 200 tents, "
        "Oskar Brandt gave 60 beds."
    )
    change = news(a_version(body, publisher="herald"))
    assert change.startswith("new: ")
    assert "Jonas Weil" in change


def test_another_language_alone_is_nothing_new():
    german = a_version(
        "In Ostburg starben 31 Menschen. Jonas Weil, Mara Lind, Oskar Brandt, Ida Stern, Emil Kranz halfen.",
        publisher="zeitung",
        title="Erdbeben in Ostburg",
        language="de",
    )
    assert news(german) == ""
    assert news(replace(german, language="en")) != ""


def test_a_new_headline_of_the_same_publisher_is_news_and_named():
    changed = a_version("It came late.", title="Mayor resigns over slow rescue")
    assert news(changed) == "Tribune: Mayor resigns over slow rescue"


def test_the_headline_is_not_said_twice():
    changed = a_version("It came late.", title="Mayor resigns over slow rescue")
    assert news(changed, title=changed.title) not in {"", f"tribune: {changed.title}"}


@pytest.mark.parametrize("title", [TITLE.upper(), "Strong quake shakes Ostburg", "Ostburg: quake shakes"])
def test_the_old_headline_in_other_words_is_nothing_new(title):
    assert news(a_version(title=title)) == ""


def test_many_more_voices_are_a_development():
    names = ["globe", "herald", "post", "star"]
    assert news(*(a_version(publisher=name) for name in names[:2])) == ""
    assert news(*(a_version(publisher=name) for name in names)) == "now also covered by Globe, Herald, Post and others"


def test_what_many_told_needs_as_many_new_voices():
    told = [a_version(publisher=f"paper_{number}") for number in range(5)]
    fresh = [a_version(publisher=f"radio_{number}") for number in range(5)]
    assert news(*fresh[:4], told=told) == ""
    assert news(*fresh, told=told).startswith("now also covered by ")


def test_the_last_words_of_a_short_article_are_read():
    assert (
        news(a_version("The mayor counts 75 houses", publisher="herald"))
        == "75 houses (was 40); now also covered by Herald"
    )


def test_a_word_that_is_cut_off_is_no_fact():
    body = "x " * 193 + " and 75 housesitters were found"
    assert body[: novelty.LEAD_CHARACTERS].endswith("75 houses")
    assert news(a_version(body, publisher="herald")) == ""


def test_figures_are_found_where_words_have_no_spaces():
    told, fresh = (f"{count}人が死亡した。" + "東京で地震があり、" * 60 for count in (12, 31))
    change = news(a_version(fresh, publisher="herald", language="ja"), told=[a_version(told, language="ja")])
    assert change == "31 人が (was 12); now also covered by Herald"


def test_several_tellings_are_remembered_together():
    later = a_version("Now 31 people were killed.", publisher="herald")
    known = novelty.combine([novelty.remember([TOLD]), novelty.remember([later])])
    assert novelty.describe_development(known, [a_version("It is 31 killed.", publisher="post")], title=TITLE) == ""
    assert novelty.combine([]).versions == frozenset()


WILD = st.lists(
    st.sampled_from([*"0123456789 ,.-\n$", "two ", "ſix ", "fıve ", "Aa", "Bb ", "'", "人", "٣", "million ", "killed "])
    | st.text(max_size=4),
    max_size=60,
).map("".join)


@given(WILD, WILD, WILD)
@example("1" * 20_000, "2" * 20_000, "1" * 20_000)
@example("Aa-" * 7_000, "A'" * 10_000, "A " * 10_000)
@example("9" * 400 + " houses", "8" * 399 + " houses", "0 houses")
@example("ſix houses", "fıve houses", "FİVE houses")
def test_no_text_is_too_wild(title, before, after):
    told = novelty.remember([a_version(before, title=title)])
    fresh = [a_version(after, title=title, publisher="herald"), a_version(before, title=after)]
    assert isinstance(novelty.describe_development(told, fresh, title=title), str)
    assert novelty.describe_development(told, [a_version(before, title=title)], title=title) == ""
