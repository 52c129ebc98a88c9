"""Moving over from an older system, as an operator does it."""

import json
import stat
from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, an_item, as_lines, scoop

NOW = datetime.now(UTC)
HOUR_AGO = (NOW - timedelta(hours=1)).isoformat(timespec="seconds")
DUE_TODAY = f"{NOW.minute} {NOW.hour} * * *"


@pytest.fixture
def desk(database_url, home):
    """The command line on a database of its own."""

    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    return call


def asked(desk, *arguments, code=0):
    done = desk(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def topic(desk):
    """A topic whose digest of today has just become due, with two stories in it."""
    then = {"published_at": HOUR_AGO, "metadata": {"scraped_at": HOUR_AGO}}
    items = [an_item(1, **then), an_item(2, **then, **FIRE)]
    assert desk("ingest", "--items", "-", stdin=as_lines(items)).returncode == 0
    done = desk("topics", "edit", "world_news", "--timezone", "UTC", "--cron", DUE_TODAY)
    assert done.returncode == 0, done.stderr
    assert desk("legacy", "shadow", "world_news").returncode == 0
    assert desk("run-once").returncode == 0
    return "world_news"


def test_a_topic_is_compared_cut_over_and_rolled_back(desk, topic, tmp_path):
    posted = tmp_path / "posted.jsonl"
    bridge = {"title": "Bridge number 1 stays closed", "url": "https://tribune.example/1", "source": "tribune"}
    stranger = {"title": "Something that never arrived here at all", "url": "https://elsewhere.example/1"}
    posted.write_bytes(as_lines([{"topic": topic, "date": str(NOW.date()), "items": [bridge, bridge, stranger]}]))
    (imported,) = asked(desk, "legacy", "import", str(posted))
    assert (imported["kind"], imported["new"], imported["refused"]) == ("digests", 3, [])
    assert asked(desk, "legacy", "import", str(posted))[0]["new"] == 0

    asked(desk, "digest", "--topic", topic, "--shadow")
    page = tmp_path / "diff.html"
    found = asked(desk, "legacy", "diff", "--topic", topic, "--html", str(page))["figures"]
    assert (found["legacy_items"], found["legacy_doubles"], found["missed"]) == (3, 1, 1)
    assert (found["overlap_rate"], found["extras"]) == (0.5, 1)
    assert "Something that never arrived" in page.read_text()
    shown = desk("legacy", "diff", "--topic", topic).stdout
    assert "50 %" in shown
    assert "nothing like it has arrived" in shown

    refused = desk("legacy", "cutover", topic)
    assert (refused.returncode, "scoop topics channels add world_news" in refused.stderr) == (2, True)
    channel = desk("topics", "channel", "add", topic, "main", "--kind", "file", "--option", f"folder={tmp_path}")
    assert channel.returncode == 0, channel.stderr
    output = desk("legacy", "cutover", topic).stdout
    assert f"the digest of {NOW.date()} is left to the older system" in output
    assert "stop the older system's job" in output
    (standing,) = [each for each in asked(desk, "legacy", "status") if each["topic_slug"] == topic]
    assert (standing["mode"], standing["posted_by"], standing["last_legacy"]) == ("prod", "scoop", str(NOW.date()))

    output = desk("legacy", "rollback", topic).stdout
    assert f"the digest of {NOW.date()} was left to the older system" in output
    assert "older system" in desk("legacy", "status").stdout
    outcomes = [check["outcome"] for check in asked(desk, "acceptance")]
    assert outcomes == ["pass", "pass", "pass", "pass", "n/a", "n/a"]


def test_the_way_back_runs_the_older_system_once(desk, tmp_path):
    script, ran = tmp_path / "post.sh", tmp_path / "ran"
    script.write_text(f'#!/bin/sh\necho "$NP_TOPIC $NP_DATE $1" >> {ran}\n')
    assert desk("legacy", "command", "world_news", "--", str(script)).returncode == 2
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    assert (
        "runs when a digest is 30m late"
        in desk("legacy", "command", "world_news", "--deadline", "30m", "--", str(script), "--now").stdout
    )
    assert desk("topics", "edit", "world_news", "--timezone", "UTC", "--cron", DUE_TODAY).returncode == 0
    done = asked(desk, "legacy", "rollback", "world_news", "--run-now")
    assert (done["whose"], done["exit_code"], done["date"]) == ("left", 0, str(NOW.date()))
    assert asked(desk, "legacy", "rollback", "world_news", "--run-now")["exit_code"] is None
    assert ran.read_text() == f"world_news {NOW.date()} --now\n"
    (way_back,) = [check for check in asked(desk, "acceptance") if "within 5 minutes" in check["check"]]
    assert way_back["outcome"] == "pass"
    script.unlink()
    failing = [check["check"] for check in asked(desk, "acceptance", code=1) if check["outcome"] == "fail"]
    assert failing == [way_back["check"]]
    assert desk("legacy", "command", "world_news", "--forget").returncode == 0


def test_what_cannot_be_done_is_told_with_the_way_out(desk, tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"id": "a"}\nnothing\n{"ts": 1}\n')
    done = desk("legacy", "import", str(lines))
    assert (done.returncode, done.stderr.count("\n")) == (1, 2)
    assert f"{lines}:2: is not JSON" in done.stderr
    for arguments, code, told in [
        (("import", str(tmp_path / "none")), 1, "no such file"),
        (("import", str(tmp_path)), 1, "is a directory"),
        (("import", str(lines), "--topic", "none"), 1, "`scoop topics list`"),
        (("diff", "--topic", "world_news"), 1, "scoop legacy import FILE"),
        (("shadow", "none"), 1, "`scoop topics list`"),
        (("command", "world_news"), 2, "give a program after --"),
        (("command", "world_news", "--deadline", "13h", "--", "true"), 2, "must be shorter"),
        (("rollback", "world_news", "--run-now"), 2, "scoop legacy command world_news"),
    ]:
        done = desk("legacy", *arguments)
        assert (done.returncode, done.stdout, told in done.stderr) == (code, "", True), done.stderr


def test_what_the_settings_file_says_is_changed_there(desk, tmp_path):
    settings = tmp_path / "scoop.toml"
    settings.write_text('[[topics]]\nslug = "energy"\nmode = "prod"\n')
    done = desk("legacy", "shadow", "energy", config=settings)
    assert (done.returncode, "change it there" in done.stderr) == (2, True)
