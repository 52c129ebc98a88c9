import json

import pytest

from scoop.store import posts
from web.operating import become, write
from web.visitor import visiting

HOSTILE = "<script>alert(1)</script>"


async def state(database, post_id):
    async with database.connection() as conn:
        return (await posts.by_id(conn, post_id)).state


async def test_an_empty_outbox_says_what_would_fill_it(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/posts")).page
    assert "No posts yet" in page.text
    assert "/topics" in page.links()


async def test_what_is_held_comes_first_with_why_and_what_is_sent(database):
    one, other = await write(database, '{"content":"Good morning"}', '{"content":"More"}')
    await become(database, one, "sent", message_id="4711")
    await become(database, other, "held", "it may have arrived")
    async with visiting(database) as visitor:
        answer = await visitor.get("/posts")
    text = answer.page.text
    assert text.index("Awaiting your decision") < text.index("held to main (webhook), part 2 of 2") < text.index("4711")
    assert "It may have arrived" in text
    assert json.dumps({"content": "More"}, indent=2) in answer.text.replace("&#34;", '"')
    assert {f"/posts/{other}/{word}" for word in ("arrived", "resend", "drop")} <= {
        form.get("action") for form in answer.page.attributes("form")
    }


@pytest.mark.parametrize("was", ["held", "failed"])
@pytest.mark.parametrize(("word", "becomes"), [("arrived", "sent"), ("resend", "waiting"), ("drop", "dropped")])
async def test_a_persons_word_settles_a_post(database, was, word, becomes):
    (post_id,) = await write(database, "{}")
    await become(database, post_id, was, "it may have arrived")
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post(f"/posts/{post_id}/{word}")
        assert (answer.status, answer.headers["Location"]) == (303, "/posts")
        assert "Part 1 of AI News of 2024-05-16" in (await visitor.get("/posts")).page.text
    assert await state(database, post_id) == becomes


async def test_a_post_that_nobody_asks_about_is_left_alone(database):
    (post_id,) = await write(database, "{}")
    await become(database, post_id, "sent", message_id="4711")
    async with visiting(database, role="editor") as visitor:
        for word in ("arrived", "resend", "drop"):
            assert (await visitor.post(f"/posts/{post_id}/{word}")).status == 409
        assert "/resend" not in (await visitor.get(f"/posts/{post_id}")).text
    assert await state(database, post_id) == "sent"


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {1, 2, 3}),
        ("state=held", {2}),
        ("state=sent", {1}),
        ("topic=world_news", {3}),
        ("channel=mail", {3}),
        ("topic=world_news&state=sent", set()),
        ("state=nonsense", {1, 2, 3}),
    ],
)
async def test_posts_are_filtered_by_state_topic_and_channel(database, query, shown):
    first, second = await write(database, "{}", "{}")
    (third,) = await write(database, "{}", topic="world_news", channel="mail", kind="email")
    await become(database, first, "sent")
    await become(database, second, "held")
    async with visiting(database) as visitor:
        links = (await visitor.get(f"/posts?{query}")).page.links("/posts/")
    places = dict(zip((first, second, third), (1, 2, 3), strict=True))
    assert {places[int(link.rpartition("/")[2])] for link in links} == shown


async def test_many_posts_are_shown_in_parts_that_leave_none_out(database):
    written = await write(database, *("{}" for _ in range(120)))
    seen, path = [], "/posts?topic=ai_news"
    async with visiting(database) as visitor:
        while path:
            page = (await visitor.get(path)).page
            seen += [int(link.rpartition("/")[2]) for link in page.links("/posts/")]
            path = next((link for link in page.links("/posts?") if "before=" in link), None)
            assert path is None or "topic=ai_news" in path
    assert seen == sorted(written, reverse=True)


async def test_a_post_has_a_page_with_all_that_is_sent(database):
    (post_id,) = await write(database, f"# {HOSTILE}", kind="webhook", url="https://hook.example/in?token=hunter2")
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.get(f"/posts/{post_id}")
    assert f"# {HOSTILE}" in answer.page.text
    assert all("src" in script for script in answer.page.attributes("script"))
    assert "https://hook.example/in" in answer.page.text
    assert "hunter2" not in answer.text
    assert "/digests/ai_news/2024-05-16" in answer.page.links()


async def test_a_message_in_the_demos_discord_can_be_gone_to(database):
    channel_id = "1290000000000000001"
    (post_id,) = await write(database, "{}", kind="discord_bot", connect_to="127.0.0.1:8788", channel_id=channel_id)
    await become(database, post_id, "sent", message_id="4711")
    async with visiting(database, newsstand="http://127.0.0.1:8788") as visitor:
        links = (await visitor.get("/posts")).page.links("http://127.0.0.1:8788/discord.com/channels/")
        assert links[0].endswith(f"/{channel_id}#4711")
    async with visiting(database) as visitor:
        assert (await visitor.get("/posts")).page.links("http") == []


@pytest.mark.parametrize("path", ["/posts/4711", "/posts/0", "/posts/-1", "/posts/x", f"/posts/{2**64}"])
async def test_a_post_that_is_not_there_is_not_found(database, path):
    async with visiting(database) as visitor:
        assert (await visitor.get(path)).status == 404
        assert (await visitor.post(f"{path}/drop")).status == 404


@pytest.mark.parametrize("word", ["arrived", "resend", "drop"])
async def test_readers_look_but_do_not_decide(database, word):
    (post_id,) = await write(database, "{}")
    await become(database, post_id, "held", "it may have arrived")
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/posts")).page
        assert "Awaiting your decision" in page.text
        assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/posts/")]
        assert (await visitor.post(f"/posts/{post_id}/{word}")).status == 403
    async with visiting(database, role=None) as visitor:
        assert (await visitor.post(f"/posts/{post_id}/{word}")).status == 401
    assert await state(database, post_id) == "held"
