"""Runs, refused items, the queue and alerts over the API."""

from datetime import timedelta

import pytest

from builders import ingest, told
from gathering import a_feed, open_desk, open_web
from scoop.store import alerts, work
from scoop.store.work import Subject
from web.visitor import a_report, visiting


async def failing(database, *subjects, stage="normalize", is_final=False):
    """Work that was tried and failed."""
    async with database.connection() as conn:
        await work.enqueue(conn, stage, [Subject(subject) for subject in subjects])
        worker = await work.register_worker(conn)
        claim = await work.claim(conn, stage, worker=worker, limit=100, lease=timedelta(minutes=1))
        if is_final:
            await work.quarantine(conn, claim, dict.fromkeys(subjects, "no text"))
        else:
            reason = "https://x.example/?token=verysecret answered 500"
            await work.postpone(conn, claim, dict.fromkeys(subjects, (timedelta(hours=1), reason)))


async def test_runs_are_listed_in_parts_and_narrowed(database):
    for number in range(3):
        await ingest(database, [a_report(number + 1)], name=f"{number}.ndjson")
    await ingest(database, b'{"no": "item"}\n', name="bad.ndjson")
    async with visiting(database, role="reader") as visitor:
        first = await visitor.get("/api/v1/runs?limit=3")
        rest = await visitor.get(f"/api/v1/runs?limit=3&cursor={first.json['next_cursor']}")
        partial = await visitor.get("/api/v1/runs?status=partial")
        nobody = await visitor.get("/api/v1/runs?source=nobody")
        wrong = await visitor.get("/api/v1/runs?status=asleep")
    assert [len(part.json["items"]) for part in (first, rest)] == [3, 1]
    assert rest.json["next_cursor"] is None
    ids = [run["run_id"] for part in (first, rest) for run in part.json["items"]]
    assert ids == sorted(ids, reverse=True)
    assert [run["items_failed"] for run in partial.json["items"]] == [1]
    assert (nobody.status, nobody.json["error"]["details"][0]["field"]) == (400, "source")
    assert (wrong.status, wrong.json["error"]["details"][0]["field"]) == (400, "query.status")


async def test_a_run_is_shown_with_its_log_and_without_secrets(database, tmp_path):
    async with open_web() as web, open_desk(database, tmp_path / "archive") as desk:
        web.answers["http://tribune.example/feed"] = a_feed("Bridge closed")
        await desk.add(
            web.source("http://tribune.example/feed?token=verysecret"),
            web.source("http://tribune.example/nope?token=verysecret", slug="gone"),
        )
        await desk.visit()
    async with visiting(database, role="reader", home=tmp_path) as visitor:
        runs = {run["source"]: run for run in (await visitor.get("/api/v1/runs")).json["items"]}
        good = await visitor.get(f"/api/v1/runs/{runs['tribune']['run_id']}")
        bad = await visitor.get(f"/api/v1/runs/{runs['gone']['run_id']}")
    async with visiting(database, role="reader", home=tmp_path / "elsewhere") as visitor:
        lost = await visitor.get(f"/api/v1/runs/{runs['tribune']['run_id']}")
    assert (good.json["run"]["items_inserted"], good.json["log_problem"]) == (1, None)
    assert any(line.get("status") == 200 for line in good.json["log"])
    assert bad.json["run"]["status"] == "failed"
    assert "answered 404" in bad.json["run"]["error_message"]
    assert "verysecret" not in good.text + bad.text
    assert (lost.status, lost.json["log"]) == (200, [])
    assert lost.json["log_problem"]


async def test_refused_items_are_shown_with_place_and_reason(database):
    pushed = await ingest(database, b'{"no": "item"}\n<script>alert(1)</script>\n' + b"x" * 5000 + b"\n")
    async with visiting(database, role="reader") as visitor:
        first = await visitor.get(f"/api/v1/refused?run_id={pushed.run_id}&limit=2")
        rest = await visitor.get(f"/api/v1/refused?limit=2&cursor={first.json['next_cursor']}")
        others = await visitor.get(f"/api/v1/refused?run_id={pushed.run_id + 1}")
    assert [item["line"] for item in first.json["items"] + rest.json["items"]] == [3, 2, 1]
    assert len(first.json["items"][0]["item"]) == 2000
    assert first.json["items"][1]["item"] == "<script>alert(1)</script>"
    assert all(item["problems"][0]["reason"] for item in first.json["items"])
    assert others.json["items"] == []


async def test_work_is_counted_per_stage_and_state(database):
    await ingest(database, [a_report(1), a_report(2)])
    async with visiting(database, role="reader") as visitor:
        counts = await visitor.get("/api/v1/queue")
    assert [(count["stage"], count["state"], count["count"]) for count in counts.json] == [("normalize", "waiting", 2)]


async def test_what_failed_is_listed_in_parts_and_tried_again(database):
    await failing(database, 1, 2, 3)
    await failing(database, 9, stage="dedup")
    async with visiting(database, role="editor") as visitor:
        first = await visitor.get("/api/v1/queue/failed?limit=3")
        rest = await visitor.get(f"/api/v1/queue/failed?limit=3&cursor={first.json['next_cursor']}")
        one_stage = await visitor.get("/api/v1/queue/failed?stage=dedup")
        one = await visitor.ask("POST", "/api/v1/queue/retry", {"stage": "normalize", "subjects": [2]})
        all_others = await visitor.ask("POST", "/api/v1/queue/retry")
        due = {count["stage"]: count["due"] for count in (await visitor.get("/api/v1/queue")).json}
    listed = [(each["stage"], each["subject"]) for each in first.json["items"] + rest.json["items"]]
    assert sorted(listed) == [("dedup", 9), ("normalize", 1), ("normalize", 2), ("normalize", 3)]
    assert [each["subject"] for each in one_stage.json["items"]] == [9]
    assert "answered 500" in first.json["items"][0]["error"]
    assert "verysecret" not in first.text
    assert (one.json, all_others.json) == ({"changed": 1}, {"changed": 3})
    assert due == {"normalize": 3, "dedup": 1}


async def test_what_is_quarantined_is_released(database):
    await failing(database, 1, 2, is_final=True)
    async with visiting(database, role="editor") as visitor:
        given_up = await visitor.get("/api/v1/queue/quarantine")
        released = await visitor.ask("POST", "/api/v1/queue/quarantine/release", {"subjects": [2]})
        left = await visitor.get("/api/v1/queue/quarantine")
    assert [(each["subject"], each["error"]) for each in given_up.json["items"]] == [(1, "no text"), (2, "no text")]
    assert (released.json, [each["subject"] for each in left.json["items"]]) == ({"changed": 1}, [1])


async def test_alerts_are_those_that_last_or_all(database):
    async with database.connection() as conn:
        for subject in ("a", "b", "c"):
            told_so = f"{subject}: https://x.example/?token=verysecret failed for a day"
            await alerts.settle(conn, {("source_died", subject): told_so}, subjects=[subject], kinds=["source_died"])
        await alerts.settle(conn, {}, subjects=["a"], kinds=["source_died"])
    async with visiting(database, role="reader") as visitor:
        lasting = await visitor.get("/api/v1/alerts")
        every = await visitor.get("/api/v1/alerts?with_resolved=true&limit=2")
        rest = await visitor.get(f"/api/v1/alerts?with_resolved=true&cursor={every.json['next_cursor']}")
    assert [alert["subject"] for alert in lasting.json["items"]] == ["c", "b"]
    assert [alert["subject"] for alert in every.json["items"] + rest.json["items"]] == ["c", "b", "a"]
    assert rest.json["items"][0]["resolved_at"] is not None
    assert "verysecret" not in every.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/runs/4711", 404),
        ("/api/v1/runs/0", 400),
        ("/api/v1/runs/99999999999999999999", 400),
        ("/api/v1/runs/x", 400),
        ("/api/v1/runs?limit=0", 400),
        ("/api/v1/runs?limit=201", 400),
        ("/api/v1/runs?cursor=nonsense", 400),
        ("/api/v1/runs?source=%00", 400),
        ("/api/v1/runs?colour=red", 400),
        ("/api/v1/runs?cursor=Wzk5OTk5OTk5OTk5OTk5OTk5OTk5OV0", 400),  # a number that no BIGINT holds
        ("/api/v1/queue/failed?cursor=WyIyMDI0LTA1LTE2VDEyOjAwOjAwIiwieCIsMV0", 400),  # a moment without an offset
        ("/api/v1/queue/failed?cursor=WyIyMDI0LTA1LTE2VDEyOjAwOjAwWiIsIlx1MDAwMCIsMV0", 400),  # a stage named NUL
        ("/api/v1/refused?run_id=0", 400),
        ("/api/v1/alerts?with_resolved=perhaps", 400),
    ],
)
async def test_odd_questions_are_answered_with_what_is_wrong(database, path, status):
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get(path)
    assert (answer.status, bool(answer.json["error"]["message"])) == (status, True)


@pytest.mark.parametrize(
    "body",
    [{"subjects": []}, {"subjects": [0]}, {"subjects": ["x"]}, {"stage": "\0"}, {"stages": "x"}, [], "x", {"stage": 1}],
)
async def test_odd_choices_of_work_are_refused(database, body):
    await told(database, [])
    async with visiting(database, role="editor") as visitor:
        answers = [
            await visitor.ask("POST", path, body)
            for path in ("/api/v1/queue/retry", "/api/v1/queue/quarantine/release")
        ]
    assert [answer.status for answer in answers] == [400, 400]
