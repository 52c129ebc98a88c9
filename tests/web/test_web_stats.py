import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from builders import an_item, told
from scoop.store import runs
from scoop.store.reads import stats as stats_reads
from scoop.store.runs import FinishedRun
from scoop.web import stats
from web.test_web_safety import HOSTILE
from web.visitor import NOW, a_report, visiting

ALL_SOURCES = "/stats?days=7&sources=all"
SAME = {"title": "Bridge stays closed", "body_text": "The council said that the old bridge will stay closed. " * 5}


def a_visit(source="tribune", *, days_ago=0, status="completed"):
    return FinishedRun(
        run_uuid=uuid4(),
        source=source,
        started_at=NOW - timedelta(days=days_ago),
        status=status,
        fetched=4,
        failed=1,
        error="503" if status == "failed" else None,
        checkpoint={},
        log_key=None,
    )


def cells(page, table):
    """The rows of a table of days: the date and its values."""
    start = next(n for n, (tag, attrs) in enumerate(page.tags) if tag == "table" and attrs.get("id") == table)
    rows = []
    for tag, attrs in page.tags[start + 1 :]:
        if tag == "table":
            break
        if tag == "time":
            rows.append([attrs["datetime"]])
        elif "data-value" in attrs:
            rows[-1].append(int(attrs["data-value"]))
    return rows


async def test_a_desk_without_news_says_what_would_be_counted(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/stats")).page
    assert "No activity in these 30 days" in page.text
    assert "/stats?days=90" in page.links()


async def test_arrivals_are_counted_on_the_day_they_were_fetched_in_the_desks_timezone(database):
    fetched = ["2024-05-14T21:59:59Z", "2024-05-14T22:00:00Z", "2024-05-15T21:59:59Z"]  # two of them on the 15th
    await told(database, [an_item(n, metadata={"scraped_at": moment}) for n, moment in enumerate(fetched)])
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        page = (await visitor.get("/stats?days=7")).page
    found = dict(cells(page, "arrivals-days"))
    assert list(found) == [f"2024-05-{day}" for day in range(10, 17)]
    assert (found["2024-05-14"], found["2024-05-15"], found["2024-05-16"]) == (1, 2, 0)
    assert "Europe/Berlin time" in page.text


async def test_a_day_of_twenty_five_hours_is_one_day(database):
    moments = ["2024-10-26T22:30:00Z", "2024-10-27T22:30:00Z"]  # the first and the last hour of the 27th in Berlin
    await told(database, [an_item(n, metadata={"scraped_at": moment}) for n, moment in enumerate(moments)])
    clock = lambda: datetime(2024, 10, 28, 12, tzinfo=UTC)  # noqa: E731
    async with visiting(database, timezone="Europe/Berlin", clock=clock, role=None, public_reading=True) as visitor:
        page = (await visitor.get("/stats?days=7")).page
    assert dict(cells(page, "arrivals-days"))["2024-10-27"] == 2


async def test_what_was_folded_is_counted_with_why(database):
    await told(database, [a_report(1, **SAME), a_report(2, source="gazette", **SAME), a_report(3)])
    today = lambda: datetime.now(UTC)  # noqa: E731 - decisions are dated by the database
    async with visiting(database, clock=today, role=None, public_reading=True) as visitor:
        page = (await visitor.get("/stats?days=7")).page
    assert cells(page, "documents-days")[-1][1:] == [2, 1]
    assert "Duplicates 1 (33%)" in page.text
    assert "Same title and text 1" in page.text


async def test_collections_show_how_many_documents_make_a_story(database):
    await told(database, [a_report(1, **SAME), a_report(2, source="gazette", **SAME), a_report(3)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/stats?days=7")).page
    assert "World News 3 2 1.50" in page.text


async def test_sources_show_what_their_runs_came_to(database):
    visits = [a_visit(days_ago=1, status="failed"), a_visit(days_ago=2), a_visit("gazette", days_ago=40)]
    async with database.transaction() as conn:
        await runs.count_inserted(conn, dict.fromkeys(await runs.record(conn, visits, "schedule"), 3))
    async with visiting(database) as visitor:
        month, quarter = (await visitor.get("/stats")).page, (await visitor.get("/stats?days=90")).page
    assert "Tribune 2 1 8 6 2" in month.text
    assert "Gazette" not in month.text
    assert quarter.links("/runs?source=") == ["/runs?source=tribune", "/runs?source=gazette"]


async def test_the_figures_are_counted_once_a_minute_for_all(database, monkeypatch):
    counted = []
    count = stats_reads.count_days
    monkeypatch.setattr(stats_reads, "count_days", lambda *given: counted.append(given) or count(*given))
    async with visiting(database) as visitor:
        await asyncio.gather(*(visitor.get("/stats?days=7") for _ in range(5)))
        assert len(counted) == 1
        monkeypatch.setattr(stats, "CACHED_SECONDS", 0.0)
        await visitor.get("/stats?days=7")
    assert len(counted) == 2


async def test_the_busiest_ten_sources_are_shown_with_a_link_to_all(database):
    visits = [a_visit(f"source_{number}") for number in range(250)]
    async with database.transaction() as conn:
        await runs.record(conn, visits, "schedule")
    async with visiting(database) as visitor:
        page, all_sources = (await visitor.get("/stats?days=7")).page, (await visitor.get(ALL_SOURCES)).page
    assert "The 10 of 250 sources with the most new items." in page.text
    assert len(page.links("/runs?source=")) == 10
    assert f"{ALL_SOURCES}#sources" in page.links()
    assert "The 200 of 250 sources with the most new items." in all_sources.text
    assert len(all_sources.links("/runs?source=")) == 200


async def test_parts_without_figures_are_not_shown(database):
    async with database.transaction() as conn:
        await runs.record(conn, [a_visit()], "schedule")
    async with visiting(database) as visitor:
        page = (await visitor.get("/stats?days=7")).page
    assert len(page.links("/runs?source=")) == 1
    for heading in (
        "Arrivals per day",
        "New stories and duplicates per day",
        "Why documents were merged",
        "Collections",
    ):
        assert heading not in page.text


@pytest.mark.parametrize("days", ["0", "8", "365", "-7", "x", "", "7%00"])
async def test_other_ranges_are_refused(database, days):
    async with visiting(database) as visitor:
        assert (await visitor.get(f"/stats?days={days}")).status == 400


async def test_the_chart_library_is_loaded_on_this_page_only(database):
    async with visiting(database) as visitor:
        stats, front = await visitor.get("/stats"), await visitor.get("/runs")
        scripts = [attrs["src"] for attrs in stats.page.attributes("script")]
        library = await visitor.get(next(script for script in scripts if "uPlot" in script))
        licence = await visitor.get("/static/vendor/uPlot.LICENSE")
    assert library.status == 200
    assert "MIT" in licence.text
    assert "uPlot" not in front.text


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_stays_text_in_the_figures(database, hostile):
    plain = hostile.replace("\x00", "")
    await told(database, [a_report(1, metadata={"collection": plain})])
    async with database.transaction() as conn:
        await runs.record(conn, [a_visit(plain)], "schedule")
    async with visiting(database) as visitor:
        answer = await visitor.get("/stats")
    assert answer.status == 200
    assert not {"img", "svg"} & {tag for tag, _ in answer.page.tags}
    assert not [name for _, attrs in answer.page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert not {"\u202e", "\u2066"} & set(answer.text)


@pytest.mark.parametrize(
    ("block", "index", "values"),
    [
        ("days", "idx_raw_arrivals_fetched_at", ([NOW], [NOW + timedelta(days=1)])),
        ("days", "idx_dedup_events_decision_time", ([NOW], [NOW + timedelta(days=1)])),
        ("matches", "idx_dedup_events_decision_time", (NOW, NOW + timedelta(days=1))),
        ("collections", "idx_stories_latest", (NOW, NOW + timedelta(days=1))),
        ("sources", "idx_ingest_runs_status_started_at", (NOW, NOW + timedelta(days=1), 200)),
    ],
)
async def test_figures_are_read_from_the_index_of_their_days(database, block, index, values):
    async with database.connection() as conn:
        await conn.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        plan = "\n".join(row[0] for row in await conn.fetch(f"EXPLAIN {stats_reads.SQL[block]}", *values))
    assert index in plan
    assert "Seq Scan" not in plan
