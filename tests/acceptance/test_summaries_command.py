"""Summaries from the command line."""

import json

import pytest

from builders import FIRE, an_item, scoop, told


@pytest.fixture
def desk(database_url, tmp_path):
    def run(*arguments, **more):
        return scoop(*arguments, database_url=database_url, home=tmp_path, **more)

    return run


async def article(database, **changes):
    await told(database, [an_item(1, **(FIRE | changes))])
    async with database.connection() as conn:
        return await conn.fetchval("SELECT article_id FROM documents")


async def asked(database):
    async with database.connection() as conn:
        query = "SELECT kind, language FROM work JOIN briefs ON brief_id = subject WHERE stage = 'write'"
        return [tuple(row) for row in await conn.fetch(query)]


async def test_a_summary_is_asked_for_in_the_language_of_the_desk(database, desk):
    article_id = await article(database)
    done = desk("summaries", "retry", article_id, "--json", summary_language="ja")
    assert json.loads(done.stdout) == {"article_id": article_id, "source": "tribune", "title": FIRE["title"]}
    assert await asked(database) == [("summary", "ja")]
    assert "is due now" in desk("summaries", "retry", article_id, "--site", "tribune").stdout


async def test_an_article_that_cannot_be_summarised_says_why(database, desk):
    article_id = await article(database, body_text="Fire.")
    short = desk("summaries", "retry", article_id)
    unknown = desk("summaries", "retry", "art_1")
    of_nobody = desk("summaries", "retry", article_id, "--site", "akari")
    assert short.returncode != 0
    assert "too short to summarise" in short.stderr
    assert (unknown.returncode, of_nobody.returncode) == (1, 1)
    assert await asked(database) == []
