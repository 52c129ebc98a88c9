from datetime import timedelta
from pathlib import Path

import pytest
from newsstand_builders import ANCHOR, a_world, an_article, an_outlet

from scoop.newsstand import world
from scoop.newsstand.world import Update, WorldComment

OUTLETS = """
[[outlet]]
key = "tribune"
name = "Tribune"
host = "tribune.example"
language = "ja"
collection = "world_news"
category = "news"
feed = "rss"
about = "A daily."
"""

ARTICLE = """
[[article]]
id = "flood"
outlet = "tribune"
hours_ago = 5
title = "River rises"
tags = ["weather"]
kind = "news"
summary = "The river rose."
body = "It rained."
"""

COPY = ARTICLE.replace('"flood"', '"flood-copy"').replace('body = "It rained."', 'copy_of = "flood"')


def a_folder(path: Path, **files: str) -> Path:
    for name, text in {"outlets": OUTLETS, **files}.items():
        (path / f"{name}.toml").write_text(text, "utf-8")
    return path


def test_a_folder_of_tables_becomes_a_world(tmp_path):
    told = world.load(a_folder(tmp_path, one=ARTICLE, two=COPY))
    assert [article.id for article in told.articles] == ["flood", "flood-copy"]
    assert [outlet.host for outlet in told.outlets] == ["tribune.example"]


def test_a_copy_has_the_body_of_its_original_word_for_word(tmp_path):
    told = world.load(a_folder(tmp_path, copies=COPY, originals=ARTICLE))
    assert {article.body for article in told.articles} == {"It rained."}


def test_an_article_speaks_its_outlets_language_unless_it_names_another(tmp_path):
    german = ARTICLE.replace('"flood"', '"flut"') + 'language = "de"'
    told = world.load(a_folder(tmp_path, one=ARTICLE, two=german))
    assert [article.language for article in told.articles] == ["ja", "de"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ARTICLE + ARTICLE, "has the same id as bad.toml: article 'flood'"),
        (ARTICLE.replace('"tribune"', '"gazette"'), "unknown outlet 'gazette'"),
        (COPY.replace('"flood"', '"drought"') + ARTICLE, "unknown article 'drought'"),
        (ARTICLE + 'links_to = "drought"', "unknown article 'drought'"),
        (ARTICLE.replace('body = "It rained."', ""), "needs either a body or copy_of"),
        (ARTICLE + COPY + COPY.replace("flood", "flood-copy").replace("flood-copy-copy", "third"), "is a copy itself"),
        (ARTICLE.replace('kind = "news"', 'kind = "gossip"'), "gossip"),
        (ARTICLE.replace('title = "River rises"', ""), "missing required field `title`"),
        (ARTICLE + "mood = 3", "unknown key 'mood'"),
        (ARTICLE + '[[article.update]]\nhours_ago = 6\nbody = "Earlier."', "older than itself"),
    ],
)
def test_a_wrong_article_is_refused_by_file_and_id(tmp_path, text, complaint):
    with pytest.raises(ValueError, match=r"bad\.toml: article '[a-z-]+'") as refused:
        world.load(a_folder(tmp_path, bad=text))
    assert complaint in str(refused.value)


@pytest.mark.parametrize("text", ["[[article", "", "title = 3"])
def test_a_file_without_readable_articles_is_refused_by_name(tmp_path, text):
    with pytest.raises(ValueError, match=r"bad\.toml"):
        world.load(a_folder(tmp_path, bad=text))


def test_an_article_without_an_id_is_refused_by_its_number(tmp_path):
    with pytest.raises(ValueError, match=r"bad\.toml: article 2"):
        world.load(a_folder(tmp_path, bad=ARTICLE + ARTICLE.replace('id = "flood"', "")))


def test_an_article_is_not_out_before_its_time():
    told = a_world(an_article(hours_ago=5))
    assert world.as_of(told, anchor=ANCHOR, now=ANCHOR - timedelta(hours=5, seconds=1)) == []
    [edition] = world.as_of(told, anchor=ANCHOR, now=ANCHOR - timedelta(hours=5))
    assert edition.published_at == ANCHOR - timedelta(hours=5)


def test_the_latest_version_that_is_out_is_shown():
    updates = (Update(hours_ago=4, title="River bursts", body="Second."), Update(hours_ago=2, body="Third."))
    told = a_world(an_article(update=updates))
    versions = [world.as_of(told, anchor=ANCHOR, now=ANCHOR - timedelta(hours=hours))[0] for hours in (4.5, 4, 2)]
    assert [version.title for version in versions] == ["River rises", "River bursts", "River bursts"]
    assert [version.body for version in versions] == ["It rained.\n\nThe river rose.", "Second.", "Third."]
    assert [version.updated_at for version in versions] == [ANCHOR - timedelta(hours=hours) for hours in (5, 4, 2)]


def test_comments_appear_as_they_are_posted():
    told = a_world(an_article(comment=(WorldComment(author="tarn", hours_ago=3, score=-4, text="Wet."),)))
    [before] = world.as_of(told, anchor=ANCHOR, now=ANCHOR - timedelta(hours=4))
    [after] = world.as_of(told, anchor=ANCHOR, now=ANCHOR)
    assert before.replies == ()
    assert [reply.posted_at for reply in after.replies] == [ANCHOR - timedelta(hours=3)]
    assert after.changed_at == ANCHOR - timedelta(hours=3)


def test_the_url_carries_the_date_and_the_guid_does_not():
    told = a_world(an_article(hours_ago=13))
    [edition] = world.as_of(told, anchor=ANCHOR, now=ANCHOR)
    [shifted] = world.as_of(told, anchor=ANCHOR + timedelta(days=30), now=ANCHOR + timedelta(days=30))
    assert edition.url == "http://tribune.example/2026/03/13/flood"
    assert shifted.url == "http://tribune.example/2026/04/12/flood"
    assert edition.guid == shifted.guid == "tribune.example:flood"


def test_a_link_post_leads_to_the_article_it_names():
    pile = an_outlet("pile", category="link_blog")
    post = an_article("look", outlet="pile", kind="link", links_to="flood", hours_ago=1)
    told = a_world(an_article(), post, outlets=(an_outlet(), pile))
    edition = world.as_of(told, anchor=ANCHOR, now=ANCHOR)[0]
    assert edition.link == "http://tribune.example/2026/03/14/flood"
    assert edition.url == "http://pile.example/2026/03/14/look"


def test_the_newest_comes_first():
    told = a_world(an_article("a", hours_ago=9), an_article("b", hours_ago=1), an_article("c", hours_ago=4))
    assert [edition.article.id for edition in world.as_of(told, anchor=ANCHOR, now=ANCHOR)] == ["b", "c", "a"]


def test_gold_gives_the_story_and_the_event_of_each_article(tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "one.tsv").write_text("article_id\tstory\tevent\nflood\tflood-story\tthe-flood\n")
    assert world.gold(tmp_path) == {"flood": world.Gold(story="flood-story", event="the-flood")}


def test_gold_that_answers_twice_is_refused(tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "one.tsv").write_text("article_id\tstory\tevent\nflood\ta\tb\nflood\tc\td\n")
    with pytest.raises(ValueError, match=r"one\.tsv: article 'flood'"):
        world.gold(tmp_path)
