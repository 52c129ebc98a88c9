"""Webhooks from the command line, against a program that listens."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from builders import an_item, as_lines, scoop
from channels.posts import Server, answer, saying, serving

SECRET = "c4nary-that-nobody-may-see"


@contextmanager
def listening(*answers: bytes) -> Iterator[Server]:
    """A program that listens in a thread of its own, for commands that are waited for."""
    loop, begun, found = asyncio.new_event_loop(), threading.Event(), []

    async def listen() -> None:
        async with serving(saying(*answers)) as server:
            found.append(server)
            begun.set()
            await ended.wait()

    ended = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(listen()))
    thread.start()
    begun.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


@pytest.fixture
def desk(database_url, home):
    """The command line on a database of its own."""

    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, secret_desk=SECRET, **options)

    return call


def asked(desk, *arguments):
    done = desk(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_webhook_is_added_tried_told_and_removed(desk):
    with listening(answer(202, {})) as server:
        url = f"http://{server.address}/hook"
        added = desk("webhooks", "add", "main", url, "--secret", "desk", "--allow-private")
        assert "next: scoop webhooks test main" in added.stdout, added.stderr
        assert desk("webhooks", "test", "main").stdout == "main accepted it (HTTP 202)\n"
        assert desk("ingest", "--items", "-", stdin=as_lines([an_item(1)])).returncode == 0
        assert desk("run-once").returncode == 0
        assert [each["state"] for each in asked(desk, "webhooks", "deliveries")] == ["waiting"]
        assert len(server.asked) == 1  # nothing leaves the house without --publish
        assert desk("run-once", "--publish").returncode == 0
        assert [request.json["type"] for request in server.asked] == ["webhook.test", "event.new"]
    (listed,) = asked(desk, "webhooks", "list")
    assert (listed["name"], listed["url"], listed["secret"], listed["waiting"]) == ("main", url, "desk", 0)
    (delivery,) = asked(desk, "webhooks", "deliveries", "main")
    assert (delivery["event"], delivery["state"], delivery["tries"], delivery["story_count"]) == (
        "event.new",
        "sent",
        1,
        1,
    )
    for shown in (desk("webhooks", "list"), desk("webhooks", "deliveries")):
        assert (shown.returncode, "main" in shown.stdout, SECRET in shown.stdout) == (0, True, False)
    assert desk("webhooks", "remove", "main").returncode == 0
    assert asked(desk, "webhooks", "list") == []


def test_what_one_is_told_can_be_narrowed_and_changed_and_it_can_rest(desk):
    add = ("webhooks", "add", "main", "https://example.com/hook", "--secret", "desk")
    assert asked(desk, *add, "--event", "digest.told", "--topic", "world_news")["events"] == ["digest.told"]
    assert asked(desk, *add, "--collection", "ai_news")["topic"] is None
    (listed,) = asked(desk, "webhooks", "list")
    assert (listed["collection"], listed["topic"], len(listed["events"])) == ("ai_news", None, 3)
    assert asked(desk, "webhooks", "enable", "main", "--off")["enabled"] is False
    assert asked(desk, "webhooks", "list")[0]["enabled"] is False


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add", "Main!", "https://x.example/", "--secret", "desk"), 2, "a-z"),
        (("add", "main", "ftp://x.example/", "--secret", "desk"), 2, "http or https"),
        (("add", "main", "https://me:pass@x.example/", "--secret", "desk"), 2, "without a password"),
        (("add", "main", "https://x.example/", "--secret", SECRET), 2, "never the secret itself"),
        (("add", "main", "https://x.example/", "--secret", "desk", "--event", "story.gone"), 2, "story.developed"),
        (("add", "main", "https://x.example/", "--secret", "desk", "--topic", "nowhere"), 1, "no topic"),
        (("add", "main", "https://x.example/"), 2, "--secret"),
        (("remove", "nobody"), 1, "no webhook"),
        (("test", "nobody"), 1, "no webhook"),
        (("enable", "nobody"), 1, "no webhook"),
        (("deliveries", "nobody"), 1, "no webhook"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(desk, arguments, code, said):
    done = desk("webhooks", *arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_does_not_take_it_says_why(desk):
    with listening(answer(401, b"who are you?")) as server:
        url = f"http://{server.address}/hook"
        desk("webhooks", "add", "main", url, "--secret", "desk", "--allow-private")
        done = desk("webhooks", "test", "main")
        assert (done.returncode, "answered 401: who are you?" in done.stderr) == (1, True)
        desk("webhooks", "add", "main", url, "--secret", "desk")
        assert "allow_private" in desk("webhooks", "test", "main").stderr
        assert len(server.asked) == 1
    unset = desk("webhooks", "add", "main", "https://example.com/", "--secret", "other")
    assert "SCOOP_SECRET_OTHER is not set" in unset.stderr
