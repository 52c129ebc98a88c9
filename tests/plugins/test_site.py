import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.desks import answering
from scoop.errors import FetchFailed
from scoop.sources import site

GAZETTE = {"base_url": "http://fennmoorgazette.example/"}
ARTICLES = {"include": ["/20*.html$"]}
FERRY = "http://fennmoorgazette.example/2026/03/14/ferry-timetable-after-dredging.html"
SEVEN = b"".join(b'<a href="/%d">A headline with number %d</a>' % (number, number) for number in range(7))


def page(body: bytes):
    return lambda path: (404, b"") if path == "/robots.txt" else (200, body)


def changing_page(shown: list[bytes]):
    return lambda path: (404, b"") if path == "/robots.txt" else (200, shown[0])


async def test_the_links_of_the_front_page_are_taken_once_with_their_headlines(desk):
    harvest = await desk.fetch("site", ARTICLES, **GAZETTE)
    assert [article["title"] for article in harvest.items] == [
        "Ferry keeps to its timetable again after dredging",
        "Bakery Sielmann goes to its own staff",
        "Storm surge gauge at Torfhude fails for nine hours",
        "The library now lends drills, ladders and one sewing machine",
    ]
    assert harvest.items[0]["source_item_id"] == FERRY
    assert harvest.items[0]["source_metadata"] == {
        "platform": "site",
        "found_on": "http://fennmoorgazette.example/",
        "full_text": "required",
    }


async def test_what_robots_forbid_or_lies_elsewhere_is_not_taken(desk):
    harvest = await desk.fetch("site", {"start_pages": ["/region/"]}, **GAZETTE)
    found = {article["canonical_url"] for article in harvest.items}
    assert not any("/intern/" in url or "advertiser" in url for url in found)
    assert "http://fennmoorgazette.example/region/" not in found
    assert "http://fennmoorgazette.example/imprint" in found


async def test_further_start_pages_are_read_too(desk):
    harvest = await desk.fetch("site", ARTICLES | {"start_pages": ["/region/", "/council/"]}, **GAZETTE)
    assert len(harvest.items) == 6


async def test_a_list_may_be_written_with_commas(desk):
    harvest = await desk.fetch(
        "site", {"include": "/20*.html$, /imprint", "start_pages": "/region/,/council/"}, **GAZETTE
    )
    assert len(harvest.items) == 7


async def test_the_sitemap_that_robots_name_tells_titles_and_dates(desk):
    harvest = await desk.fetch("site", ARTICLES | {"sitemap": True}, **GAZETTE)
    assert len(harvest.items) == 6
    assert harvest.items[0]["published_at"] == "2026-03-14T06:00:00+00:00"
    oldest = harvest.items[-1]
    assert oldest["title"] == "Peat railway reopens after the spring flood"
    assert oldest["published_at"] == "2026-03-09T12:00:00+00:00"


async def test_only_new_links_are_taken_the_next_time(desk):
    desk.clock.turn(hours=-10)
    first = await desk.fetch("site", ARTICLES, **GAZETTE)
    desk.clock.turn(hours=10)
    again = await desk.fetch("site", ARTICLES, checkpoint=first.checkpoint, **GAZETTE)
    assert [article["source_item_id"] for article in again.items] == [FERRY]


async def test_patterns_and_allowed_paths_choose_links(desk):
    harvest = await desk.fetch(
        "site", {"exclude": ["/2026/03/1*/bakery"]}, allowed_paths=["/2026/03/13", "/2026/03/12"], **GAZETTE
    )
    assert [article["title"][:13] for article in harvest.items] == ["Storm surge g"]


async def test_no_more_is_taken_than_a_run_and_a_day_allow():
    options = {"max_per_run": 3, "max_per_day": 5}
    async with answering(page(SEVEN)) as desk:
        first = await desk.fetch("site", options)
        second = await desk.fetch("site", options, checkpoint=first.checkpoint)
        third = await desk.fetch("site", options, checkpoint=second.checkpoint)
        desk.clock.turn(hours=24)
        tomorrow = await desk.fetch("site", options, checkpoint=third.checkpoint)
    assert [len(harvest.items) for harvest in (first, second, third, tomorrow)] == [3, 2, 0, 2]
    assert third.problems == []


async def test_links_over_the_limit_are_taken_later_even_if_they_left_the_page():
    shown = [SEVEN]
    async with answering(changing_page(shown)) as desk:
        first = await desk.fetch("site", {"max_per_run": 3})
        shown[0] = b'<a href="/new">A headline that is new</a>'
        second = await desk.fetch("site", {"max_per_run": 3}, checkpoint=first.checkpoint)
        third = await desk.fetch("site", {"max_per_run": 3}, checkpoint=second.checkpoint)
        last = await desk.fetch("site", {"max_per_run": 3}, checkpoint=third.checkpoint)
    taken = [
        [article["source_item_id"].rpartition("/")[2] for article in each.items] for each in (first, second, third)
    ]
    assert taken == [["0", "1", "2"], ["new", "3", "4"], ["5", "6"]]
    assert third.items[0]["title"] == "A headline with number 5"
    assert last.items == []


async def test_links_that_appear_on_a_day_that_is_full_are_taken_on_the_next():
    shown = [SEVEN]
    options = {"max_per_day": 7}
    async with answering(changing_page(shown)) as desk:
        first = await desk.fetch("site", options)
        shown[0] = b'<a href="/late">A headline of the late evening</a>'
        full = await desk.fetch("site", options, checkpoint=first.checkpoint)
        shown[0] = b'<a href="/next">A headline of the next day</a>'
        desk.clock.turn(hours=24)
        tomorrow = await desk.fetch("site", options, checkpoint=full.checkpoint)
    assert full.items == []
    assert [article["source_item_id"].rpartition("/")[2] for article in tomorrow.items] == ["next", "late"]


async def test_a_waiting_link_that_is_excluded_meanwhile_is_dropped():
    async with answering(page(SEVEN)) as desk:
        first = await desk.fetch("site", {"max_per_run": 5})
        second = await desk.fetch("site", {"max_per_run": 5, "exclude": ["/5"]}, checkpoint=first.checkpoint)
    assert [article["source_item_id"][-1] for article in second.items] == ["6"]


async def test_a_day_is_a_day_in_the_timezone_of_the_source():
    async with answering(page(SEVEN)) as desk:
        desk.clock.turn(hours=10)
        harvest = await desk.fetch("site", timezone="Asia/Tokyo")
    assert harvest.checkpoint["day"] == "2026-03-15"


async def test_a_link_without_words_gets_those_of_its_address():
    body = b'<a href="/news/Storm-surge_gauge-fails.html?id=7">More</a><a href="/n/2"><img src="x"></a>'
    async with answering(page(body)) as desk:
        harvest = await desk.fetch("site")
    assert [article["title"] for article in harvest.items] == ["Storm surge gauge fails", "N"]


async def test_one_page_that_fails_does_not_fail_the_visit():
    def script(path: str) -> tuple[int, bytes]:
        return (500, b"") if path == "/b" else page(SEVEN)(path)

    async with answering(script) as desk:
        harvest = await desk.fetch("site", {"start_pages": ["/b"]})
    assert len(harvest.items) == 7
    assert harvest.problems == ["http://nowhere.example/b answered 500"]


async def test_a_site_whose_robots_cannot_be_read_is_left_alone():
    async with answering(lambda path: (503, b"")) as desk:
        with pytest.raises(FetchFailed) as failed:
            await desk.fetch("site")
    assert failed.value.health == "robots"


async def test_links_that_are_not_to_be_followed_are_not():
    body = (
        b'<a rel="nofollow ugc" href="/a">One two three</a><a href="mailto:x@y">Write to us today</a><a href="/b">B</a>'
    )
    async with answering(page(body)) as desk:
        harvest = await desk.fetch("site")
    assert [article["canonical_url"] for article in harvest.items] == ["http://nowhere.example/b"]


async def test_a_link_to_a_subdomain_is_of_the_site_and_one_to_a_look_alike_is_not():
    body = b'<a href="//blog.nowhere.example/x">Blog</a><a href="http://evilnowhere.example/y">Evil</a>'
    async with answering(page(body)) as desk:
        harvest = await desk.fetch("site", base_url="http://www.nowhere.example/")
    assert [article["canonical_url"] for article in harvest.items] == ["http://blog.nowhere.example/x"]


async def test_a_bomb_of_a_sitemap_is_read_to_its_limit_only():
    bomb = gzip.compress(b"<urlset>" + b"<url><loc>http://nowhere.example/x</loc></url>" * 1_000_000)

    def script(path: str) -> tuple[int, bytes]:
        return (200, bomb) if path == "/map.gz" else page(SEVEN)(path)

    async with answering(script) as desk:
        harvest = await desk.fetch("site", {"sitemap": "/map.gz"})
    assert len(harvest.items) == 8


@given(body=st.binary(max_size=400) | st.text(alphabet="<>/abhref= '\"&;!-\0\ud7ff", max_size=400).map(str.encode))
def test_any_bytes_can_be_looked_at(body):
    site.links(body, content_type="text/html; charset=x", url="http://a.example/")
    site.sitemap(body, url="http://a.example/map.xml")


def test_a_page_nested_without_end_is_read_as_far_as_it_goes():
    body = b"<div>" * 200_000 + b'<a href="/x">x</a>'
    assert len(site.links(body, content_type="", url="http://a.example/")) <= 1
