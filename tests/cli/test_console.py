"""What commands print: times, ids, states."""

import json
from datetime import UTC, datetime

import click
import pytest

from builders import an_item, ingest, run_all, scoop
from scoop.cli import console
from scoop.config import Config

WINTER = datetime(2026, 1, 15, 23, 30, tzinfo=UTC)
SUMMER = datetime(2026, 7, 15, 23, 30, tzinfo=UTC)


@pytest.fixture
def shown(capsys):
    """What a table prints to a desk in a timezone."""

    def show(columns, rows, *, timezone="UTC", **options):
        with click.Context(click.Command("test"), obj=Config(timezone=timezone)):
            console.print_table(columns, rows, empty="nothing", **options)
        return capsys.readouterr().out.splitlines()

    return show


def test_times_are_shown_in_the_timezone_of_the_desk_which_the_heading_names(shown):
    assert shown(("seen", "title"), [(WINTER, "a")], timezone="Europe/Berlin") == [
        "seen (CET)         title",
        "────────────────────────",
        "2026-01-16 00:30   a",
    ]


def test_times_on_both_sides_of_a_clock_change_name_their_zone_each(shown):
    assert shown(("seen",), [(WINTER,), (SUMMER,)], timezone="Europe/Berlin") == [
        "seen",
        "─────────────────────",
        "2026-01-16 00:30 CET",
        "2026-07-16 01:30 CEST",
    ]


def test_ids_are_printed_as_they_are_typed_and_counts_are_grouped(shown):
    assert shown(("id", "documents"), [(5294, 5294)], counts=["documents"])[-1] == "5294       5,294"


def test_a_title_cannot_send_commands_to_the_terminal(shown):
    assert shown(("title",), [("red \x1b[31m alert\r\n\x9b2J",)])[-1].isprintable()


def test_a_missing_value_is_a_dash_and_does_not_misalign_numbers(shown):
    assert shown(("n", "x"), [(7, "a"), (None, "b"), (12, "c")])[2:] == [" 7   a", " -   b", "12   c"]


def test_states_have_colours_on_a_terminal_only():
    style = console._style(("health", "title"))
    assert style(0, "ok  ") == click.style("ok  ", fg="green")
    assert style(1, "ok") == "ok"


@pytest.mark.parametrize("written", [None, "", "2026-11-15", "yesterday", "T"])
def test_what_is_not_a_time_stays_as_it_is_written(written):
    assert console.parse_time(written) == written


async def test_stories_are_listed_in_the_desk_s_timezone_and_in_utc_as_json(database, database_url):
    await ingest(database, [an_item(1, published_at="2026-11-14T23:30:00Z")])
    await run_all(database)
    desk = {"database_url": database_url, "timezone": "Asia/Tokyo"}
    assert "last seen (JST)" in scoop("stories", **desk).stdout
    assert json.loads(scoop("stories", "--json", **desk).stdout)[0]["last_seen_at"].endswith("Z")


async def test_a_story_is_found_by_an_id_with_grouped_digits(database, database_url):
    async with database.connection() as conn:
        await conn.execute("SELECT setval(pg_get_serial_sequence('news.stories', 'story_id'), 5293)")
    await ingest(database, [an_item(1)])
    await run_all(database)
    assert "5294" in scoop("stories", database_url=database_url).stdout
    assert "Bridge number 1 stays closed" in scoop("story", "5,294", database_url=database_url).stdout
