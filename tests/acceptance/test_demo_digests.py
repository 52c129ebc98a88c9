"""What a stranger finds in the newsstand's Discord after `scoop up`."""

import json
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from builders import scoop
from conftest import make_home
from scoop.newsstand.discord.state import CHANNELS
from scoop.store.embedded import EmbeddedServer


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@dataclass(frozen=True, kw_only=True)
class Stranger:
    """Somebody who has just run `scoop up --once` in a home of their own."""

    settings: dict[str, Any]

    def asks(self, *arguments: str) -> Any:
        done = scoop(*arguments, "--json", **self.settings)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def messages(self) -> list[dict[str, Any]]:
        return json.loads((self.settings["home"] / "newsstand-discord.json").read_bytes())


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    home = Path(make_home())
    found = Stranger(settings={"home": home, "port": free_port(), "newsstand_port": free_port()})
    found.asks("up", "--once")
    yield found
    EmbeddedServer(home).stop()
    shutil.rmtree(home, ignore_errors=True)


def test_every_topic_of_the_demo_is_posted_to_its_channel(stranger):
    assert {message["channel_id"] for message in stranger.messages()} == set(CHANNELS.values())
    assert all(message["embeds"] for message in stranger.messages())
    assert {post["state"] for post in stranger.asks("posts", "list")} == {"sent"}
    assert {run["topic_slug"] for run in stranger.asks("digests")} == {f"demo_{name}" for name in CHANNELS}


def test_the_curator_of_the_demo_has_picks_on_both_days_and_none_twice(stranger):
    runs = stranger.asks("digests", "--topic", "demo_morning_picks")
    entries = [stranger.asks("digests", "show", str(run["digest_run_id"]))["entries"] for run in runs]
    picks = [[entry for entry in day if entry["rank"]] for day in entries]
    assert [3 <= len(day) <= 5 for day in picks] == [True, True]
    urls = [entry["url"] for day in picks for entry in day]
    assert len(set(urls)) == len(urls)


def test_nobody_is_pinged(stranger):
    assert {tuple(message["pinged"]) for message in stranger.messages()} == {()}


def test_the_second_day_remembers_the_first(stranger):
    last, first = stranger.asks("digests", "--topic", "demo_world_news")
    assert first["run_date"] < last["run_date"]
    before, after = (stranger.asks("digests", "show", str(run["digest_run_id"]))["entries"] for run in (first, last))
    told = {entry["story_id"] for entry in before if entry["rank"]}
    unchanged = [entry for entry in after if entry["story_id"] in told and not entry["change"]]
    assert {entry["rank"] for entry in unchanged} <= {None}
    developed = [entry for entry in after if entry["change"] and entry["rank"] and entry["twin_of"] is None]
    assert all(entry["reason"].startswith(f"developed since {first['run_date']}: ") for entry in developed)
    assert developed


def test_a_second_pass_posts_nothing_more(stranger):
    before = stranger.messages(), stranger.asks("posts", "list")
    stranger.asks("up", "--once")
    assert (stranger.messages(), stranger.asks("posts", "list")) == before
