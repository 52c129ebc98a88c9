"""`scoop embed` as its users meet it."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article

from builders import an_item, as_lines, scoop
from scoop.newsstand import server
from scoop.newsstand.sites import embeddings as face
from scoop.serve import serving

COUNT = 5


@pytest.fixture
def desk(database_url):
    """The command line, on a database of documents that nobody has embedded."""
    items = [an_item(number) for number in range(COUNT)]
    assert scoop("ingest", "--items", "-", stdin=as_lines(items), database_url=database_url).returncode == 0
    assert scoop("normalize", database_url=database_url).returncode == 0
    return lambda *arguments, **settings: scoop(*arguments, database_url=database_url, **settings)


@pytest.fixture
async def newsstand():
    async with serving(server.create_app(a_world(an_article()), ANCHOR, Clock())) as address:
        yield f"{address}/{face.HOST}"


def of_server(url: str, model: str = "toy") -> dict[str, str]:
    return {"embedder": "openai", "embedding_url": url, "embedding_model": model}


def test_documents_are_embedded_once_by_the_embedder_that_needs_no_settings(desk):
    first = json.loads(desk("embed", "--json").stdout)
    assert first == {
        "model_name": "use-multilingual",
        "model_version": "v3+lead400",
        "embedded": COUNT,
        "failed": 0,
        "missing": 0,
        "active": "use-multilingual v3+lead400",
    }
    again = desk("embed")
    assert again.returncode == 0
    assert again.stdout.splitlines() == [
        "0 documents embedded with use-multilingual v3+lead400, 0 failed, 0 still without",
        "active model: use-multilingual v3+lead400",
    ]


async def test_another_model_decides_only_when_it_is_told_to(desk, newsstand):
    def story() -> list:
        settings = of_server(f"{newsstand}/v1/embeddings")
        desk("embed", **settings)
        beside = json.loads(desk("embed", "--model", "large", "--model-version", "2", "--json", **settings).stdout)
        assert (beside["model_version"], beside["active"]) == ("2+lead400", "toy v1+lead400")
        desk("embed", "--model", "large", "--model-version", "2", "--activate", **settings)
        assert "large" in desk("embed", "--models").stdout
        work = {row["stage"]: row["count"] for row in json.loads(desk("work", "--json").stdout)}
        assert work["link"] == COUNT
        return json.loads(desk("embed", "--models", "--json").stdout)

    models = await asyncio.to_thread(story)
    assert [(m["model_name"], m["dimensions"], m["documents"], m["is_active"]) for m in models] == [
        ("toy", face.DIMENSIONS, COUNT, False),
        ("large", face.DIMENSIONS, COUNT, True),
    ]


async def test_a_server_that_talks_nonsense_is_told_in_one_sentence_and_makes_nothing_active(desk, newsstand):
    done = await asyncio.to_thread(desk, "embed", "--activate", **of_server(f"{newsstand}/zero/embed"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "gave a vector of zeros; finished embeddings are kept: run the command again to continue" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((await asyncio.to_thread(desk, "embed", "--models", "--json")).stdout) == []


async def test_what_was_interrupted_goes_on_with_the_next_call(desk, database_url, newsstand):
    app = server.create_app(a_world(an_article()), ANCHOR, Clock())
    interrupts = iter([signal.SIGINT])  # a second one would end it in the middle

    async def interrupting(scope, receive, send):
        if scope["type"] == "http":
            for interrupt in interrupts:
                process.send_signal(interrupt)
        await app(scope, receive, send)

    async with serving(interrupting) as address:
        settings = of_server(f"{address}/{face.HOST}/embed") | {"database_url": database_url}
        process = subprocess.Popen(
            [sys.executable, "-m", "scoop", "embed", "--batch-size", "2", "--activate", "--json"],
            env=os.environ | {f"SCOOP_{name.upper()}": value for name, value in settings.items()},
            stdout=subprocess.PIPE,
            cwd="/tmp",
        )
        output, _ = await asyncio.to_thread(process.communicate)
    begun = json.loads(output)["embedded"]
    assert process.returncode == 1
    assert 0 < begun < COUNT
    rest = await asyncio.to_thread(desk, "embed", "--json", **of_server(f"{newsstand}/embed"))
    assert json.loads(rest.stdout)["embedded"] == COUNT - begun


@pytest.mark.parametrize(
    ("arguments", "settings", "code", "told"),
    [
        ((), {"embedder": "none"}, 3, "it must be one of local, openai"),
        ((), {"embedder": "openai"}, 3, "SCOOP_EMBEDDERS_OPENAI_BASE_URL"),
        (("--model", "large"), {}, 2, "the embedder local has only the model use-multilingual v3"),
        (("--batch-size", "0"), {}, 2, "must be a whole number from 1 to 256"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(database_url, arguments, settings, code, told):
    done = scoop("embed", *arguments, database_url=database_url, **settings)
    assert done.returncode == code
    assert told in done.stderr
