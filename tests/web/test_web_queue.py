from datetime import timedelta

import pytest

from builders import told
from scoop.stage_names import StageName
from scoop.store import work
from scoop.store.work import Subject
from web.test_web_safety import HOSTILE
from web.visitor import a_report, visiting


async def failing(database, stage="normalize", subjects=(1,), *, error="the host is slow"):
    """Work that failed and waits for another try in an hour."""
    async with database.transaction() as conn:
        claim = await claimed(conn, stage, subjects)
        await work.postpone(conn, claim, {subject: (timedelta(hours=1), error) for subject in subjects})


async def given_up(database, stage="normalize", subjects=(1,), *, error="the text is empty"):
    async with database.transaction() as conn:
        claim = await claimed(conn, stage, subjects)
        await work.quarantine(conn, claim, dict.fromkeys(subjects, error))


async def claimed(conn, stage, subjects):
    await work.enqueue(conn, stage, [Subject(subject) for subject in subjects])
    return await work.claim(conn, stage, worker=1, limit=1000, lease=timedelta(minutes=5))


async def counts(database):
    async with database.connection() as conn:
        return {(each.stage, each.state): each for each in await work.counts(conn)}


async def test_an_empty_queue_says_what_would_be_there(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/queue")).page
    assert "Nothing has failed." in page.text
    assert "Nothing is quarantined." in page.text
    rows = [attrs for attrs in page.attributes("tr") if "data-stage" in attrs]
    assert [attrs["data-stage"] for attrs in rows] == list(StageName)
    assert all("hidden" in attrs for attrs in rows)
    assert f"{len(StageName)} stages have no work." in page.text


async def test_a_stage_without_work_takes_no_room_on_the_page(database):
    await failing(database, "embed", [1])
    await given_up(database, "group", [1])
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/queue")).page
    shown = [attrs["data-stage"] for attrs in page.attributes("tr") if "data-stage" in attrs and "hidden" not in attrs]
    assert shown == ["embed", "group"]
    assert f"{len(StageName) - 2} stages have no work." in page.text


async def test_what_failed_is_listed_with_its_reason_and_when_it_is_tried_again(database):
    await failing(database, subjects=range(1, 4))
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/queue")).page
    assert "3 work items wait for a retry." in page.text
    assert page.text.count("the host is slow") == 3
    assert "normalize 0 3 0 3 0" in page.text
    assert "arrival 1" in page.text
    assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/queue")]


async def test_why_a_text_was_not_written_is_said_to_people_and_not_to_the_model(database):
    await failing(database, "write", [1], error="cut_off: The reply was cut off; write a shorter one.")
    await failing(database, "write", [2], error="wrong_language: The summary is in Japanese; write it in English.")
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/queue")).page
    assert "The reply was cut off" in page.text
    assert "The summary is in Japanese, not in English" in page.text
    assert not [wrong for wrong in ("cut_off", "write a shorter", "wrong_language", "write it") if wrong in page.text]


async def test_work_is_named_by_what_it_is_about(database):
    await told(database, [a_report(1, title="Bridge stays closed")])
    async with database.connection() as conn:
        document_id, story_id, story_uuid = await conn.fetchrow(
            "SELECT document_id, story_id, story_uuid FROM story_members JOIN stories USING (story_id)"
        )
    await failing(database, "embed", [document_id])
    await given_up(database, "group", [story_id])
    await given_up(database, "digest", [1])
    async with visiting(database) as visitor:
        page = (await visitor.get("/queue")).page
    assert page.text.count("Bridge stays closed") == 2
    assert page.links("/stories/") == [f"/stories/{story_uuid}"]
    assert "AI" in page.text


async def test_one_piece_is_tried_now(database):
    await failing(database, subjects=[1, 2])
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/queue/retry", {"stage": "normalize", "subject": "2"})
        page = (await visitor.get(answer.headers["Location"])).page
    assert (await counts(database))["normalize", "waiting"].due == 1
    assert "1 work item made due now." in page.text


async def test_all_of_a_stage_is_tried_now_and_nothing_else(database):
    await failing(database, "normalize", [1, 2])
    await failing(database, "embed", [3])
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/queue/retry", {"stage": "normalize"})
    found = await counts(database)
    assert (found["normalize", "waiting"].due, found["embed", "waiting"].due) == (2, 0)
    assert answer.headers["Location"] == "/queue?stage=normalize"


async def test_what_only_waits_for_its_turn_is_not_hurried(database):
    async with database.transaction() as conn:
        await work.enqueue(conn, "pages", [Subject(1)])
        await conn.execute("UPDATE work SET due_at = now() + interval '10 minutes'")
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/queue/retry")
        page = (await visitor.get(answer.headers["Location"])).page
    assert (await counts(database))["pages", "waiting"].due == 0
    assert "0 work items made" in page.text


async def test_quarantined_work_is_released_one_or_all(database):
    await given_up(database, subjects=[1, 2, 3])
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/queue/release", {"stage": "normalize", "subject": "2"})
        assert (await counts(database))["normalize", "quarantined"].count == 2
        await visitor.post("/queue/release")
    assert (await counts(database))["normalize", "waiting"].count == 3


async def test_one_stage_is_chosen_in_the_address(database):
    await failing(database, "normalize", [1], error="first reason")
    await failing(database, "embed", [1], error="second reason")
    async with visiting(database) as visitor:
        page = (await visitor.get("/queue?stage=embed")).page
    assert "second reason" in page.text
    assert "first reason" not in page.text
    assert "1 work item waits" in page.text


async def test_a_long_list_is_cut_and_counted(database):
    await failing(database, subjects=range(1, 501))
    async with visiting(database) as visitor:
        page = (await visitor.get("/queue")).page
    assert "500 work items wait for a retry; the next 100 are shown" in page.text
    assert page.text.count("the host is slow") == 100


@pytest.mark.parametrize("path", ["/queue/retry", "/queue/release"])
async def test_only_who_may_edit_changes_the_queue(database, path):
    await failing(database)
    async with visiting(database, role="reader") as visitor:
        reader = await visitor.post(path)
        visitor.session.cookie_jar.clear()
        nobody = await visitor.post(path)
        foreign = await visitor.post(path, Origin="https://evil.test")
    assert (reader.status, nobody.status, foreign.status) == (403, 401, 403)
    assert (await counts(database))["normalize", "waiting"].due == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stage", "a\0b"),
        ("stage", "Nope!"),
        ("stage", "x" * 99),
        ("subject", "x"),
        ("subject", "-1"),
        ("subject", "9" * 30),
    ],
)
async def test_what_cannot_be_is_refused_by_name(database, field, value):
    async with visiting(database, role="editor") as visitor:
        answers = [await visitor.post(path, {field: value}) for path in ("/queue/retry", "/queue/release")]
    assert [answer.status for answer in answers] == [400, 400]
    assert all(field in answer.page.text.lower() for answer in answers)


@pytest.mark.parametrize("stage", ["a%00b", "Nope!", "x" * 99])
async def test_a_stage_that_cannot_be_is_refused(database, stage):
    async with visiting(database) as visitor:
        assert (await visitor.get(f"/queue?stage={stage}")).status == 400


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_stays_text_in_the_queue(database, hostile):
    plain = hostile.replace("\x00", "")
    await told(database, [a_report(1, title=plain)])
    await failing(database, "embed", [1], error=f"https://u:p@host.test/?token=hush said {plain}")
    async with visiting(database) as visitor:
        answer = await visitor.get("/queue")
    scripts = [attrs["src"].partition("?")[0] for attrs in answer.page.attributes("script")]
    assert scripts[0] == "/static/live.js"
    assert all(script.startswith("/static/") for script in scripts)
    assert not {"img", "svg"} & {tag for tag, _ in answer.page.tags}
    assert not {"\u202e", "\u2066"} & set(answer.text)
    assert "hush" not in answer.text
