from datetime import timedelta

import pytest

from scoop.errors import FetchFailed, Reject

APPLICATION = {"client_id": "cl1ent", "client_secret": "s3cret"}
FEED = {"user": "reader", "feed_token": "t0ken-of-the-reader"}
AI_NEWS = {"subreddit": "ai_news", "limit": 100}
TUSSOCK = "Tussock 1.5 completes code without sending it anywhere"


def titled(harvest, title):
    return next(each for each in harvest.items if each["title"] == title)


async def test_an_application_reads_posts_through_the_api(desk):
    harvest = await desk.fetch("reddit", AI_NEWS, secrets=APPLICATION)
    post = titled(harvest, TUSSOCK)
    assert post["source_item_id"].startswith("t3_")
    assert post["canonical_url"].startswith("http://stackwire.example/")
    assert post["authors"] == ["mossy_stone"]
    assert post["source_metadata"]["comments"] == 5
    assert post["source_metadata"]["score"] > 1
    assert post["source_metadata"]["reddit_url"].startswith("https://www.reddit.com/r/ai_news/comments/")


async def test_a_feed_gives_the_same_posts_without_their_scores(desk):
    by_api = await desk.fetch("reddit", AI_NEWS, secrets=APPLICATION)
    by_feed = await desk.fetch("reddit", AI_NEWS, secrets=FEED)
    kept = ("source_item_id", "title", "canonical_url", "authors", "body_text")
    assert [[post.get(key) for key in kept] for post in by_feed.items] == [
        [post.get(key) for key in kept] for post in by_api.items
    ]
    assert all("score" not in post["source_metadata"] for post in by_feed.items)


async def test_a_question_keeps_its_own_page_and_text(desk):
    harvest = await desk.fetch("reddit", AI_NEWS, secrets=FEED)
    question = next(each for each in harvest.items if each["title"].startswith("Ask: Brambletype"))
    assert question["canonical_url"] == question["source_metadata"]["reddit_url"]
    assert question["body_text"].endswith("tighten later?")


async def test_a_post_is_not_taken_again_when_its_score_has_changed(desk):
    first = await desk.fetch("reddit", AI_NEWS, secrets=APPLICATION)
    desk.clock.turn(hours=3)
    again = await desk.fetch("reddit", AI_NEWS, checkpoint=first.checkpoint, secrets=APPLICATION)
    assert again.items == []
    first_scores, later_scores = (
        {post["source_item_id"]: post["source_metadata"]["score"] for post in posts}
        for posts in (first.items, again.listed_again)
    )
    assert later_scores.keys() == first_scores.keys()
    assert sum(later_scores.values()) > sum(first_scores.values())


async def test_the_best_comments_of_each_post_are_items_of_their_own(desk):
    harvest = await desk.fetch("reddit", AI_NEWS | {"comments": 2}, secrets=APPLICATION)
    post = titled(harvest, TUSSOCK)
    comments = [each for each in harvest.items if each["source_metadata"].get("parent") == post["source_item_id"]]
    assert len(comments) == 2
    assert all(comment["source_item_id"].startswith("t1_") for comment in comments)
    assert comments[0]["source_metadata"]["score"] >= comments[1]["source_metadata"]["score"]
    assert comments[0]["canonical_url"].startswith(post["source_metadata"]["reddit_url"])


async def test_through_a_feed_the_newest_comments_of_the_subreddit_come_along(desk):
    harvest = await desk.fetch("reddit", AI_NEWS | {"comments": 3}, secrets=FEED)
    comments = [each for each in harvest.items if each["source_item_id"].startswith("t1_")]
    posts = {each["source_item_id"] for each in harvest.items} - {each["source_item_id"] for each in comments}
    assert len(comments) == 3
    assert {comment["source_metadata"]["parent"] for comment in comments} <= posts


async def test_a_new_comment_is_taken_and_an_old_one_is_not(desk):
    with_comments = AI_NEWS | {"comments": 20}
    desk.clock.turn(hours=-5)
    first = await desk.fetch("reddit", with_comments, secrets=APPLICATION)
    desk.clock.turn(hours=5)
    again = await desk.fetch("reddit", with_comments, checkpoint=first.checkpoint, secrets=APPLICATION)
    before, after = ({each["source_item_id"] for each in harvest.items} for harvest in (first, again))
    assert before.isdisjoint(after)
    assert any(name.startswith("t1_") for name in after)


async def test_a_post_below_the_bar_waits(desk):
    harvest = await desk.fetch("reddit", AI_NEWS | {"min_score": 100}, secrets=APPLICATION)
    assert harvest.items
    assert all(post["source_metadata"]["score"] >= 100 for post in harvest.items)


async def test_a_feed_says_that_it_knows_no_scores(desk):
    harvest = await desk.fetch("reddit", AI_NEWS | {"min_score": 100}, secrets=FEED)
    assert harvest.problems == ["a feed has no scores: min_score needs client_id and client_secret"]


async def test_without_secrets_robots_are_obeyed_and_the_way_out_is_told(desk):
    with pytest.raises(FetchFailed, match="set client_id and client_secret, or user and feed_token") as failed:
        await desk.fetch("reddit", AI_NEWS)
    assert failed.value.health == "robots"


async def test_without_secrets_the_public_feed_can_be_read_where_the_operator_says_so(desk):
    harvest = await desk.fetch("reddit", AI_NEWS | {"robots": "ignore"})
    assert titled(harvest, TUSSOCK)


async def test_when_the_window_is_used_up_nothing_more_is_asked_for(desk):
    hasty = APPLICATION | {"client_id": "hasty"}
    harvest = await desk.fetch("reddit", AI_NEWS | {"comments": 5}, secrets=hasty)
    assert len(desk.asked("oauth")) == 3
    assert harvest.fresh_for == timedelta(minutes=10)
    with pytest.raises(FetchFailed) as failed:
        await desk.fetch("reddit", AI_NEWS, secrets=hasty)
    assert failed.value.after == timedelta(minutes=10)


@pytest.mark.parametrize(
    ("options", "secrets", "reason"),
    [
        (AI_NEWS, APPLICATION | {"client_id": "unknown"}, "client_secret are not valid"),
        (AI_NEWS, FEED | {"feed_token": "wrong"}, "it is private"),
        ({"subreddit": "nobody_here"}, APPLICATION, "there is no such subreddit"),
    ],
)
async def test_a_refusal_is_explained(desk, options, secrets, reason):
    with pytest.raises(FetchFailed, match=reason):
        await desk.fetch("reddit", options, secrets=secrets)


@pytest.mark.parametrize("secrets", [APPLICATION, FEED])
async def test_secrets_show_nowhere(desk, secrets):
    plugin = desk.plugin("reddit", AI_NEWS | {"comments": 2}, secrets)
    visit = desk.visit(plugin)
    harvest = await plugin.fetch(visit)
    assert visit.log
    with pytest.raises(FetchFailed) as failed:
        await desk.fetch("reddit", {"subreddit": "nobody_here"}, secrets=secrets)
    told = f"{harvest} {visit.log} {visit} {failed.value}"
    assert not any(secret in told for name, secret in secrets.items() if name != "user")
    assert "newsstand-" not in told


@pytest.mark.parametrize("subreddit", ["", "../admin", "a b", "ai_news/new?x="])
async def test_what_is_no_subreddit_is_refused(desk, subreddit):
    with pytest.raises(Reject, match="subreddit"):
        await desk.fetch("reddit", {"subreddit": subreddit}, secrets=APPLICATION)
