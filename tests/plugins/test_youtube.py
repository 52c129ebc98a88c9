import pytest

from plugins.desks import answering
from scoop.errors import FetchFailed, Reject

CHANNEL = "UCscoopNewsstandOnAirTV1"
HANDLE = "https://www.youtube.com/@NewsstandOnAir"


async def test_a_channel_gives_its_videos_with_description_and_preview(desk):
    harvest = await desk.fetch("youtube", {"channel": CHANNEL})
    assert len(harvest.items) == 8
    newest = harvest.items[0]
    assert newest["source_item_id"] == "y7Ds-0ImGf3"
    assert newest["canonical_url"] == "https://www.youtube.com/watch?v=y7Ds-0ImGf3"
    assert newest["image_url"].endswith("/y7Ds-0ImGf3/hqdefault.jpg")
    assert newest["body_text"].startswith("No request leaves the laptop.")
    assert newest["authors"] == ["Newsstand On Air"]
    assert newest["published_at"] == "2026-03-14T08:00:00Z"


async def test_views_that_grow_do_not_make_a_video_new(desk):
    first = await desk.fetch("youtube", {"channel": CHANNEL})
    desk.clock.turn(hours=2)
    again = await desk.fetch("youtube", {"channel": CHANNEL}, checkpoint=first.checkpoint)
    assert again.items == first.items


@pytest.mark.parametrize(
    "playlist", ["PLscoopNewsstandExplained", "https://www.youtube.com/playlist?list=PLscoopNewsstandExplained&si=x"]
)
async def test_a_playlist_gives_its_videos(desk, playlist):
    harvest = await desk.fetch("youtube", {"playlist": playlist})
    assert [video["source_item_id"] for video in harvest.items] == ["Q9aLu4xW6Ej", "W3cJ9oMre7A", "Kp8_hB2nLw4"]


async def test_a_channel_may_be_given_by_its_address(desk):
    harvest = await desk.fetch("youtube", {"channel": f"https://www.youtube.com/channel/{CHANNEL}/videos"})
    assert len(harvest.items) == 8


async def test_the_id_behind_a_name_is_looked_up_once(desk):
    first = await desk.fetch("youtube", {"channel": HANDLE})
    again = await desk.fetch("youtube", {"channel": HANDLE}, checkpoint=first.checkpoint)
    assert len(first.items) == len(again.items) == 8
    assert desk.asked("youtube").count("/@NewsstandOnAir") == 1


async def test_another_channel_is_followed_once_it_is_named(desk):
    first = await desk.fetch("youtube", {"channel": HANDLE})
    with pytest.raises(FetchFailed, match="/@SomebodyElse answered 404"):
        await desk.fetch("youtube", {"channel": "https://www.youtube.com/@SomebodyElse"}, checkpoint=first.checkpoint)


async def test_a_page_without_a_channel_says_what_to_give():
    def consent(path: str) -> tuple[int, bytes]:
        return (404, b"") if path == "/robots.txt" else (200, b"<html>Before you continue</html>")

    async with answering(consent) as desk:
        with pytest.raises(FetchFailed, match="give it as the option channel"):
            await desk.fetch("youtube", {"channel": HANDLE})


async def test_an_unknown_channel_is_an_http_error(desk):
    with pytest.raises(FetchFailed) as failed:
        await desk.fetch("youtube", {"channel": "UC" + "x" * 22})
    assert failed.value.status == 404


@pytest.mark.parametrize("options", [{}, {"channel": CHANNEL, "playlist": "PLscoopNewsstandExplained"}])
async def test_either_a_channel_or_a_playlist_must_be_given(desk, options):
    with pytest.raises(Reject, match="give one of the options channel"):
        await desk.fetch("youtube", options)


@pytest.mark.parametrize("channel", ["https://example.com/@name", "UCshort", "../feeds"])
async def test_what_is_no_channel_is_refused(desk, channel):
    with pytest.raises(Reject, match=r"option channel: must be a channel's id, UC..., or its address"):
        await desk.fetch("youtube", {"channel": channel})
