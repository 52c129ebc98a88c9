"""Digests and posts from the command line."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from newsstand_builders import a_world

from builders import an_item, scoop, told
from scoop.model import ChannelSettings, Post
from scoop.newsstand import server
from scoop.newsstand.discord.state import CHANNELS
from scoop.serve import serving
from scoop.store import topics
from scoop.store.db import Database
from scoop.store.digests import DigestRun, RunEntry

Call = Callable[..., CompletedProcess[str]]
DAY = "2026-11-14"
STORIES = [
    {"title": "Old bridge stays closed", "body_text": "The council keeps it shut until engineers have checked it all."},
    {"title": "Chess club wins the cup", "body_text": "Four teenagers beat the champions after a night of endgames."},
]
MORNING = {"published_at": f"{DAY}T06:00:00Z"}


@pytest.fixture
def desk(database: Database, database_url: str, home: Path) -> Call:
    """The command line on a database of its own."""

    def call(*arguments: str, **options: Any) -> CompletedProcess[str]:
        return scoop(*arguments, database_url=database_url, home=home, **options)

    return call


def asked(desk: Call, *arguments: str) -> Any:
    done = desk(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def add_channel(database: Database, kind: str, **options: Any) -> None:
    async with database.connection() as conn:
        topic = await topics.by_slug(conn, "world_news")
        await topics.put_channel(conn, topic.topic_id, ChannelSettings(name="main", kind=kind, options=options))


async def tell_stories(database: Database) -> None:
    await told(database, [an_item(number, **MORNING, **story) for number, story in enumerate(STORIES)])


def names(kind: type[Any]) -> set[str]:
    return {each.name for each in fields(kind)}


MADE = ("digest", "--topic", "world_news", "--date", DAY)


async def test_a_digest_is_made_shown_listed_and_read(database, desk):
    await tell_stories(database)
    made = desk(*MADE)
    assert made.returncode == 0, made.stderr
    assert "world_news 2026-11-14, live, attempt 1 (run 1)" in made.stdout
    assert "from 2026-11-13 08:00 UTC to 2026-11-14 08:00 UTC: 2 candidates, 2 published" in made.stdout
    assert "new, covered by 1 publisher" in made.stdout

    again = asked(desk, *MADE)
    assert again.keys() == {"run", "entries", "posts"}
    assert again["run"].keys() == names(DigestRun)
    assert [entry.keys() for entry in again["entries"]] == [names(RunEntry)] * 2
    assert (again["run"]["attempt"], again["run"]["entry_count"], again["posts"]) == (2, 2, [])
    assert [entry["rank"] for entry in again["entries"]] == [1, 2]
    run_id = str(again["run"]["digest_run_id"])
    assert asked(desk, "digests", "show", run_id) == again
    assert [run["attempt"] for run in asked(desk, "digests", "--topic", "world_news")] == [2, 1]
    assert "world_news" in desk("digests", "--limit", "1").stdout
    shadow = asked(desk, *MADE, "--shadow")
    assert (shadow["run"]["mode"], shadow["posts"]) == ("shadow", [])

    for form, sign in (("text", "Old bridge"), ("markdown", "## [Old bridge"), ("html", "<html")):
        read = desk("digests", "read", run_id, "--format", form)
        assert sign in read.stdout, read.stderr
        assert "Chess club wins the cup" in read.stdout


async def test_what_is_wrong_is_told_with_what_to_do(database, desk):
    async with database.transaction() as conn:
        await topics.put(conn, replace(await topics.by_slug(conn, "ai_news"), digest_cron="0 9 * * 1"))
    for arguments, code, hint in [
        (["digest", "--topic", "nobody"], 1, "`scoop topics list`"),
        (["digest", "--topic", "ai_news", "--date", DAY], 2, "the next is on 2026-11-16"),
        ([*MADE, "--publish"], 2, "scoop topics channels add world_news NAME --kind KIND"),
        ([*MADE, "--publish", "--shadow"], 2, "choose one of --publish, --shadow and --correct"),
        ([*MADE, "--correct"], 2, "--publish posts it"),
        (["digest", "--topic", "world_news", "--date", "tomorrow"], 2, "it must be a date"),
        (["digest", "--topic", "world_news", "--date", "2098-01-01"], 2, "2098-01-01 is in the future"),
        (["digests", "show", "4711"], 1, "`scoop digests` lists them"),
        (["digests", "read", "4711"], 1, "`scoop digests` lists them"),
        (["posts", "resend", "4711"], 1, "`scoop posts held` lists held ones"),
        (["posts", "drop", "4711"], 1, "`scoop posts held` lists held ones"),
        (["digests"], 0, "there are no digests yet"),
        (["posts", "list"], 0, "nothing was posted yet"),
        (["posts", "held"], 0, "nothing is held"),
    ]:
        done = desk(*arguments)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert hint in done.stderr
        assert "Traceback" not in done.stderr


async def test_a_digest_is_published_once_and_can_be_corrected(database, desk, tmp_path):
    await tell_stories(database)
    await add_channel(database, "file", folder=str(tmp_path))
    file = tmp_path / f"world_news-{DAY}.md"
    first = asked(desk, *MADE, "--publish")
    (post,) = first["posts"]
    assert post.keys() == names(Post)
    assert (post["state"], post["message_id"]) == ("sent", str(file))
    assert (first["run"]["posted_count"], first["run"]["published_at"] is None) == (2, False)
    written = file.read_text(), file.stat().st_mtime_ns
    assert asked(desk, *MADE, "--publish") == asked(desk, "digests", "show", str(first["run"]["digest_run_id"]))
    assert (file.read_text(), file.stat().st_mtime_ns) == written
    assert [post["state"] for post in asked(desk, "posts", "list")] == ["sent"]

    bridge = next(entry for entry in first["entries"] if "bridge" in entry["title"])
    assert desk("topics", "suppress", "world_news", str(bridge["story_id"]), "--reason", "withdrawn").returncode == 0
    assert desk(*MADE, "--correct").returncode == 0
    assert "Old bridge" not in file.read_text()
    assert "Chess club" in file.read_text()


async def test_what_failed_is_held_until_somebody_resends_or_drops_it(database, desk, tmp_path):
    await tell_stories(database)
    is_open, posted = tmp_path / "open", tmp_path / "posted"
    script = f"test -e {is_open} || {{ echo closed today >&2; exit 1; }}; cat >> {posted}; echo message-1"
    await add_channel(database, "command", command=["/bin/sh", "-c", script])
    (failed,) = asked(desk, *MADE, "--publish")["posts"]
    number = str(failed["post_id"])
    assert (failed["state"], "closed today" in failed["error"]) == ("failed", True)
    assert "closed today" in desk("posts", "held").stdout
    is_open.touch()
    assert asked(desk, *MADE, "--publish")["posts"][0]["state"] == "failed"

    assert "scoop run-once --publish" in desk("posts", "resend", number).stdout
    assert desk("run-once").returncode == 0
    assert not posted.exists()
    assert asked(desk, "posts", "list", "--topic", "world_news")[0]["state"] == "waiting"
    assert asked(desk, "run-once", "--publish")["publish"] == 1
    (sent,) = asked(desk, "posts", "list")
    assert (sent["state"], sent["message_id"], sent["error"]) == ("sent", "message-1", None)
    assert json.loads(posted.read_text())
    assert desk("posts", "drop", number).returncode == 1


async def test_a_dropped_post_is_never_sent(database, desk, tmp_path):
    await tell_stories(database)
    await add_channel(database, "command", command=["/bin/false"])
    (failed,) = asked(desk, *MADE, "--publish")["posts"]
    assert desk("posts", "drop", str(failed["post_id"])).stdout == "dropped\n"
    assert asked(desk, "posts", "held") == []
    assert "publish" not in asked(desk, "run-once", "--publish")
    assert [post["state"] for post in asked(desk, "posts", "list")] == ["dropped"]


HOSTILE = [
    "@everyone @here <@1> <@&2> win now",
    "\N{FIRE}\N{FIRE}\N{FIRE}",
    "# **Bold** [a link](https://evil.example) ||hidden|| `code` ```",
    "</title><script>alert(1)</script>",
    "x" * 3_000,
]


async def test_hostile_titles_are_harmless_where_they_are_posted(database, desk):
    items = [
        an_item(
            number,
            **MORNING,
            title=title,
            body_text=f"{title} {number}",
            source=f"paper_{number}",
            canonical_url=f"https://paper-{number}.example/",
        )
        for number, title in enumerate(HOSTILE)
    ]
    await told(database, items)
    now = datetime.now(UTC)
    stand = server.create_app(a_world(), now, lambda: datetime.now(UTC))
    async with serving(stand) as url:
        await add_channel(
            database, "discord_bot", connect_to=url.removeprefix("http://"), channel_id=CHANNELS["world_news"]
        )
        done = await asyncio.to_thread(desk, *MADE, "--publish", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert {post["state"] for post in made["posts"]} == {"sent"}
    messages = stand.state.discord.messages(CHANNELS["world_news"])
    assert [message.pinged for message in messages] == [()] * len(made["posts"])
    embeds = [embed for message in messages for embed in message.embeds]
    assert len(embeds) == len({entry["rank"] for entry in made["entries"] if entry["rank"]})
    assert "@everyone" not in json.dumps([message.content for message in messages])
    assert not any("](https://evil.example)" in json.dumps(embed) for embed in embeds)
