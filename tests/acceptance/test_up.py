"""Everything in one: what a stranger sees after `make up`."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from builders import scoop
from scoop.newsstand import world
from scoop.store.embedded import EmbeddedServer

ARTICLES = len(world.load(world.SHIPPED).articles)
STORIES, PAPERS, POSTS, VIDEOS, RESULTS, LINKS = 30, 4, 25, 8, 4, 6  # of the services beside the outlets
ITEMS = ARTICLES + STORIES + PAPERS + POSTS + VIDEOS + RESULTS + LINKS


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def settings(home):
    return {"home": home, "port": free_port(), "newsstand_port": free_port(), "voice": "none", "lessons_per_day": 0}


def figures(**settings) -> dict:
    return json.loads(scoop("stats", "--json", **settings).stdout)


@contextmanager
def running(**settings):
    """`scoop up` as a process; gives the process and the address it printed."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    environ |= {f"SCOOP_{name.upper()}": str(value) for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "scoop", "up"], stdout=subprocess.PIPE, text=True, env=environ, cwd="/tmp"
    )
    try:
        line = process.stdout.readline()
        yield process, re.search(r"http://\S+", line)[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


async def fetch(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def fetch_until(url: str, expected: str, seconds: float = 60) -> str:
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        status, text = await fetch(url)
        if (status == 200 and expected in text) or asyncio.get_running_loop().time() > deadline:
            return text
        await asyncio.sleep(0.25)


def test_one_pass_gathers_the_newsstand_and_a_second_adds_nothing(settings):
    first = scoop("up", "--once", **settings)
    assert (first.returncode, "Traceback" in first.stderr) == (0, False)
    assert "No sources are configured" in first.stderr
    assert "scoop sources add" in first.stderr
    before = figures(**settings)
    assert (before["arrivals"], before["documents"]) == (ITEMS, ITEMS)
    assert before["stories"] < ITEMS
    assert scoop("up", "--once", **settings).returncode == 0
    after = figures(**settings)
    assert {key: after[key] for key in ("arrivals", "documents", "stories", "events")} == {
        key: before[key] for key in ("arrivals", "documents", "stories", "events")
    }


async def test_the_terminal_shows_how_the_first_account_is_made_and_the_page_lets_it_in(settings):
    with running(**settings) as (process, url):
        link = re.search(r"http://\S+/welcome\?code=(\S+)", process.stdout.readline())
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            async with browser.get(url) as answer:
                assert str(answer.url) == f"{url}/welcome"
            form = {"code": link[1], "name": "Ada", "password": "a long password", "again": "a long password"}
            async with browser.post(f"{url}/welcome", data=form, headers={"Origin": url}) as answer:
                assert (answer.status, str(answer.url)) == (200, f"{url}/")
                assert "Welcome, Ada" in await answer.text()
        assert (await fetch(f"{url}/welcome?code={link[1]}"))[1].count("Create account") == 0


async def test_the_page_shows_stories_and_a_signal_stops_it_cleanly(settings):
    with running(**settings, public_reading=True) as (process, url):
        text = await fetch_until(url, "Coastal Tribune")
        assert "<h1" in text
        assert (await fetch(f"{url}/healthz"))[0] == 200
        assert (await fetch(f"{url}/readyz"))[0] == 200
        process.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(process.wait, 60) == 0


async def test_two_at_once_on_the_same_home_double_nothing(settings):
    settings["public_reading"] = True
    other = {**settings, "port": free_port()}
    with running(**settings) as (_, url), running(**other) as (_, other_url):
        await fetch_until(url, "Coastal Tribune")
        await fetch_until(other_url, "Coastal Tribune")
        passes = [asyncio.to_thread(scoop, "run-once", "--processes", "2", **settings) for _ in range(2)]
        assert [done.returncode for done in await asyncio.gather(*passes)] == [0, 0]
    found = figures(**settings)
    assert (found["arrivals"], found["documents"], found["members"]) == (ITEMS,) * 3
    opened = scoop(
        "db", "psql", "--", "-Atc", "SELECT count(*) FROM news.dedup_events WHERE decision = 'new_story'", **settings
    )
    assert int(opened.stdout) == found["stories"] + found["merged_stories"]


def test_a_taken_port_is_told_and_nothing_is_left_running(settings):
    with socket.create_server(("127.0.0.1", settings["port"])):
        done = scoop("up", **settings)
    assert done.returncode == 3
    assert "SCOOP_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_newsstand_port_that_a_stranger_has_is_told(settings):
    with socket.create_server(("127.0.0.1", settings["newsstand_port"])):
        done = scoop("up", "--once", **settings)
    assert done.returncode == 3
    assert "SCOOP_NEWSSTAND_PORT" in done.stderr


def test_an_external_server_over_tcp_gives_the_same_stories(settings, home):
    port = free_port()
    server = EmbeddedServer(home / "elsewhere", {"listen_addresses": "127.0.0.1", "port": str(port)})
    server.attach()
    password = server.passfile.read_text().strip().rpartition(":")[2]
    url = f"postgresql://scoop:{password}@127.0.0.1:{port}/scoop"
    items = scoop("demo", "items", **settings).stdout.encode()
    exports = []
    for where in ({"home": home}, {"home": home / "unused", "database_url": url}):
        assert scoop("ingest", "--items", "-", stdin=items, **where).returncode == 0
        assert scoop("run-once", "--processes", "2", **where).returncode == 0
        exports.append({_members(line) for line in scoop("export", "stories", **where).stdout.splitlines()})
    server.detach()
    server.stop()
    assert exports[0] == exports[1]
    assert not Path(home / "unused" / "pg").exists()
    assert sum(len(members) for members in exports[0]) == ARTICLES


def _members(line: str) -> frozenset[str]:
    return frozenset(member["source_item_id"] for member in json.loads(line)["members"])
