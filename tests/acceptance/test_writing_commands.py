"""`scoop translate`, `summaries`, `prompts` and `spend` as their users meet them."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article

from builders import FIRE, an_item, as_lines, scoop
from scoop.newsstand import server
from scoop.newsstand.sites import models
from scoop.serve import serving
from scoop.store import db
from scoop.store.db import ExternalServer

BODY = f"{FIRE['body_text']}\n\nOn 12 May, 1,041 people of Haarlem were brought to safety by 38 buses."
ITEM = an_item(1, **(FIRE | {"body_text": BODY}))
URL = ITEM["canonical_url"]


@asynccontextmanager
async def a_desk(database_url, home):
    """The command line with a model server, on a database with one article."""
    app = server.create_app(a_world(an_article("ferry", title="Ferry", body="It sails.")), ANCHOR, Clock())
    async with serving(app) as address:
        settings = {
            "database_url": database_url,
            "home": home,
            "tasks_summary_writer": "openai",
            "tasks_translation_writer": "openai",
            "writers_openai_base_url": f"{address}/{models.HOST}/v1",
            "writers_openai_model": models.MODEL,
            "writers_openai_input_price": "2.5",
            "writers_openai_output_price": "10",
        }

        async def call(*arguments, **options):
            return await asyncio.to_thread(scoop, *arguments, **settings | options)

        call.models = app.state.models
        assert (await call("ingest", "--items", "-", stdin=as_lines([ITEM]))).returncode == 0
        assert (await call("run-once", tasks_summary_writer="none")).returncode == 0
        yield call


async def read(call, *arguments, **options):
    done = await call(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_an_article_is_translated_once_and_printed(database_url, home):
    async with a_desk(database_url, home) as call:
        done = await call("translate", URL, "--to", "de")
        assert done.returncode == 0, done.stderr
        assert "Übersetzung" in done.stdout
        assert "1,041" in done.stdout
        assert f"machine translation from English by {models.MODEL}" in done.stderr
        again = await read(call, "translate", URL, "--to", "de")
        assert (again["language"], again["version"]) == ("de", 1)
        assert len(call.models.calls) == 1


async def test_a_translation_that_cannot_be_made_says_why(database_url, home):
    async with a_desk(database_url, home) as call:
        unset = await call("translate", URL, "--to", "de", tasks_translation_writer="none")
        assert (unset.returncode, "SCOOP_TASKS_TRANSLATION_WRITER" in unset.stderr) == (1, True)
        assert (await call("translate", URL, "--to", "klingon")).returncode == 2
        same = await call("translate", URL, "--to", "en")
        assert "in English already" in same.stderr
        call.models.script.extend(["lost-number", "lost-number"])
        failed = await call("translate", URL, "--to", "de")
        assert failed.returncode == 1
        assert "these numbers are missing: 12, 1,041, 38" in failed.stderr


async def test_the_local_writer_is_refused_for_translations(database_url, home):
    done = await asyncio.to_thread(
        scoop, "spend", database_url=database_url, home=home, tasks_translation_writer="local"
    )
    assert done.returncode == 3
    assert "the local writer only does summary" in done.stderr


async def test_a_prompt_is_rendered_as_it_would_be_sent(database_url, home):
    async with a_desk(database_url, home) as call:
        rendered = await read(call, "prompts", "render", "summary", URL, "--language", "en")
        await call("summaries", "ask", URL, "--language", "en", "--wait")
        [sent] = call.models.calls
        assert [each["content"] for each in sent.body["messages"]] == [rendered["system"], rendered["user"]]
        shown = await call("prompts", "show", "translation")
        assert "{language_name}" in shown.stdout
        assert {each["prompt_id"] for each in await read(call, "prompts", "list")} >= {"summary", "same_event"}


async def test_the_room_of_a_rendered_prompt_is_that_of_the_writer(database_url, home):
    async with a_desk(database_url, home) as call:
        long = an_item(2, title="Long", canonical_url="https://tribune.example/long", body_text="Ships sail. " * 3_000)
        await call("ingest", "--items", "-", stdin=as_lines([long]))
        await call("run-once", tasks_summary_writer="none")
        asked = ("prompts", "render", "summary", long["canonical_url"])
        usual = await read(call, *asked)
        small = await read(call, *asked, writers_openai_max_prompt_tokens="2000")
    assert 7_900 < (len(usual["system"]) + len(usual["user"])) / 4 <= 8_000
    assert 1_900 < (len(small["system"]) + len(small["user"])) / 4 <= 2_000


@pytest.mark.parametrize(
    ("arguments", "included"),
    [
        (["translation", URL, "--language", "de"], "German"),
        (["same_event", URL, URL], "<document"),
        (["lesson", URL, "--level", "A2"], "A2"),
        (["support", URL, "--sentence", "The ferry is late."], "[1] The ferry is late."),
    ],
)
async def test_every_prompt_can_be_rendered_about_an_article(database_url, home, arguments, included):
    async with a_desk(database_url, home) as call:
        rendered = await read(call, "prompts", "render", *arguments)
    assert rendered["prompt_id"] == arguments[0]
    assert included in rendered["system"] + rendered["user"]


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["evaluation", URL], 2, "--curator"),
        (["support", URL], 2, "--sentence"),
        (["sentiment", "the-first"], 2, "is not a number"),
        (["question", "999"], 1, "check the number"),
    ],
)
async def test_a_prompt_that_lacks_its_subject_says_what_is_missing(database_url, home, arguments, code, reason):
    async with a_desk(database_url, home) as call:
        done = await call("prompts", "render", *arguments)
    assert (done.returncode, reason in done.stderr) == (code, True), done.stderr


async def test_the_sentences_that_a_summary_does_not_have_are_shown_with_the_reasons(database_url, home):
    async with a_desk(database_url, home) as call:
        await call("summaries", "ask", URL, "--wait", writers_openai_model="reworded")
        [made] = await read(call, "summaries", "show", URL)
        shown = (await call("summaries", "show", URL)).stdout
    assert made["left_out"]
    for each in made["left_out"]:
        assert f"“{each['text']}”: {'; '.join(each['reasons'])}" in shown


async def test_summaries_are_asked_for_listed_shown_and_made_again(database_url, home):
    async with a_desk(database_url, home) as call:
        made = await read(call, "summaries", "ask", URL, "--wait")
        assert made["provider"] == "openai"
        [row] = await read(call, "summaries", "list", "--document", "--state", "summarized")
        assert (row["public_id"][:4], row["prompt_version"]) == ("art_", "v1")
        assert made["summary_text"] in (await call("summaries", "show", URL)).stdout

        same = await read(call, "summaries", "redo", "--since", "7d", "--dry-run")
        assert (same["looked_at"], same["to_make"]) == (1, 0)
        other = {"writers_openai_model": "fenced"}
        planned = await read(call, "summaries", "redo", "--since", "7d", "--dry-run", **other)
        assert (planned["to_make"], planned["past_requests"]) == (1, 1)
        assert float(planned["cost"]) > 0
        assert (await read(call, "summaries", "redo", "--since", "7d", **other))["to_make"] == 1
        assert (await call("run-once", **other)).returncode == 0
        assert [each["version"] for each in await read(call, "summaries", "show", URL)] == [2, 1]


async def test_what_was_spent_agrees_with_the_archive(database_url, home):
    async with a_desk(database_url, home) as call:
        call.models.script.append("bad-json")
        await call("translate", URL, "--to", "de")
        report = await read(call, "spend", "--by", "task")
        [row] = report["rows"]
        assert (row["label"], row["requests"], row["accepted"], row["failed"]) == ("translation", 2, 1, 1)
        [requests] = [
            line
            for budget in report["budgets"]
            if budget["task"] == "translation"
            for line in budget["lines"]
            if line["name"] == "requests"
        ]
        assert float(requests["used"]) == 2
        for by in ("day", "source", "model", "subject"):
            assert len((await read(call, "spend", "--by", by))["rows"]) in {1, 2}
        assert FIRE["title"] in (await call("spend", "--by", "subject")).stdout
        verified = await call("spend", "--verify")
        assert (verified.returncode, "the sums agree" in verified.stdout) == (0, True)

        database = await db.connect(ExternalServer(database_url), size=1)
        async with database.connection() as conn:
            await conn.execute("UPDATE model_calls SET output_tokens = output_tokens + 1 WHERE outcome = 'accepted'")
        await database.close()
        differs = await call("spend", "--verify")
        assert differs.returncode == 1
        assert "1 requests differ" in differs.stdout


async def test_claims_that_the_signs_leave_open_are_put_to_the_model_of_the_task_support(database_url, home):
    source = " ".join(FIRE["body_text"].split())
    claims = [
        {"id": "copied", "claim": source.split(". ")[0] + ".", "supported": True},
        {"id": "open", "claim": f"For the people there this means: {source.split('. ')[-1]}", "supported": True},
        {"id": "wrong", "claim": "About twelve thousand books were lost.", "supported": False},
    ]
    file = home / "claims.ndjson"
    home.mkdir(exist_ok=True)
    file.write_bytes(as_lines([{"lang": "en", "sources": [source], **claim} for claim in claims]))
    async with a_desk(database_url, home) as call:
        [alone] = await read(call, "evaluate", "--task", "claims", str(file))
        assert (alone["kept"], alone["published_precision"], len(call.models.calls)) == (0.5, 1.0, 0)
        [measured] = await read(call, "evaluate", "--task", "claims", str(file), tasks_support_writer="openai")
        assert (measured["kept"], measured["published_precision"]) == (1.0, 1.0)
        assert measured["asked_model"] == len(call.models.calls) == 1


async def test_measuring_claims_says_what_the_model_cost_and_keeps_to_the_bound(database_url, home):
    source = " ".join(FIRE["body_text"].split())
    words = ("For the people there this means:", "For everybody in the town this means:")
    rows = [
        {
            "id": number,
            "lang": "en",
            "sources": [source],
            "claim": f"{said} {source.split('. ')[-1]}",
            "supported": True,
        }
        for number, said in enumerate(words)
    ]
    file = home / "claims.ndjson"
    home.mkdir(exist_ok=True)
    file.write_bytes(as_lines(rows))
    command = ("evaluate", "--task", "claims", str(file))
    async with a_desk(database_url, home) as call:
        whole = await call(*command, tasks_support_writer="openai")
        assert f"2 requests to {models.MODEL}" in whole.stderr
        assert "0.00 USD" not in whole.stderr
        assert "USD" in whole.stderr
        bounded = await call(*command, "--max-requests", "1", tasks_support_writer="openai")
        assert len(call.models.calls) == 3
    assert "1 requests to" in bounded.stderr
    assert "1 claims were not asked about: --max-requests" in bounded.stderr
