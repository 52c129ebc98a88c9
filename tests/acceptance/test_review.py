"""`scoop review` and `scoop calibrate` as their users meet them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, as_lines, scoop

YESTERDAY = datetime.now(UTC) - timedelta(days=1)
BEFORE = YESTERDAY - timedelta(hours=4)
SCRAPED = {"scraped_at": YESTERDAY.isoformat()}
AT_POST = {"source": "post", "canonical_url": "https://post.example/2", "published_at": YESTERDAY.isoformat()}
TWO_STORIES = [
    an_item(1, published_at=BEFORE.isoformat(), metadata=SCRAPED, **FIRE),
    an_item(2, metadata=SCRAPED, **AT_POST, **FIRE_AGAIN),
]


@pytest.fixture
def desk(database_url, home):
    """The command line, on a database with two stories that may be one."""

    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    assert call("ingest", "--items", "-", stdin=as_lines(TWO_STORIES)).returncode == 0
    assert call("run-once").returncode == 0
    return call


def asked(desk, *arguments):
    done = desk(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_pair_is_shown_side_by_side_and_decided_merged_and_given_back(desk):
    (pair,) = asked(desk, "review")
    one, other = str(pair["one"]["story_id"]), str(pair["other"]["story_id"])
    shown = desk("review").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert f"scoop review merge {one} {other}" in shown
    assert "Tribune, " in shown
    assert "Post, " in shown

    done = desk("review", "merge", one, other, "--note", "one fire")
    assert f"story {other} is part of story {one} now (decision 1)" in done.stdout
    assert desk("review").stderr == "no pair awaits a decision\n"
    assert asked(desk, "story", one)["story"]["item_count"] == 2
    assert "the decision of a person (decision 1)" in desk("why", "https://post.example/2").stdout

    assert "one fire" in desk("review", "log").stdout
    assert f"story {other} is a story of its own again" in desk("review", "undo", "1").stdout
    (decision,) = asked(desk, "review", "log")
    assert (decision["action"], decision["undone_at"] is not None) == ("merge", True)
    assert desk("run-once").returncode == 0
    assert len(asked(desk, "review")) == 1


def test_documents_are_split_by_any_of_their_names(desk):
    copy = an_item(3, source="herald", canonical_url="https://herald.example/3", **FIRE)
    desk("ingest", "--items", "-", stdin=as_lines([copy]))
    desk("run-once")
    decision = asked(desk, "review", "split", "https://herald.example/3?utm_source=feed")
    assert asked(desk, "story", str(decision["other_story_id"]))["story"]["sources"] == ["herald"]
    assert asked(desk, "story", str(decision["story_id"]))["story"]["sources"] == ["tribune"]


def test_each_document_is_split_off_into_its_own_story_and_put_back(desk):
    copies = [
        an_item(number, source=f"herald{number}", canonical_url=f"https://herald{number}.example/3", **FIRE)
        for number in (3, 4)
    ]
    desk("ingest", "--items", "-", stdin=as_lines(copies))
    desk("run-once")
    urls = [copy["canonical_url"] for copy in copies]
    decisions = asked(desk, "review", "split", "--each", *urls)
    assert len({decision["other_story_id"] for decision in decisions}) == 2
    undone = desk("review", "undo", *(str(decision["decision_id"]) for decision in decisions))
    assert undone.stdout.count("went back to story") == 2


def test_what_cannot_be_decided_is_told_with_the_way_out(desk):
    (pair,) = asked(desk, "review")
    one, other = str(pair["one"]["story_id"]), str(pair["other"]["story_id"])
    asked(desk, "review", "apart", one, other)
    for arguments, code, told in [
        (("merge", one, other), 2, "undo that first: `scoop review undo 1`"),
        (("merge", one, one), 2, "are the same story; name two"),
        (("apart", one, "4711"), 1, "`scoop stories` lists"),
        (("split", "4711"), 1, "give its number"),
        (("undo", "4711"), 1, "`scoop review log` lists"),
        (("undo", "none"), 2, "it must be a whole number"),
    ]:
        done = desk("review", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert told in done.stderr


def test_thresholds_are_not_proposed_from_one_decision(desk):
    (pair,) = asked(desk, "review")
    asked(desk, "review", "merge", str(pair["one"]["story_id"]), str(pair["other"]["story_id"]))
    told = desk("calibrate").stdout
    assert "1 pairs are one story, 0 are not" in told
    assert "coverage_at: needs 19 more pairs that are one story and 20 that are not" in told
    measured = asked(desk, "calibrate", "--apply")
    assert (measured["labels"], measured["coverage"]["recall"], measured["calibration"]) == (1, 1.0, {})
    assert asked(desk, "calibrate", "--reset")["calibration"] == {}
    assert desk("calibrate", "--apply", "--reset").returncode == 2


def test_where_nothing_was_embedded_nothing_waits_and_nothing_can_be_calibrated(database_url, home):
    def call(*arguments):
        return scoop(*arguments, database_url=database_url, home=home)

    assert (call("review").returncode, call("review").stderr) == (0, "no pair awaits a decision\n")
    done = call("calibrate")
    assert (done.returncode, "`scoop run-once` embeds what there is" in done.stderr) == (1, True)


def test_a_story_moves_to_another_event_and_back(desk):
    copy = an_item(
        3, source="herald", canonical_url="https://herald.example/3", title="Harbour fees rise", body_text="x"
    )
    desk("ingest", "--items", "-", stdin=as_lines([copy]))
    desk("run-once")
    done = desk("review", "move", "2", "3", "--note", "no fire")
    assert "story 2 is in the event of story 3 now (decision 1)" in done.stdout
    assert "story 3 leads event 3 now" in desk("review", "lead", "3").stdout
    assert "event 3 is hidden from readers now" in desk("review", "suppress", "3").stdout
    for decision in ("3", "2", "1"):
        assert desk("review", "undo", decision).returncode == 0
    assert all(decision["undone_at"] for decision in asked(desk, "review", "log"))
