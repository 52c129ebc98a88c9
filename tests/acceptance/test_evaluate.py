"""`scoop evaluate`: labelled documents go in, figures come out, nothing stays behind."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, as_lines, scoop
from conftest import make_home
from scoop.core.items import item_uuid
from scoop.evaluation import datasets

NOW = datetime(2026, 11, 15, tzinfo=UTC)
FIGURES = {"pairwise_precision", "pairwise_recall", "pairwise_f1", "b_cubed_f1", "ari"}


def a_row(title, story, text="", **changes):
    return {
        "id": title,
        "title": title,
        "text": text,
        "url": "",
        "source": "",
        "published_at": None,
        "lang": "en",
        "collection": "",
        "story": story,
    } | changes


# Eight documents with one good pair, one wrong join, one split and one that cannot go in.
MIXED = [
    a_row("Old bridge over the Lenn stays closed", "bridge", "Engineers found rust in two cables.",
          url="https://tribune.example/bridge", source="tribune", published_at="2026-11-14"),
    a_row("No cars on the Lenn bridge before spring", "bridge", "The council wants every cable to be checked twice.",
          url="https://tribune.example/bridge?utm_source=feed", source="links"),
    a_row("Orchestra names its first woman conductor", "conductor", "She begins in May with a symphony by Farrenc.",
          url="https://herald.example/culture", source="herald"),
    a_row("Goalkeeper retires after nineteen seasons", "goalkeeper", "He will coach the juniors of the club.",
          url="https://herald.example/culture", source="links"),
    a_row("Wheat harvest falls to a ten-year low", "odd", "Farmers blame a dry June and late frost."),
    a_row("Telescope sees water on a distant moon", "odd", "The spectrum shows ice below a thin haze."),
    a_row("Zoll findet Schmuggelware in Klavieren", "piano", "In drei Flügeln lagen Zigaretten.", lang="de"),
    a_row("", "nothing", id="nameless"),
]  # fmt: skip
# Two articles of one event, which the labels call two stories of a wider one.
WIDE = [
    a_row(article["title"], story, article["body_text"], url=f"https://{story}.example/1", wide="ostburg books")
    for story, article in (("library", FIRE), ("archive", FIRE_AGAIN))
]
QUIET = [a_row("Ferry timetable changes on Monday", 1), a_row("Library reopens after the flood", 2)]


def write(folder, name, lines):
    content = lines if isinstance(lines, bytes) else as_lines(lines)
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return str(path)


@pytest.fixture(scope="module")
def scratch():
    """Where temporary folders are made, open to the server's user."""
    folder = Path(make_home())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def measured(scratch, tmp_path_factory):
    """Three sets, in another order as well."""
    folder = tmp_path_factory.mktemp("sets")
    files = [write(folder, "mixed.dev.jsonl.gz", MIXED), write(folder, "quiet.ndjson", QUIET)]
    files.append(write(folder, "wide.ndjson", WIDE))
    done = scoop("evaluate", "--json", "--shuffle", "1", *files, home=folder / "home")
    assert done.returncode == 0, done.stderr
    assert not (folder / "home").exists()
    return json.loads(done.stdout)


def test_each_file_is_a_set_with_its_figures(measured):
    assert [(found["set"], found["documents"], found["stories"]) for found in measured] == [
        ("mixed", 8, 6),
        ("quiet", 2, 2),
        ("wide", 2, 2),
    ]
    for found in measured:
        assert found["merge"].keys() == found["coverage"].keys() == FIGURES
        assert found["seconds"] > 0


def test_the_figures_are_those_of_the_stories_that_the_stages_made(measured):
    mixed, quiet, _ = (found["merge"] for found in measured)
    assert mixed == pytest.approx(
        {
            "pairwise_precision": 1 / 2,
            "pairwise_recall": 1 / 2,
            "pairwise_f1": 1 / 2,
            "b_cubed_f1": 7 / 8,
            "ari": 6 / 13,
        }
    )
    assert set(quiet.values()) == {1}


def test_the_worst_errors_are_told_with_titles(measured):
    errors = [(error["kind"], error["tier"], error["titles"]) for error in measured[0]["errors"]]
    assert ("join", "merge", [row["title"] for row in MIXED[2:4]]) in errors
    assert ("split", "coverage", [row["title"] for row in MIXED[4:6]]) in errors
    assert measured[1]["errors"] == []


def test_stories_that_share_a_wider_label_are_not_scored_with_each_other(measured):
    wide = measured[2]
    assert set(wide["coverage"].values()) == {1}
    assert wide["errors"] == wide["reliability"] == []


def test_no_group_has_a_single_publisher(measured):
    assert [found["single_publisher_groups"] for found in measured] == [0, 0, 0]


def test_languages_have_figures_of_their_own_where_there_are_several(measured):
    mixed, quiet, _ = (found["languages"] for found in measured)
    assert {language: figures["documents"] for language, figures in mixed.items()} == {"de": 1, "en": 7}
    assert mixed["de"]["merge"] == 1
    assert mixed["en"]["merge"] == pytest.approx(6 / 7)
    assert quiet == {}


def test_another_order_of_arrival_gives_the_same_stories(measured):
    for found in measured:
        for tier, spread in found["shuffles"].items():
            assert spread["min"] == spread["mean"] == spread["max"] == found[tier]["b_cubed_f1"]
            assert spread["difference"] == 0


def test_what_was_refused_is_told_with_the_reason(measured):
    (refused,) = measured[0]["refused"]
    assert (refused["source_item_id"], refused["reason"]) == ("nameless", "$.title must not be empty")


def test_nothing_is_left_behind(measured, scratch):
    assert list(scratch.iterdir()) == []


def test_people_get_tables_and_the_other_files_are_measured_when_one_is_bad(scratch, tmp_path):
    files = [str(tmp_path / "missing.ndjson"), write(tmp_path, "quiet.ndjson", [*QUIET, a_row("", 3)])]
    done = scoop("evaluate", *files)
    assert done.returncode == 1
    refusal, *progress = done.stderr.splitlines()
    assert refusal == f"scoop: {files[0]}: cannot be read: no such file or directory"
    assert progress[0] == "quiet: 3 documents"
    assert all(line.startswith("done: ") for line in progress[1:])
    told = [line.split() for line in done.stdout.splitlines()]
    assert ["set", "documents", "stories", "refused", "seconds"] in told
    assert ["quiet", "3", "3", "1"] in [line[:4] for line in told]
    for tier in ("merge", "coverage"):
        assert ["quiet", tier, *["1.000"] * 5] in told


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b"not json\n", "line 1: JSON is malformed"),
        (as_lines(QUIET) + b'{"title"\n', "line 3: Input data was truncated"),
        (as_lines([*QUIET, {"title": "No story"}]), "line 3: Object missing required field `story`"),
        (as_lines([{"story": "No title"}]), "line 1: Object missing required field `title`"),
        (as_lines([a_row("Story unknown", "")]), "line 1: the story is empty"),
        (
            as_lines([QUIET[0], QUIET[0]]),
            "line 2: the id 'Ferry timetable changes on Monday' is already used in an earlier line",
        ),
        (as_lines(QUIET)[:-9], "line 2: Input data was truncated"),
        (b"[1, 2]", "line 1: Expected `object`, got `int`"),
        (b"\xff\xfe{\x00", "this is not UTF-8"),
        (b"", "the file has no documents"),
        (gzip.compress(as_lines(QUIET))[:-30], "cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_sentence(tmp_path, lines, reason):
    file = write(tmp_path, "set.ndjson", lines)
    done = scoop("evaluate", "--json", file)
    assert done.returncode == 1
    assert json.loads(done.stdout) == []
    (told,) = done.stderr.splitlines()
    assert told.startswith(f"scoop: {file}: {reason}")


def test_v1_items_are_measured_by_the_stories_of_a_gold_file(scratch, tmp_path):
    items = [
        an_item(1),
        an_item(2, source="links", canonical_url="https://tribune.example/1"),
        an_item(3, title="Telescope sees water on a distant moon", body_text=None, metadata={"item_uuid": "moon"}),
    ]
    gold = [
        {"source": "tribune", "source_item_id": "item-1", "story": "bridge"},
        {"item_uuid": str(item_uuid("links", "item-2")), "story": "bridge"},
        {"item_uuid": "moon", "story": "moon"},
    ]
    files = write(tmp_path, "items.ndjson", items), write(tmp_path, "gold.json", json.dumps(gold, indent=2).encode())
    done = scoop("evaluate", "--json", "--gold", files[1], files[0])
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert (found["set"], found["documents"], found["stories"]) == ("items", 3, 2)
    assert set(found["merge"].values()) == {1}


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        (
            {"source": "tribune", "source_item_id": "item-1", "story": 1},
            "line 2: the gold file has no story for tribune:item-2",
        ),
        ({"source": "tribune", "source_item_id": "item-1", "story": ""}, "line 1: the story is empty"),
        ({"source": "tribune", "story": 1}, "line 1: give item_uuid, or source and source_item_id"),
    ],
)
def test_a_gold_file_must_name_every_item(tmp_path, gold, reason):
    files = write(tmp_path, "items.ndjson", [an_item(1), an_item(2)]), write(tmp_path, "gold.ndjson", [gold])
    done = scoop("evaluate", "--gold", files[1], files[0])
    assert done.returncode == 1
    assert reason in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_nothing_behind(scratch, tmp_path, number):
    file = write(tmp_path, "many.ndjson", [a_row(f"Report number {count}", count) for count in range(20_000)])
    running = subprocess.Popen(
        [sys.executable, "-m", "scoop", "evaluate", file],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: any(scratch.glob("*/home/pg/server/data/postmaster.pid")))
    running.send_signal(number)
    output, errors = running.communicate(timeout=60)
    assert (running.returncode, output, errors) == (130, b"", b"many: 20,000 documents\n")
    assert list(scratch.iterdir()) == []


def wait_until(is_so, seconds=60):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# How a line becomes an item


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"source": "tribune", "url": "https://www.herald.example/a"}, "source", "tribune"),
        ({"url": "https://WWW.Herald.example/a b"}, "source", "www.herald.example"),
        ({"url": "https://WWW.Herald.example/a b"}, "canonical_url", "https://www.herald.example/a%20b"),
        ({}, "source", "set"),
        ({}, "canonical_url", None),
        ({}, "published_at", None),
        ({"published_at": "2026-11-14"}, "published_at", "2026-11-14T00:00:00+00:00"),
        ({"published_at": "2026-11-14T08:00:00Z"}, "published_at", "2026-11-14T08:00:00+00:00"),
        ({"id": 0}, "source_item_id", "0"),
        ({"id": None}, "source_item_id", "1"),
        ({"title": "", "text": "The council said so.\nTwice."}, "title", "The council said so. Twice."),
        ({"lang": ""}, "language", None),
    ],
)
def test_what_a_line_leaves_open_is_not_made_up(tmp_path, changes, field, value):
    file = write(tmp_path, "set.dev.jsonl", [a_row("Old bridge stays closed", "bridge") | changes])
    (document,) = datasets.documents(file, None, now=NOW)
    assert document.item.get(field) == value


def test_a_line_keeps_its_collection(tmp_path):
    file = write(tmp_path, "set.jsonl", [a_row("One", 1, collection="world_news"), a_row("Two", 2)])
    assert [document.name[0] for document in datasets.documents(file, None, now=NOW)] == ["world_news", "set"]
