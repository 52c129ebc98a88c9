"""The world that comes with Scoop keeps its promises."""

from collections import Counter

import pytest
from newsstand_builders import ANCHOR

from scoop.newsstand import feeds, world
from scoop.newsstand.items import items


@pytest.fixture(scope="module")
def shipped():
    return world.load(world.SHIPPED)


def test_it_is_large_enough_to_practise_on(shipped):
    assert len(shipped.articles) >= 150


def test_every_article_has_exactly_one_right_answer(shipped):
    assert world.gold(world.SHIPPED).keys() == {article.id for article in shipped.articles}


def test_every_outlet_has_articles(shipped):
    assert {article.outlet for article in shipped.articles} == {outlet.key for outlet in shipped.outlets}


def test_every_copy_is_word_for_word(shipped):
    body_by_id = {article.id: article.body for article in shipped.articles}
    copies = [article for article in shipped.articles if article.copy_of]
    assert copies
    assert all(copy.body == body_by_id[copy.copy_of] for copy in copies)


def test_it_speaks_four_languages(shipped):
    spoken = Counter(article.language for article in shipped.articles)
    assert spoken.keys() >= {"en", "ja", "de", "zh"}


def test_everything_is_out_at_the_anchor(shipped):
    assert len(world.as_of(shipped, anchor=ANCHOR, now=ANCHOR)) == len(shipped.articles)


def test_nothing_links_to_what_is_not_yet_out(shipped):
    hours_ago_by_id = {article.id: article.hours_ago for article in shipped.articles}
    links = [article for article in shipped.articles if article.links_to]
    assert links
    assert all(hours_ago_by_id[link.links_to] >= link.hours_ago for link in links)


def test_every_feed_holds_all_its_outlets_articles(shipped):
    most = max(Counter(article.outlet for article in shipped.articles).values())
    assert most <= feeds.ITEMS_MAX


def test_every_item_keeps_within_the_limits_of_the_v1_shape(shipped):
    for item in items(shipped, ANCHOR, ANCHOR, "run-1"):
        assert 1 <= len(item["source"]) <= 128
        assert 1 <= len(item["source_item_id"]) <= 512
        assert 1 <= len(item["title"].strip()) <= 2048
        assert 1 <= len(item["body_text"]) <= 500_000
        assert len(item["authors"]) <= 64
        assert all(1 <= len(tag) <= 128 for tag in item["tags"])
