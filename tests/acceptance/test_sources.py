"""Sources from the command line: tried, added, changed, listed, moved between desks."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from rich.cells import cell_len

from builders import scoop

FEED = "http://coastaltribune.example/feed.xml"


@pytest.fixture(scope="module")
def newsstand(tmp_path_factory) -> Iterator[str]:
    """The address of a newsstand that serves on its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("newsstand")
    process = subprocess.Popen(
        [sys.executable, "-m", "scoop", "demo", "newsstand"],
        cwd="/tmp",
        stdout=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "SCOOP_HOME": str(folder), "SCOOP_NEWSSTAND_PORT": str(port)},
    )
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    yield f"127.0.0.1:{port}"
    process.terminate()
    process.wait()


@pytest.fixture
def desk(database_url, tmp_path):
    """The command line on a database of its own."""

    def run(*arguments, **more):
        return scoop(*arguments, database_url=database_url, home=tmp_path, **more)

    return run


@pytest.mark.parametrize(
    ("target", "more", "slug", "kind"),
    [
        (FEED, [], "coastal_tribune", "rss"),
        ("hackernews", ["-o", "limit=5"], "hackernews", "hackernews"),
        ("arxiv:cs.CL", [], "arxiv_cs_cl", "arxiv"),
        ("r/ai_news", ["-o", "robots=ignore"], "reddit_ai_news", "reddit"),
        ("https://www.youtube.com/channel/UCscoopNewsstandOnAirTV1", [], "newsstand_on_air", "youtube"),
        ("search:ferry", ["-o", "days=30"], "tavily_ferry", "tavily"),
        ("http://fennmoorgazette.example/", ["--kind", "site"], "fennmoorgazette_example", "site"),
    ],
)
def test_each_kind_is_added_in_one_command_after_a_look_at_what_it_brings(desk, newsstand, target, more, slug, kind):
    added = desk("sources", "add", target, "--collection", "news", "--connect-to", newsstand, *more)
    assert added.returncode == 0, added.stderr
    assert "published" in added.stdout
    [source] = json.loads(desk("sources", "list", "--json").stdout)
    assert (source["slug"], source["kind"], source["health"]) == (slug, kind, "new")
    visited = json.loads(desk("ingest", "--source", slug, "--json").stdout)
    assert [run["status"] for run in visited] == ["completed"]
    assert visited[0]["items_inserted"] > 0
    log = desk("runs", "--log", str(visited[0]["run_id"])).stdout.splitlines()
    assert json.loads(log[-1])["event"] == "ended"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["http://nowhere.example/feed", "--collection", "news"], "the name nowhere.example cannot be resolved"),
        (["http://127.0.0.1/feed", "--collection", "news"], "is a private address"),
        (["nonsense", "--collection", "news"], "give the address of a feed or site"),
        ([FEED, "--collection", "news", "--kind", "carrier_pigeon"], "there are arxiv, hackernews, "),
        ([FEED, "--collection", "news", "-o", "full_text=perhaps"], "one of: always, auto, never"),
        ([FEED, "--collection", "news", "-o", "speed=3"], "there is no option speed; there are"),
        ([FEED, "--collection", "news", "--every", "sometimes"], "30m, 1h or 2d"),
        ([FEED, "--collection", "news", "--window", "25:00-26:00"], "crawl_windows"),
        ([FEED, "--collection", "news", "--timezone", "Mars"], "Europe/Berlin"),
        (["hackernews", "--collection", "news", "-o", "limit=9999"], "an integer, 1-500"),
        (["hackernews", "--collection", " "], "collection"),
    ],
)
def test_what_is_wrong_is_named_with_its_fix_and_nothing_is_added(desk, arguments, told):
    done = desk("sources", "add", *arguments)
    assert done.returncode in {1, 2}
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(desk("sources", "list", "--json").stdout) == []


def test_a_source_is_changed_rested_and_removed(desk):
    desk("sources", "add", FEED, "--collection", "news", "--no-check")
    slug = "coastaltribune_example"
    assert desk("sources", "edit", slug, "--every", "0 7 * * *", "-o", "full_text=never").returncode == 0
    assert desk("sources", "edit", slug, "--window", "06:30-07:15", "--timezone", "Asia/Tokyo").returncode == 0
    assert desk("sources", "enable", slug, "--off").returncode == 0
    [source] = json.loads(desk("sources", "list", "--json").stdout)
    assert source["schedule"] == "0 7 * * *"
    assert source["options"] == {"full_text": "never"}
    assert source["crawl_windows"] == [{"start": "06:30", "end": "07:15"}]
    assert source["enabled"] is False
    assert desk("sources", "remove", slug).returncode == 0
    assert json.loads(desk("sources", "list", "--json").stdout) == []
    assert desk("sources", "test", slug).returncode == 1


def test_an_address_without_a_scheme_says_which_one_was_taken(desk, newsstand):
    added = desk("sources", "add", FEED.removeprefix("http://"), "--collection", "news", "--connect-to", newsstand)
    assert added.returncode == 0, added.stderr
    assert "the address is taken as https://coastaltribune.example/feed.xml" in added.stderr
    previewed = desk("preview", FEED.removeprefix("http://"), "--connect-to", newsstand)
    assert "the address is taken as https://coastaltribune.example/feed.xml" in previewed.stdout


def test_a_refused_address_comes_with_the_way_to_allow_it(desk, newsstand):
    feed = f"http://{newsstand}/coastaltribune.example/feed.xml"
    refused = desk("sources", "add", feed, "--collection", "news")
    assert refused.returncode == 1
    assert "--allow-private" in refused.stderr
    assert desk("sources", "add", feed, "--collection", "news", "--allow-private").returncode == 0


def test_a_source_is_shown_disabled_by_either_spelling_reset_and_removed_by_its_alias(desk):
    desk("sources", "add", FEED, "--collection", "news", "--no-check", "--every", "2h", "-o", "full_text=never")
    slug = "coastaltribune_example"
    shown = desk("sources", "show", slug).stdout
    assert "2h" in shown
    assert "full_text=never" in shown
    assert FEED in shown
    for off, on in ((("disable",), ("enable",)), (("enable", "--off"), ("enable",))):
        desk("sources", off[0], slug, *off[1:])
        assert json.loads(desk("sources", "show", slug, "--json").stdout)["enabled"] is False
        desk("sources", *on, slug)
        assert json.loads(desk("sources", "show", slug, "--json").stdout)["enabled"] is True
    changed = desk("sources", "change", slug, "--reset", "schedule", "-o", "full_text=", "--name", "Coast")
    assert changed.returncode == 0
    source = json.loads(desk("sources", "show", slug, "--json").stdout)
    assert (source["schedule"], source["options"], source["name"]) == ("1h", {}, "Coast")
    assert desk("sources", "rm", slug).returncode == 0
    assert desk("sources", "show", slug).returncode == 1


def test_imported_feeds_of_the_own_network_are_allowed_by_one_option(desk, newsstand, tmp_path):
    opml = tmp_path / "in.opml"
    feed = f"http://{newsstand}/coastaltribune.example/feed.xml"
    opml.write_text(f'<opml version="2.0"><body><outline text="A" xmlUrl="{feed}"/></body></opml>')
    desk("sources", "import", str(opml), "--allow-private")
    [run] = json.loads(desk("ingest", "--source", "all", "--json").stdout)
    assert run["status"] == "completed"


def test_a_filter_by_an_unknown_collection_names_those_that_exist(desk):
    desk("sources", "add", FEED, "--collection", "news", "--no-check")
    done = desk("sources", "list", "--collection", "sports")
    assert done.returncode == 2
    assert "there is no collection 'sports'; there are: " in done.stderr


def test_opml_goes_from_desk_to_desk_with_its_folders_and_without_tokens(desk, tmp_path):
    opml = tmp_path / "in.opml"
    opml.write_text(
        '<opml version="2.0"><body><outline text="World"><outline type="rss" text="A" xmlUrl="http://a.example/f"/>'
        '<outline text="B" xmlUrl="http://b.example/f?token=s3cret"/></outline>'
        '<outline text="C" xmlUrl="http://a.example/g"/><outline text="bad" xmlUrl="ftp://x"/></body></opml>'
    )
    done = desk("sources", "import", str(opml), "--collection", "rest", "--json")
    told = json.loads(done.stdout)
    assert told["added"] == ["a", "b", "c"]
    assert len(told["problems"]) == 1
    assert json.loads(desk("sources", "import", str(opml), "--json").stdout)["known"] == 3
    listed = json.loads(desk("sources", "list", "--json").stdout)
    assert [source["collection"] for source in listed] == ["world", "world", "rest"]
    exported = desk("sources", "export").stdout
    assert "http://b.example/f" in exported
    assert "s3cret" not in exported
    assert "http://b.example/f?token=s3cret" in desk("sources", "export", "--secrets").stdout


SITES = [
    {
        "siteId": "minato-press",
        "name": "Minato",
        "category": "press_release",
        "baseUrl": "http://minato.example/press/",
        "crawlWindows": [{"start": "06:30", "end": "07:15"}, {"start": "18:30", "end": "19:15"}],
        "allowedPaths": ["/press/"],
        "requestIntervalMs": 2000,
        "timezone": "Asia/Tokyo",
    },
    {"siteId": "other", "baseUrl": "http://other.example/", "collection": "region", "schedule": "3h"},
    {"siteId": "late", "baseUrl": "http://late.example/", "crawlWindows": [{"start": "25:00", "end": "26:00"}]},
]


def test_sites_are_imported_from_json_with_their_windows(desk, tmp_path):
    file = tmp_path / "sites.json"
    file.write_text(json.dumps(SITES))
    done = json.loads(desk("sources", "import", str(file), "--collection", "press", "--json").stdout)
    assert (done["added"], done["known"]) == (["minato_press", "other"], 0)
    assert "crawl_windows[0].start" in done["problems"][0]
    again = json.loads(desk("sources", "import", str(file), "--json").stdout)
    assert (again["added"], again["known"]) == ([], 2)
    site = json.loads(desk("sources", "show", "minato_press", "--json").stdout)
    assert (site["kind"], site["category"], site["collection"]) == ("site", "press_release", "press")
    assert (site["schedule"], site["timezone"]) == ("0 7,19 * * *", "Asia/Tokyo")
    assert site["crawl_windows"] == SITES[0]["crawlWindows"]
    assert (site["allowed_paths"], site["request_interval_ms"]) == (["/press/"], 2000)
    other = json.loads(desk("sources", "show", "other", "--json").stdout)
    assert (other["schedule"], other["collection"]) == ("3h", "region")


def test_sites_are_imported_from_toml_on_standard_input(desk):
    listed = b'[[sites]]\nsiteId = "minato"\nbaseUrl = "http://minato.example/"\n'
    done = desk("sources", "import", "-", "--every", "6h", "--json", stdin=listed)
    assert json.loads(done.stdout)["added"] == ["minato"]
    assert json.loads(desk("sources", "show", "minato", "--json").stdout)["schedule"] == "6h"


def test_a_file_that_is_neither_opml_nor_a_list_of_sites_is_refused(desk):
    done = desk("sources", "import", "-", stdin=b"hello")
    assert done.returncode == 1
    assert "neither JSON nor TOML" in done.stderr


def test_a_bomb_is_no_opml(desk, tmp_path):
    bomb = tmp_path / "bomb.opml"
    bomb.write_text('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><opml><body>&b;</body></opml>')
    done = desk("sources", "import", str(bomb))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_sources_in_the_configuration_file_are_gathered(desk, newsstand, tmp_path):
    config = tmp_path / "scoop.toml"
    config.write_text(
        f'[[sources]]\ntarget = "{FEED}"\ncollection = "world_news"\nschedule = "30m"\n'
        f'options = {{ connect_to = "{newsstand}" }}\n'
    )
    done = desk("ingest", "--source", "all", "--json", config=config)
    assert json.loads(done.stdout)[0]["items_inserted"] > 0
    config.write_text('[[sources]]\ntarget = "hackernews"\ncollection = "news"\nspeed = 3\n')
    done = desk("ingest", "--source", "all", config=config)
    assert done.returncode == 3
    assert "[[sources]] number 1: a source has no setting 'speed'" in done.stderr


def test_a_secret_is_read_from_a_file_and_never_from_the_settings_file(desk, tmp_path):
    config = tmp_path / "scoop.toml"
    config.write_text('tavily_api_key = "tvly-x"\n')
    done = desk("stats", config=config)
    assert done.returncode == 3
    assert "SCOOP_SOURCES_TAVILY_API_KEY_FILE" in done.stderr
    assert "tvly-x" not in done.stderr
    done = desk("stats", tavily_api_key_file=tmp_path / "missing")
    assert done.returncode == 3
    assert "missing" in done.stderr


def test_tables_fit_a_terminal_of_eighty_columns(desk, newsstand, database_url, tmp_path):
    desk("sources", "add", FEED, "--collection", "news", "--connect-to", newsstand, "--no-check")
    desk("sources", "add", "http://nowhere.example/", "--collection", "news", "--no-check")
    desk("ingest", "--source", "all")
    settings = {"SCOOP_DATABASE_URL": database_url, "SCOOP_HOME": str(tmp_path)}
    for command in (["sources", "list"], ["runs"]):
        lines = on_terminal(command, settings, columns=80)
        assert any("coastaltribune_example" in line for line in lines)
        assert any("nowhere_example" in line for line in lines)
        assert max(map(cell_len, lines)) <= 80


def on_terminal(arguments: list[str], settings: dict[str, str], *, columns: int) -> list[str]:
    """What a command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "scoop", *arguments],
        stdout=theirs,
        cwd="/tmp",
        env={"PATH": "/usr/bin:/bin", **settings},
    )
    os.close(theirs)
    text = b""
    with suppress(OSError):  # how the end of a terminal is told
        while piece := os.read(ours, 65536):
            text += piece
    process.wait()
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.decode()).splitlines()
