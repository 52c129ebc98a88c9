"""A mistyped collection, source or id is answered with what was meant, not with an empty list."""

import json

import pytest

from builders import an_item, scoop, told


@pytest.fixture
async def desk(database, database_url):
    """A desk with one story of world_news, from the source tribune."""
    await told(database, [an_item(1)])
    return lambda *arguments: scoop(*arguments, database_url=database_url)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stories", "--collection", "wrld_news"], "there is no collection 'wrld_news'; did you mean world_news?"),
        (["stories", "--collection", "wrld_news", "--json"], "there is no collection 'wrld_news'"),
        (["events", "--collection", "zzz"], "there is no collection 'zzz'; there are: ai_news, "),
        (["events", "--topic", "wrld_news"], "there is no topic 'wrld_news'; did you mean world_news?"),
        (["runs", "--source", "tribun"], "there is no source 'tribun'; did you mean tribune?"),
    ],
)  # fmt: skip
async def test_an_unknown_collection_or_source_is_an_error_that_names_the_nearest(desk, arguments, message):
    done = desk(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize("arguments", [["work", "retry"], ["retry", "now"], ["work", "quarantine", "release"]])
def test_an_unknown_stage_is_an_error_that_names_the_stages(desk, arguments):
    done = desk(*arguments, "--stage", "summaries")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--stage is 'summaries'; it must be one of ingest, pages, normalize" in done.stderr


async def test_a_known_name_without_stories_or_runs_is_an_empty_list(desk):
    assert json.loads(desk("stories", "--collection", "ai_news", "--json").stdout) == []
    assert json.loads(desk("runs", "--source", "tribune", "--json").stdout) == []


async def test_a_number_is_accepted_as_lists_of_other_programs_print_it(desk, database):
    async with database.connection() as conn:
        await conn.execute("UPDATE documents SET title = 'Kept'")
        await conn.execute("SELECT setval('stories_story_id_seq', 5293)")
    await told(database, [an_item(2, title="Ferry sinks", body_text="A ferry sank off the coast.")])
    listed = desk("stories").stdout
    assert "5294" in listed
    assert "5,294" not in listed
    assert "Ferry sinks" in desk("story", "5,294").stdout
    assert "5,294" not in desk("search", "ferry").stdout
