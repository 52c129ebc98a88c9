"""Search from the command line."""

import json

import pytest

from builders import an_item, as_lines, group_into_events, scoop, told

TITLES = ["Harbour strike enters its third day", "Museum guards walk out", "Bridge closed"]


@pytest.fixture
def desk(database_url, home):
    """The command line on a database of its own, with some stories."""

    def call(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    items = [an_item(number, title=title, body_text=f"{title}.") for number, title in enumerate(TITLES)]
    assert call("ingest", "--items", "-", stdin=as_lines(items)).returncode == 0
    assert call("run-once").returncode == 0
    return call


def test_events_are_found_and_what_was_sought_stands_out(desk):
    done = desk("search", "harbours", "striking")
    assert done.returncode == 0, done.stderr
    assert "[Harbour] [strike] enters its third day" in done.stdout
    assert "found by words" in done.stdout
    assert "1 outlet  " in done.stdout
    assert "Tribune" in done.stdout
    told = json.loads(desk("search", "harbours striking", "--limit", "1", "--json").stdout)
    assert told["items"][0]["story"]["title"] == TITLES[0]
    assert told["items"][0]["event"]["title"] == TITLES[0]
    assert told["items"][0]["title"][0] == {"text": "Harbour", "is_hit": True}


async def test_an_event_is_listed_once_with_its_other_stories_below_it(database, database_url, home):
    titles = [f"Flood at {name * 4}" for name in "abcdefgh"]
    await told(
        database,
        [
            an_item(number, title=title, body_text=title, source=f"outlet{number}")
            for number, title in enumerate(titles)
        ],
    )
    await group_into_events(database, titles)
    done = scoop("search", "flood", database_url=database_url, home=home)
    assert done.stdout.count("found by words") == 1
    assert "8 outlets, 1 independent" in done.stdout
    assert "Outlet5 and 2 more" in done.stdout
    assert done.stdout.count("+ Flood at") == 5
    assert "+ 2 more stories" in done.stdout


def test_single_stories_are_found_on_request(desk):
    done = desk("search", "harbour", "--stories")
    hit = json.loads(desk("search", "harbour", "--stories", "--json").stdout)["items"][0]
    assert "[Harbour] strike enters its third day" in done.stdout
    assert f"event {hit['event']['event_id']}" in done.stdout
    assert "no story matches" in desk("search", '"guards walk in"', "--stories").stderr


def test_what_is_not_found_is_said_and_why(desk):
    slipped = desk("search", "museun")
    assert "Museum" in slipped.stdout
    assert "no headline has 'museun'; searched for museum as well" in slipped.stderr
    nothing = desk("search", '"guards walk in"')
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "no event matches" in nothing.stderr
    assert "No story has the collection 'nope'; there are: world_news." in (
        desk("search", "bridge", "--collection", "nope").stderr
    )
    assert desk("search", "bridge", "--until", "2026-11-13").stdout == ""


@pytest.mark.parametrize(
    "arguments", [[], ["bridge", "--limit", "0"], ["bridge", "--since", "soon"], ["bridge", "--since", "0001-01-01"]]
)
def test_wrong_usage_is_one_sentence(database_url, home, arguments):
    done = scoop("search", *arguments, database_url=database_url, home=home)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
