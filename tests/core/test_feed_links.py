"""Which parameters of the links of a feed are tracking, decided by comparing the links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import feed_links, urls
from scoop.core.feed_links import MIN_LINKS, without_tracking


def links(form: str, count: int = MIN_LINKS) -> list[str]:
    return [form.format(number) for number in range(count)]


@pytest.mark.parametrize(
    ("form", "clean"),
    [
        ("https://e.example/{}?rss=1", "https://e.example/{}"),
        ("https://e.example/a/{}.html?x=9&y=%20#top", "https://e.example/a/{}.html#top"),
        ("https://e.example/{}?id={}&from=feed", "https://e.example/{}?id={}"),
        ("https://e.example/story?id={}&rss=1", "https://e.example/story?id={}"),
    ],
)
def test_a_parameter_with_one_value_on_all_links_is_removed(form, clean):
    form, clean = form.replace("{}", "{0}"), clean.replace("{}", "{0}")
    assert without_tracking(links(form)) == dict(zip(links(form), links(clean), strict=True))


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("https://e.example/index.php?option=com_content&view=article&id={}", "without them it is another page"),
        ("https://e.example/{}?lang=en", "it selects the language"),
        ("https://e.example/{0}?id={0}", "its values differ"),
        ("https://e.example/{}", "there is none"),
        ("https://e.example/?p={}", "it is the only address"),
    ],
)
def test_a_parameter_that_selects_the_page_stays(form, reason):
    assert all(link == clean for link, clean in without_tracking(links(form)).items()), reason


def test_few_links_prove_nothing():
    assert without_tracking(links("https://e.example/{}?rss=1", MIN_LINKS - 1)) == {}
    assert without_tracking(["https://e.example/1?rss=1"] * 50) == {}


def test_one_link_without_the_parameter_keeps_it_on_all():
    assert without_tracking([*links("https://e.example/{}?rss=1"), "https://e.example/other"]) == {}


def test_the_links_of_each_host_are_compared_among_themselves():
    mixed = [*links("https://e.example/{}?rss=1"), *links("https://other.example/{}")]
    assert set(without_tracking(mixed)) == set(links("https://e.example/{}?rss=1"))


@given(
    st.lists(
        st.builds(
            lambda path, query: f"https://e.example/{path}?{query}",
            st.text("ab", max_size=2),
            st.lists(st.sampled_from(["a=1", "b=1", "rss=1", "rss=2", "id=1", "id=2", "lang=en", ""])).map("&".join),
        ),
        max_size=12,
    )
)
def test_no_two_pages_become_one(found):
    cleaned = [feed_links.without_tracking(found).get(link, link) for link in found]
    assert len({urls.canonical_url(link) for link in cleaned}) == len({urls.canonical_url(link) for link in found})


def test_links_that_differ_only_in_the_fragment_keep_it():
    posts = [f"https://e.example/log?utm_source=x#{name}" for name in ("one", "two")]
    others = ["https://e.example/a#comments", "https://e.example/b#comments", "https://e.example/log", "no link#1"]
    assert feed_links.with_telling_fragment([*posts, *others]) == set(posts)


def test_the_same_fragment_twice_tells_nothing_apart():
    links = ["https://e.example/log#top", "https://e.example/log?utm_source=x#top"]
    assert feed_links.with_telling_fragment(links) == frozenset()


def test_a_page_is_shared_if_items_with_different_titles_link_to_it():
    home, again, own = "https://e.example/", "https://e.example/#2", "https://e.example/own"
    found = [("One", home), ("Two", again), ("Three", own), ("Three", own), ("Four", "no link")]
    assert feed_links.shared_links(found) == {home, again}
