from datetime import timedelta
from uuid import uuid4

import pytest

from builders import an_item, ingest
from scoop.archive.objects import Archive
from scoop.store import runs
from scoop.store.runs import FinishedRun
from web.test_web_safety import HOSTILE
from web.visitor import NOW, visiting

BAD = [an_item(1), {"payload_version": "v1", "source": "<b>tribune</b>"}, "no item"]


async def put(database, *visits):
    async with database.transaction() as conn:
        return await runs.record(conn, visits, "schedule")


def a_visit(number=1, **changes):
    given = {
        "run_uuid": uuid4(),
        "source": "tribune",
        "started_at": NOW - timedelta(minutes=number),
        "status": "completed",
        "fetched": 3,
        "failed": 0,
        "error": None,
        "checkpoint": {},
        "log_key": None,
    }
    return FinishedRun(**(given | changes))


async def test_a_run_is_listed_with_its_figures(database):
    await put(database, a_visit(status="partial", fetched=1234, failed=5, error="503 from host"))
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/runs")).page
    assert page.links("/runs/") == ["/runs/1"]
    for value in ("Tribune", "partial", "schedule", "1,234", "5", "503 from host"):
        assert value in page.text


async def test_no_runs_are_told_with_what_to_do(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/runs")).page
    assert "No runs yet" in page.text
    assert "/sources" in page.links()


async def test_runs_are_chosen_by_source_and_state_in_the_address(database):
    await put(
        database,
        a_visit(1),
        a_visit(2, status="failed", error="gone"),
        a_visit(3, source="gazette"),
        a_visit(4, source="gazette", status="failed", error="gone"),
    )
    async with visiting(database) as visitor:
        of_source = (await visitor.get("/runs?source=gazette")).page
        failed = (await visitor.get("/runs?status=failed")).page
        both = (await visitor.get("/runs?source=gazette&status=failed")).page
        neither = (await visitor.get("/runs?source=nobody")).page
    assert of_source.links("/runs/") == ["/runs/3", "/runs/4"]
    assert failed.links("/runs/") == ["/runs/2", "/runs/4"]
    assert both.links("/runs/") == ["/runs/4"]
    assert "No matching runs" in neither.text


@pytest.mark.parametrize("query", ["", "?source=tribune", "?status=completed"])
async def test_older_runs_are_on_further_pages_each_once(database, query):
    await put(database, *(a_visit(number % 7) for number in range(120)))  # many began at the same moment
    seen, href = [], f"/runs{query}"
    async with visiting(database) as visitor:
        while href:
            page = (await visitor.get(href)).page
            seen += page.links("/runs/")
            href = next((link["href"] for link in page.attributes("a") if link.get("rel") == "next"), None)
    assert len(seen) == 120
    assert len(set(seen)) == 120


@pytest.mark.parametrize("query", ["status=odd", "source=a%00b", "before=0", "before=x", "before=99999999999999999999"])
async def test_what_cannot_be_asked_for_is_refused(database, query):
    async with visiting(database) as visitor:
        assert (await visitor.get(f"/runs?{query}")).status == 400


@pytest.mark.parametrize("path", ["/runs/1", "/runs/0", "/runs/x", "/runs/99999999999999999999"])
async def test_a_run_that_is_not_there_is_not_found(database, path):
    async with visiting(database) as visitor:
        assert (await visitor.get(path)).status == 404


async def test_refused_items_are_shown_with_line_path_and_reason(database):
    await ingest(database, BAD)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/runs/1")).page
    for told in ("Line 2", "$.source_item_id", "is required", "Line 3", "<b>tribune</b>"):
        assert told in page.text
    assert "b" not in {tag for tag, _ in page.tags}
    assert "No log: this run was a push" in page.text


async def test_the_log_of_a_run_is_shown_without_secrets(database, tmp_path):
    key = "logs/20240516/0123456789abcdef0123456789abcdef.ndjson"
    lines = b"""{"event": "request", "url": "https://u:p@host.test/feed?token=hush", "status": 200}
{"event": "refused", "problems": ["$.title is required"]}
no JSON
"""
    await Archive.open(str(tmp_path), credentials={}).put(key, lines, source_url=None, content_type="text/plain")
    await put(database, a_visit(log_key=key))
    async with visiting(database, archive_url=str(tmp_path)) as visitor:
        page = (await visitor.get("/runs/1")).page
    for told in ("request", "https://host.test/feed", "status 200", "$.title is required", "no JSON"):
        assert told in page.text
    assert "hush" not in page.text


async def test_a_log_that_is_gone_is_told_and_the_rest_stands(database, tmp_path):
    key = "logs/20240516/0123456789abcdef0123456789abcdef.ndjson"
    await put(database, a_visit(log_key=key, error="503 from host"))
    async with visiting(database, archive_url=str(tmp_path)) as visitor:
        answer = await visitor.get("/runs/1")
    assert answer.status == 200
    assert "log has expired or cannot be read" in answer.page.text
    assert "503 from host" in answer.page.text


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_stays_text_in_a_run(database, hostile):
    plain = hostile.replace("\x00", "")
    await put(database, a_visit(source=plain, error=plain, status="failed"))
    async with visiting(database) as visitor:
        answers = [await visitor.get("/runs"), await visitor.get("/runs/1")]
    for answer in answers:
        assert answer.status == 200
        assert not {"img", "svg"} & {tag for tag, _ in answer.page.tags}
        assert all(attrs.get("src", "").startswith("/static/") for attrs in answer.page.attributes("script"))
        assert not [name for _, attrs in answer.page.tags for name in attrs if name.startswith("on") or name == "style"]
        assert all(link.startswith(("/", "#")) for link in answer.page.links())
        assert not {"\u202e", "\u2066"} & set(answer.text)


@pytest.mark.parametrize("path", ["/runs", "/runs/1", "/queue", "/stats", "/settings", "/api"])
async def test_nobody_is_sent_to_sign_in_first(database, path):
    async with visiting(database) as visitor:
        visitor.session.cookie_jar.clear()
        answer = await visitor.get(path)
    assert (answer.status, answer.headers["Location"].partition("?")[0]) == (303, "/sign-in")
