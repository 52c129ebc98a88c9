from collections import namedtuple
from datetime import UTC, date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from scoop.core import access
from scoop.core.briefs import prompts
from scoop.model import Outlet, Story
from scoop.web import labels
from scoop.web.context import Context, day_href

Covered = namedtuple("Covered", "outlet_count publisher_family_count")
NOW = datetime(2024, 5, 16, 12, 0, tzinfo=UTC)


def a_story(**changes):
    defaults = {
        "story_id": 1,
        "story_uuid": UUID(int=1),
        "event_uuid": UUID(int=1),
        "collection": "world_news",
        "title": "River rises",
        "url": None,
        "status": "active",
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        "item_count": 1,
        "source_count": 1,
        "publisher_family_count": 1,
        "sources": ["one"],
        "publisher_families": ["one"],
        "language": "en",
        "lead": "",
    }
    return Story(**defaults | changes)


def a_context(timezone="UTC", newsstand=None):
    return Context(
        now=NOW, timezone=ZoneInfo(timezone), newsstand=newsstand, visitor=access.anonymous(is_reading_public=True)
    )


@pytest.mark.parametrize(
    ("passed", "age"),
    [
        (timedelta(hours=-1), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 min ago"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=2.5), "2 h ago"),
        (timedelta(hours=24), "1 d ago"),
        (timedelta(days=6, hours=23), "6 d ago"),
        (timedelta(days=7), "9 May 2024"),
    ],
)
def test_an_age_is_said_as_people_do(passed, age):
    assert labels.age(NOW - passed, now=NOW) == age


@pytest.mark.parametrize(
    ("documents", "outlets", "newsrooms", "said"),
    [
        (1, 1, 1, "1 source"),
        (3, 3, 2, "3 sources, 2 independent"),
        (7, 5, 4, "5 sources, 4 independent, in 7 documents"),
        (2, 1, 2, "1 source, in 2 documents"),
        (5, 2, 4, "2 sources, 2 independent, in 5 documents"),
    ],
)
def test_how_widely_a_story_is_told(documents, outlets, newsrooms, said):
    story = a_story(item_count=documents, source_count=outlets, publisher_family_count=newsrooms)
    assert labels.coverage_counts(story) == said


@pytest.mark.parametrize(
    ("first", "last", "documents", "word"),
    [(1, 1, 1, "new"), (1, 0, 2, "new"), (5, 1, 2, "developing"), (5, 1, 1, None), (9, 7, 2, None)],
)
def test_a_story_is_new_then_developing_then_neither(first, last, documents, word):
    seen = {"first_seen_at": NOW - timedelta(hours=first), "last_seen_at": NOW - timedelta(hours=last)}
    assert labels.status(a_story(**seen, item_count=documents), now=NOW) == word


@pytest.mark.parametrize(
    ("source", "given", "name", "initials"),
    [
        ("coastal_tribune_west", None, "Coastal Tribune West", "CT"),
        ("spreebote", None, "Spreebote", "Sp"),
        ("bbc_news_uk", None, "BBC News UK", "BN"),
        ("nyt", "The New York Times", "The New York Times", "TN"),
        ("blog.example.org", None, "blog.example.org", "BE"),
        ("朝日新聞", None, "朝日新聞", "朝日"),
        ("evil\u202eeman", None, "Evileman", "Ev"),
        ("<b>", None, "<b>", "B"),
        ("-", None, "-", "?"),
    ],
)
def test_an_outlet_has_a_name_and_initials(source, given, name, initials):
    assert labels.outlet_name(source, given) == name
    assert labels.initials(name) == initials


@pytest.mark.parametrize(
    ("collection", "name"),
    [
        ("ai_news", "AI News"),
        ("world", "World"),
        ("US politics", "US Politics"),
        ("eu-law", "EU Law"),
        ("_", "_"),
        ("日本", "日本"),
    ],
)
def test_a_collection_has_a_heading(collection, name):
    assert labels.collection_name(collection) == name


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "English"),
        ("en-AU", "English (AU)"),
        ("zh-Hans", "Chinese (Hans)"),
        ("xx", "xx"),
        ("und", "language unknown"),
    ],
)
def test_variants_of_a_language_have_different_names(language, name):
    assert labels.language_name(language) == name


@pytest.mark.parametrize(("count", "said"), [(0, "0 stories"), (1, "1 story"), (1234, "1,234 stories")])
def test_a_count_of_one_is_singular(count, said):
    assert labels.counted(count, "story", "stories") == said


def test_the_lead_is_the_beginning_of_the_text_on_one_line_cut_between_words():
    assert labels.lead(a_story(lead="One\nline.\n\nTwo.")) == "One line. Two."
    assert labels.lead(a_story(lead=f"Comments\n\n{'A whole sentence of the article. ' * 2}")).startswith("A whole")
    assert labels.lead(a_story(lead="word " * 80)).endswith("word …")


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-11-15", 24)])
def test_a_day_lasts_as_long_as_its_clocks_say(day, hours):
    since, until = a_context("Europe/Berlin").window(date.fromisoformat(day))
    assert until.astimezone(UTC) - since.astimezone(UTC) == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://real.org/a?b=c", "https://real.org/a?b=c"),
        ("http://tribune.example/a?b=c", "http://stand/tribune.example/a?b=c"),
        ("http://tribune.example", "http://stand/tribune.example/"),
        ("https://example.com/", "https://example.com/"),
        ("http://user:word@tribune.example:81/a", "http://stand/tribune.example/a"),
        ("javascript:alert(1)", None),
        ("JAVASCRIPT://x.example/%0aalert(1)", None),
        ("data:text/html,x", None),
        ("//evil.test/", None),
        ("/etc/passwd", None),
        ("http://[broken", None),
        ("http://", None),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_become_links(url, href):
    assert a_context(newsstand="http://stand").href(url) == href


def test_a_collection_is_quoted_in_addresses():
    assert (
        day_href(date(2024, 5, 16), collection="a&b #1", offset=200)
        == "/days/2024-05-16?collection=a%26b%20%231&offset=200"
    )


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([["two"], ["three", "one"]], "2 more outlets"),
        ([["two"]], "1 more outlet"),
        ([["one"], ["one"]], "2 more stories"),
        ([["one"]], "1 more story"),
    ],
)
def test_other_stories_of_an_event_are_counted_by_outlets_or_as_stories_of_the_same_outlet(others, said):
    stories = [a_story(sources=sources) for sources in others]
    assert labels.other_story_counts(a_story(sources=["one"]), stories, [], len(stories)) == said


def test_sections_of_one_paper_under_one_name_are_one_outlet():
    sections = [
        Outlet(source=source, source_name="BBC News", url=None, publisher_family="bbc", publisher_name="BBC")
        for source in ("bbc_world", "bbc_tech")
    ]
    story = a_story(sources=["bbc_tech", "bbc_world"], source_count=2)
    assert labels.story_outlets(story, sections) == "BBC News"
    others = [a_story(sources=["bbc_tech"]), a_story(sources=["tribune"])]
    assert labels.other_story_counts(a_story(sources=["bbc_world"]), others, sections, 2) == "1 more outlet"


def test_an_event_never_has_more_independent_publishers_than_outlets():
    assert labels.outlet_counts(Covered(12, 9)) == "12 outlets, 9 independent"
    assert labels.outlet_counts(Covered(2, 3)) == "2 outlets, 2 independent"
    assert labels.outlet_counts(Covered(1, 1)) == ""


def test_a_story_of_an_event_names_its_first_outlet():
    first, other = (
        Outlet(source=source, source_name=name, url=None, publisher_family=source, publisher_name=source)
        for source, name in (("one", "Ostburg One"), ("two", None))
    )
    assert labels.story_outlets(a_story(sources=["two"]), [first, other]) == "Two"
    assert labels.story_outlets(a_story(sources=["one", "two"], source_count=2), [first, other]) == (
        "Ostburg One and 1 more"
    )
    assert labels.story_outlets(a_story(sources=["far_away"]), [first, other]) == "Far Away"


def test_a_story_of_an_event_names_the_outlet_of_its_publisher_before_those_that_link_to_it():
    linking, own = (
        Outlet(source=name, source_name=name, url=None, publisher_family="herald.example", publisher_name="Herald")
        for name in ("Link Pile", "Herald")
    )
    story = a_story(sources=["Herald", "Link Pile"], source_count=2)
    assert labels.story_outlets(story, [linking, own]) == "Herald and 1 more"


def test_every_language_of_the_pages_can_be_asked_for():
    assert [code for code in labels.LANGUAGES if prompts.asked_language(code) != code] == []


@pytest.mark.parametrize("code", ["xx", "qaa", "klingon", "", "<b>"])
def test_a_code_of_another_language_cannot_be_asked_for(code):
    assert prompts.asked_language(code) is None


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        ("wrong_language: The summary is in German; write it in English.", "The summary is in German, not in English"),
        (
            "unsupported: 'Rust' is not one of the topics; use them as they are spelled.",
            "'Rust' is not one of the topics",
        ),
        (
            "inverted: The text is easier than the text of level A2: write it harder.",
            "The text is easier than the text of level A2",
        ),
        ("not_json: https://models.example/v1?key=s3cret is no JSON.", "https://models.example/v1?… is no JSON"),
        (None, "the reason is unknown"),
    ],
)
def test_the_reason_of_a_text_that_failed_is_for_people_and_has_no_secret(problem, reason):
    assert labels.failure_reason(problem) == reason


def test_the_beginning_of_a_text_has_half_as_many_characters_if_they_are_twice_as_wide():
    assert len(labels.beginning("word " * 200, "en")) > 1.8 * len(labels.beginning("語" * 1000, "ja-JP"))
