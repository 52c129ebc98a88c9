"""Tools and their sentiment on the command line: add, merge, export, and a chart of what is said."""

import json
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from builders import an_item, as_lines, scoop

# In the evening of a day of last week: in Tokyo it is the next day.
PUBLISHED = datetime.combine(datetime.now(UTC).date() - timedelta(days=5), time(20), UTC)


@pytest.fixture
def run(database_url):
    def command(*arguments, **given):
        return scoop(*arguments, database_url=database_url, **given)

    return command


@pytest.fixture
def tussock(run, tmp_path):
    """A tool that two documents praise and one blames."""
    texts = ["Tussock is a wonderful editor, we love it.", "Tussock is great.", "Tussock is terrible: we hate it."]
    items = tmp_path / "items.ndjson"
    published, scraped = PUBLISHED.isoformat(), (PUBLISHED + timedelta(hours=1)).isoformat()
    items.write_bytes(
        as_lines(
            an_item(number, body_text=text, published_at=published, metadata={"scraped_at": scraped})
            for number, text in enumerate(texts)
        )
    )
    assert run("tools", "add", "Tussock", "--category", "editor", "--alias", "Tussock editor").returncode == 0
    assert run("ingest", "--items", str(items)).returncode == 0
    assert run("run-once").returncode == 0


def test_a_tool_is_merged_exported_and_taken_in_again(run, tmp_path):
    assert run("tools", "add", "Tussock", "--category", "editor", "--alias", "Tuss.*").returncode == 0
    assert run("tools", "add", "Sedge", "--category", "editor").returncode == 0
    refused = run("tools", "add", "Rush", "--category", "editor", "--alias", "Sedge")
    assert (refused.returncode, "belongs to the tool sedge" in refused.stderr) == (1, True)
    assert run("tools", "merge", "sedge", "tussock").returncode == 0
    cycle = run("tools", "merge", "tussock", "sedge")
    assert (cycle.returncode, "→" in cycle.stderr) == (1, True)
    file = tmp_path / "tools.toml"
    file.write_text(run("tools", "export").stdout)
    for tool in ("sedge", "tussock"):
        assert run("tools", "remove", tool, "--yes").returncode == 0
    assert "deleted" in run("tools", "audit", "sedge").stdout
    assert run("tools", "import", str(file)).returncode == 0
    imported = {tool["slug"]: tool for tool in json.loads(run("tools", "list", "--json").stdout)}
    assert imported["tussock"]["aliases"] == ["Tuss.*"]
    assert imported["sedge"]["merged_into"] == imported["tussock"]["tool_number"]
    assert run("tools", "unmerge", "sedge").returncode == 0
    file.write_text(file.read_text().replace('merged_into = "tussock"', 'merged_into = "reed"'))
    refused = run("tools", "import", str(file))
    assert (refused.returncode, "sedge: merged_into names reed" in refused.stderr) == (1, True)


def test_sentiment_is_printed_as_a_table_a_chart_and_json(run, tussock):
    chart = run("sentiment", "tussock", "--hours", "720", "--chart").stdout
    assert "positive" in chart
    assert f"{PUBLISHED:%d %b}" in chart
    (found,) = json.loads(run("sentiment", "tussock", "--hours", "720", "--json").stdout)
    assert found["total_mentions"] == found["positive_count"] + found["negative_count"] + found["neutral_count"] > 0


def test_the_sentences_behind_the_numbers_are_printed(run, tussock):
    printed = run("sentiment", "tussock", "--hours", "720", "--passages", "5", "--label", "negative").stdout
    assert "Tussock is terrible: we hate it." in printed
    assert "Tussock is great." not in printed
    found = json.loads(run("sentiment", "tussock", "--hours", "720", "--passages", "2", "--json").stdout)
    assert [passage["mention"] for passage in found["passages"]] == ["Tussock", "Tussock"]
    assert found["sentiment"][0]["total_mentions"] == 3


def test_what_cannot_be_asked_is_refused_with_the_reason(run):
    unknown = run("sentiment", "nothing")
    assert (unknown.returncode, "there is no tool nothing" in unknown.stderr) == (1, True)
    alone = run("sentiment", "--label", "negative")
    assert (alone.returncode, "add --passages NUMBER" in alone.stderr) == (2, True)
    for hours in ("0", "721", "week"):
        refused = run("sentiment", "--hours", hours)
        assert (refused.returncode, "whole number from 1 to 720" in refused.stderr) == (2, True)


def test_days_of_a_chart_and_times_of_passages_are_of_the_timezone_of_the_desk(run, tussock):
    asked = ("sentiment", "tussock", "--hours", "720", "--chart", "--passages", "1")
    printed = run(*asked, timezone="Asia/Tokyo").stdout
    [bar] = [line for line in printed.splitlines() if line.count("█") > 1]
    local = PUBLISHED.astimezone(ZoneInfo("Asia/Tokyo"))
    assert bar.startswith(f"{local:%d %b}")
    assert f"{local:%Y-%m-%d %H:%M}" in printed
    assert "when (JST)" in printed
