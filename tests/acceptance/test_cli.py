"""The command line as its users meet it."""

import json

import asyncpg
import pytest

from builders import an_item, group_into_events, ingest, run_all, scoop
from summarised import event_id_of, fail, summarise


@pytest.fixture
async def told(database, database_url):
    """A database with three stories: one of two copies, two single ones."""
    items = [
        an_item(1),
        an_item(2, source="herald", canonical_url="https://tribune.example/1?utm_source=x", title="The same, by link"),
        an_item(3, metadata={"collection": "ai_news"}),
        an_item(4, title="  "),
        an_item(5),
    ]
    await ingest(database, items)
    await run_all(database)
    return lambda *arguments, **settings: scoop(*arguments, database_url=database_url, **settings)


async def test_the_figures_agree_with_the_tables(told, database_url):
    stats = json.loads(told("stats", "--json").stdout)
    conn = await asyncpg.connect(database_url)
    for name, table in {
        "sources": "sources",
        "runs": "ingest_runs",
        "arrivals": "raw_arrivals",
        "refused": "refused_items",
        "documents": "documents",
        "members": "story_members",
        "events": "dedup_events",
    }.items():
        assert stats[name] == await conn.fetchval(f"SELECT count(*) FROM news.{table}"), name
    assert stats["stories"] == await conn.fetchval("SELECT count(*) FROM news.stories WHERE status = 'active'")
    await conn.close()
    assert sum(collection["documents"] for collection in stats["collections"]) == stats["documents"] == 4
    assert sum(stats["match_types"].values()) == stats["members"]


def test_stories_are_exported_one_a_line_with_their_members(told):
    lines = [json.loads(line) for line in told("export", "stories").stdout.splitlines()]
    assert len(lines) == 3
    (double,) = [line for line in lines if len(line["members"]) == 2]
    assert double.keys() == {
        "story_uuid",
        "collection",
        "coverage_id",
        "title",
        "url",
        "status",
        "first_seen_at",
        "last_seen_at",
        "item_count",
        "sources",
        "publisher_families",
        "members",
        "source_names",
        "publisher_names",
    }
    assert [member.keys() for member in double["members"]] == [
        {"article_id", "source", "source_item_id", "url", "match_type", "match_score"}
    ] * 2
    assert sorted(member["match_type"] for member in double["members"]) == ["exact_url", "seed"]
    assert double["url"] == "https://tribune.example/1"


def test_a_story_is_shown_by_number_and_by_uuid(told):
    (story, *_) = json.loads(told("stories", "--json").stdout)
    by_number = json.loads(told("story", str(story["story_id"]), "--json").stdout)
    by_uuid = json.loads(told("story", story["story_uuid"], "--json").stdout)
    assert by_number == by_uuid
    assert story["title"] in told("story", story["story_uuid"]).stdout


def test_why_names_the_signal_and_the_other_document(told):
    found = json.loads(told("why", "https://tribune.example/1", "--json").stdout)
    decisions = [event["decision"] for explained in found for event in explained["events"]]
    assert [decision for decision in decisions if decision != "gray_zone"] == ["new_story", "auto_merge"]
    text = told("why", "https://tribune.example/1").stdout
    assert "the same canonical URL" in text
    assert "nothing in common with any story" in text


def test_stories_can_be_asked_for_by_collection(told):
    found = json.loads(told("stories", "--collection", "ai_news", "--json").stdout)
    assert [story["collection"] for story in found] == ["ai_news"]


def test_the_refused_item_is_listed_with_line_path_and_reason(told):
    (refused,) = json.loads(told("refused", "--json").stdout)
    assert (refused["line"], refused["path"], refused["reason"]) == (4, "$.title", "must not be blank")


def test_the_queue_is_empty_when_all_is_done(told):
    assert json.loads(told("work", "--json").stdout) == []
    assert "The queue is empty." in told("work").stderr


def test_what_is_quarantined_is_listed_and_released(told, database_url):
    told(
        "db",
        "psql",
        "-c",
        "INSERT INTO work (stage, subject, state, error) VALUES ('normalize', 99, 'quarantined', 'empty')",
    )
    (quarantined,) = json.loads(told("work", "quarantine", "list", "--json").stdout)
    assert (quarantined["subject"], quarantined["error"]) == (99, "empty")
    assert json.loads(told("work", "quarantine", "release", "--stage", "normalize", "99", "--json").stdout) == {
        "changed": 1
    }
    assert json.loads(told("work", "quarantine", "list", "--json").stdout) == []


def test_the_retry_queue_is_listed_and_tried_at_once(told):
    told(
        "db",
        "psql",
        "-c",
        "INSERT INTO work (stage, subject, attempts, due_at, error) VALUES ('write', 98, 1, now() + '1 hour', 'slow')",
    )
    (failed,) = json.loads(told("retry", "--json").stdout)
    assert (failed["subject"], failed["error"]) == (98, "slow")
    assert json.loads(told("retry", "list", "--stage", "embed", "--json").stdout) == []
    assert "1 work item is due now" in told("retry", "now", "--stage", "write", "98").stdout
    told("db", "psql", "-c", "DELETE FROM work WHERE subject = 98")


def test_every_list_is_json_when_asked(told):
    for command in (
        ["events"],
        ["stories"],
        ["stats"],
        ["runs"],
        ["refused"],
        ["work"],
        ["work", "failed"],
        ["sources", "list"],
        ["db", "status"],
    ):
        assert json.loads(told(*command, "--json").stdout) is not None


def test_the_schema_of_an_item_is_printed():
    schema = json.loads(scoop("schema", "item").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["ingest", "--help"], ["work", "quarantine", "--help"], ["--version"]]
)
def test_help_needs_no_database(arguments, tmp_path):
    (tmp_path / "file").write_text("")
    done = scoop(*arguments, home=tmp_path / "file" / "home")
    assert done.returncode == 0
    assert done.stdout


async def test_an_event_is_listed_once_and_shown_with_its_stories_and_documents(told, database):
    stories = json.loads(told("stories", "--collection", "world_news", "--json").stdout)
    await group_into_events(database, [story["title"] for story in stories])
    (event,) = json.loads(told("events", "--collection", "world_news", "--json").stdout)
    assert (event["story_count"], event["item_count"], event["source_count"]) == (2, 3, 2)
    assert event["title"] in told("events", "--topic", "world_news").stdout
    detail = json.loads(told("event", str(event["event_id"]), "--json").stdout)
    assert {story["story_uuid"] for story in detail["stories"]} == {story["story_uuid"] for story in stories}
    for name in (event["event_uuid"], *(story["story_uuid"] for story in stories)):
        shown = told("event", name)
        assert all(story["title"] in shown.stdout for story in stories), shown.stderr
        assert "2 outlets, 1 independent; 3 documents, 2 stories" in shown.stdout
    assert "is part of event" in shown.stderr or name == event["event_uuid"]


async def test_an_event_is_shown_with_its_summary_and_the_numbers_of_its_sources(told, database):
    event_id = await event_id_of(database, an_item(3)["title"])
    await fail(database, event_id, "refused: The model refused to answer.")
    failed = told("event", str(event_id)).stdout
    sentence = "The council said on Tuesday that the old bridge will stay closed."
    await summarise(database, event_id, sentence)
    shown = told("event", str(event_id)).stdout
    summary = json.loads(told("event", str(event_id), "--json").stdout)["summary"]
    assert "summary not generated: refused: The model refused to answer.; next try" in failed
    assert f"{sentence} [1]" in shown
    assert "https://tribune.example/3" in shown
    assert "extract. These sentences are quoted from the articles." in shown
    assert summary["text"] == sentence


def test_an_event_that_is_not_there_is_an_error_that_says_what_to_do(told):
    done = told("event", "99999")
    assert (done.returncode, "`scoop events` lists the latest" in done.stderr) == (1, True)
