"""The services of the newsstand answer as the real ones do."""

import json
from xml.etree import ElementTree as ET

import aiohttp
import pytest
from newsstand_builders import Clock, visiting

from scoop.newsstand import world
from scoop.newsstand.sites import reddit

HN = "hacker-news.firebaseio.com"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def shipped():
    return world.load(world.SHIPPED)


async def test_every_listed_story_of_hacker_news_can_be_read(shipped):
    async with visiting(shipped) as visitor:
        numbers = json.loads((await visitor.get("/v0/newstories.json", host=HN)).text)
        stories = [json.loads((await visitor.get(f"/v0/item/{number}.json", host=HN)).text) for number in numbers]
    assert len(numbers) > 60
    assert [story["time"] for story in stories[:-3]] == sorted((s["time"] for s in stories[:-3]), reverse=True)
    assert stories[-1] is None
    assert {"deleted", "dead"} <= {key for story in stories[:-1] for key in story}


async def test_the_comments_of_a_story_lead_back_to_it(shipped):
    async with visiting(shipped) as visitor:
        [number, *_] = json.loads((await visitor.get("/v0/topstories.json", host=HN)).text)
        story = json.loads((await visitor.get(f"/v0/item/{number}.json", host=HN)).text)
        comment = json.loads((await visitor.get(f"/v0/item/{story['kids'][0]}.json", host=HN)).text)
    assert comment["parent"] == number
    assert comment["type"] == "comment"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cat:cs.PL", 1),
        ("cat:cs.CR+AND+au:Thorne", 2),
        ("cat:cs.CR+ANDNOT+ti:lockfile", 1),
        ("ti:lockfile+OR+cat:cs.PL", 2),
        ("all:%22wind+speed%22", 1),
    ],
)
async def test_arxiv_understands_its_queries(shipped, query, found):
    async with visiting(shipped) as visitor:
        answer = await visitor.get(f"/api/query?search_query={query}&max_results=50", host="export.arxiv.org")
    assert len(ET.fromstring(answer.text).findall(f"{ATOM}entry")) == found


async def test_arxiv_answers_a_query_that_is_none_with_an_error(shipped):
    async with visiting(shipped) as visitor:
        answer = await visitor.get("/api/query?search_query=nonsense", host="export.arxiv.org")
    assert answer.status == 400
    assert "api/errors" in answer.text


async def test_a_subreddit_has_as_many_posts_by_api_as_by_feed(shipped):
    async with visiting(shipped) as visitor:
        by_api = await visitor.get(
            "/r/world_news/new?limit=100", host=reddit.API_HOST, authorization="bearer newsstand-x"
        )
        by_feed = await visitor.get("/r/world_news/new/.rss?limit=100", host=reddit.SITE_HOST)
    assert len(json.loads(by_api.text)["data"]["children"]) == by_feed.text.count("<entry>") == 75


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/r/ai_news/new", reddit.API_HOST, 401),
        ("/r/nobody/new/.rss", reddit.SITE_HOST, 404),
        ("/r/ai_news/oldest/.rss", reddit.SITE_HOST, 404),
        ("/feeds/videos.xml?channel_id=UCnobody", "www.youtube.com", 404),
        ("/intern/desk", "fennmoorgazette.example", 403),
        ("/2026/03/14/nothing.html", "fennmoorgazette.example", 404),
    ],
)
async def test_what_is_not_there_or_not_allowed_is_answered_so(shipped, path, host, status):
    async with visiting(shipped) as visitor:
        assert (await visitor.get(path, host=host)).status == status


async def test_a_video_is_not_there_before_it_is_out(shipped):
    clock = Clock()
    path = "/feeds/videos.xml?channel_id=UCscoopNewsstandOnAirTV1"
    async with visiting(shipped, clock) as visitor:
        now = await visitor.get(path, host="www.youtube.com")
        clock.turn(hours=-10)
        earlier = await visitor.get(path, host="www.youtube.com")
    assert now.text.count("<entry>") == earlier.text.count("<entry>") + 1


async def test_every_link_of_the_outlet_without_feed_leads_to_an_article(shipped):
    host = "fennmoorgazette.example"
    async with visiting(shipped) as visitor:
        front = await visitor.get("/", host=host)
        paths = [line.split('"')[1] for line in front.text.splitlines() if "Read more" in line]
        articles = [await visitor.get(path, host=host) for path in paths]
    assert len(articles) == 4
    assert all("<h1>" in article.text for article in articles)


@pytest.mark.parametrize("body", ["", "[]", '{"query": ""}', '{"query": "a", "max_results": 99}'])
async def test_a_search_that_is_none_is_refused(shipped, body):
    headers = {"host": "api.tavily.com", "authorization": "Bearer tvly-x"}
    async with visiting(shipped) as visitor:
        async with visitor.session.post("/search", data=body, headers=headers) as answer:
            assert answer.status == 400
        async with visitor.session.post("/search", data=body, headers={"host": "api.tavily.com"}) as unknown:
            assert unknown.status == 401


async def test_tokens_are_for_known_applications(shipped):
    form = {"grant_type": "client_credentials"}
    async with visiting(shipped) as visitor:
        for name, status in (("unknown", 401), ("reader", 200)):
            headers = {"host": reddit.SITE_HOST, "authorization": aiohttp.encode_basic_auth(name, "secret")}
            async with visitor.session.post("/api/v1/access_token", data=form, headers=headers) as answer:
                assert answer.status == status
