"""Topics from the command line and the settings file."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from builders import an_item, as_lines, scoop

TODAY = (datetime.now(UTC) - timedelta(hours=1)).isoformat(timespec="seconds")
TITLES = ["Solar roofs for Ostburg", "Wind park off the coast", "Solar roofs: an advertisement", "Bridge closed"]


@pytest.fixture
def desk(database_url, home):
    """The command line on a database of its own."""

    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    return call


def asked(desk, *arguments):
    done = desk(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_topic_is_made_tried_out_and_filled(desk):
    items = [
        an_item(number, title=title, published_at=TODAY, body_text=f"{title}.") for number, title in enumerate(TITLES)
    ]
    assert desk("ingest", "--items", "-", stdin=as_lines(items)).returncode == 0
    assert desk("run-once").returncode == 0
    added = desk("topics", "add", "energy", "--collection", "world_news", "--cron", "0 8 * * 1-5")
    assert "now: scoop topics test energy" in added.stdout, added.stderr
    for rule in (
        ["--keyword", "solar", "--weight", "2"],
        ["--regex", "wind (farm|park)"],
        ["--keyword", "advertisement", "--exclude"],
    ):
        assert desk("topics", "rules", "add", "energy", *rule).returncode == 0
    tried = asked(desk, "topics", "test", "energy")
    assert (tried["looked_at"], tried["stories"]) == (4, 2)
    assert {catch["rule"]: catch["stories"] for catch in tried["rules"]} == {
        "collection:world_news": 2,
        "keyword:solar": 1,
        "keyword:wind (farm|park)": 1,
        "keyword:advertisement": 1,
    }
    shown = desk("topics", "test", "energy").stdout
    assert "2 of 4 stories within its bounds belong to energy" in shown
    assert "Solar roofs for Ostburg" in shown

    assert asked(desk, "assign-topics")["done"] == 4
    story = next(each for each in asked(desk, "stories") if each["title"] == TITLES[0])
    held = desk("topics", "suppress", "energy", str(story["story_id"]), "--reason", "dull")
    assert f"scoop topics unsuppress energy {story['story_id']}" in held.stdout, held.stderr
    assert asked(desk, "topics", "unsuppress", "energy", story["story_uuid"])["suppressed"] is False
    assert desk("topics", "rules", "remove", "energy", "--keyword", "solar").returncode == 0
    assert asked(desk, "topics", "test", "energy")["stories"] == 1


def test_a_topic_is_changed_rested_shown_and_removed(desk):
    assert desk("topics", "add", "tokyo", "--timezone", "Asia/Tokyo").returncode == 0
    assert desk("topics", "edit", "tokyo", "--name", "Tokyo mornings", "--max-entries", "5").returncode == 0
    assert (
        desk("topics", "edit", "tokyo", "--collection", "world_news", "--discord-channel-id", "1" * 18).returncode == 0
    )
    assert desk("topics", "disable", "tokyo").returncode == 0
    shown = asked(desk, "topics", "show", "tokyo")
    assert (shown["topic_name"], shown["timezone"], shown["max_entries"]) == ("Tokyo mornings", "Asia/Tokyo", 5)
    assert (shown["collections"], shown["discord_channel_id"], shown["enabled"]) == (["world_news"], "1" * 18, False)
    assert desk("topics", "edit", "tokyo", "--collection", "", "--discord-channel-id", "").returncode == 0
    shown = desk("topics", "show", "tokyo").stdout
    assert "Tokyo mornings (tokyo), disabled" in shown
    assert "from everywhere" in shown
    assert "tokyo" in desk("topics", "list").stdout
    assert desk("topics", "edit", "tokyo", "--reset", "max_entries", "--reset", "name").returncode == 0
    assert asked(desk, "topics", "show", "tokyo")["topic_name"] == "Tokyo"
    assert desk("topics", "edit", "tokyo", "--reset", "slug").returncode == 0
    assert desk("topics", "enable", "tokyo").returncode == 0
    assert desk("topics", "remove", "tokyo").returncode == 0
    assert [topic["topic_slug"] for topic in asked(desk, "topics", "list")] == ["ai_news", "china_news", "world_news"]


def test_channels_are_added_rested_and_removed(desk, tmp_path):
    folder = str(tmp_path)
    added = desk("topics", "channel", "add", "ai_news", "main", "--kind", "file", "--option", f"folder={folder}")
    assert added.returncode == 0, added.stderr
    assert desk("topics", "channel", "disable", "ai_news", "main").returncode == 0
    assert asked(desk, "topics", "channel", "list", "ai_news") == [
        {"name": "main", "kind": "file", "options": {"folder": folder}, "enabled": False, "problem": None}
    ]
    assert desk("topics", "channel", "enable", "ai_news", "main").returncode == 0
    assert "main" in desk("topics", "show", "ai_news").stdout
    assert desk("topics", "channel", "remove", "ai_news", "main").returncode == 0
    assert asked(desk, "topics", "channel", "list", "ai_news") == []


def test_what_is_wrong_is_named_with_its_fix(desk):
    for arguments, code, told in [
        (["add", "Energy"], 2, "a-z, 0-9 and _"),
        (["add", "ai_news"], 2, "scoop topics change ai_news"),
        (["add", "energy", "--cron", "*/5 * * * *"], 2, "several times on one date"),
        (["add", "energy", "--timezone", "Mars"], 2, "Europe/Berlin"),
        (["edit", "ai_news", "--max-entries", "0"], 2, "max_entries: must be a whole number from 1 to 100"),
        (["show", "energy"], 1, "`scoop topics list`"),
        (["rules", "add", "ai_news", "--regex", "(?=x)"], 2, "lookarounds"),
        (["rules", "add", "ai_news", "--regex", "x", "--keyword", "x"], 2, "one of --keyword, --regex and --source"),
        (["rules", "remove", "ai_news", "--keyword", "x"], 1, "`scoop topics rules list ai_news`"),
        (
            ["channel", "add", "ai_news", "main", "--kind", "pigeon"],
            2,
            "no kind of channel 'pigeon'; there are command, ",
        ),
        (["channel", "add", "ai_news", "main", "--kind", "file", "--option", "folder"], 2, "NAME=VALUE"),
        (["channel", "remove", "ai_news", "main"], 1, "`scoop topics show ai_news`"),
        (["suppress", "ai_news", "4711"], 1, "`scoop stories`"),
    ]:
        done = desk("topics", *arguments)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert told in done.stderr
        assert "Traceback" not in done.stderr


def test_the_settings_file_makes_topics(desk, tmp_path):
    config = tmp_path / "scoop.toml"
    config.write_text(
        '[[topics]]\nslug = "energy"\ncollections = ["world_news"]\n'
        'keywords = ["solar", { pattern = "wind (farm|park)", is_regex = true, weight = 2 }]\n'
        f'channels = [{{ name = "main", kind = "file", options = {{ folder = "{tmp_path}" }} }}]\n'
    )
    assert desk("assign-topics", config=config).returncode == 0
    shown = asked(desk, "topics", "show", "energy")
    assert [rule["pattern"] for rule in shown["keyword_rules"]] == ["solar", "wind (farm|park)"]
    assert [channel["kind"] for channel in shown["channels"]] == ["file"]
    config.write_text('[[topics]]\nslug = "energy"\nspeed = 3\n')
    done = desk("assign-topics", config=config)
    assert done.returncode == 3
    assert "[[topics]] number 1: a topic has no setting 'speed'" in done.stderr
