from datetime import datetime, timedelta

from newsstand_builders import ANCHOR, a_world, an_article, an_outlet

from scoop.newsstand.items import items
from scoop.newsstand.world import Update


def test_an_article_is_a_canonical_item():
    told = a_world(an_article(author="Ana", update=(Update(hours_ago=1, body="Later."),)))
    assert items(told, ANCHOR, ANCHOR - timedelta(hours=2), "run-1") == [
        {
            "payload_version": "v1",
            "source": "tribune",
            "source_item_id": "flood",
            "title": "River rises",
            "canonical_url": "http://tribune.example/2026/03/14/flood",
            "published_at": "2026-03-14T07:00:00+00:00",
            "body_text": "It rained.\n\nThe river rose.",
            "language": "en",
            "source_domain": "tribune.example",
            "authors": ["Ana"],
            "tags": ["weather"],
            "source_metadata": {
                "collection": "world_news",
                "job_name": "newsstand",
                "job_run_id": "run-1",
                "scraped_at": "2026-03-14T10:00:00+00:00",
                "category": "news",
                "kind": "news",
            },
        }
    ]


def test_a_link_post_has_the_url_of_the_article_it_links_to():
    post = an_article("look", outlet="pile", kind="link", links_to="flood", hours_ago=1)
    told = a_world(an_article(), post, outlets=(an_outlet(), an_outlet("pile", category="link_blog")))
    look, flood = items(told, ANCHOR, ANCHOR, "run-1")
    assert look["canonical_url"] == look["source_metadata"]["links_to_url"] == flood["canonical_url"]
    assert look["source_domain"] == "pile.example"
    assert "links_to_url" not in flood["source_metadata"]


def test_times_are_rfc_3339_in_utc_wherever_the_anchor_is():
    tokyo = datetime.fromisoformat("2026-03-14T21:00:00+09:00")
    [item] = items(a_world(an_article()), tokyo, tokyo, "run-1")
    assert item["published_at"] == "2026-03-14T07:00:00+00:00"
